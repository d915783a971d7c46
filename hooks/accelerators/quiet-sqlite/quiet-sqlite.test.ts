import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const hook = join(import.meta.dirname, 'index.js');

/** What a program prints that finds a module of this name, whose verbose mode fails, and the hook. */
function run(module: string, program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  mkdirSync(join(folder, 'node_modules', module), { recursive: true });
  const source = "exports.verbose = () => { throw new Error('verbose'); };";
  writeFileSync(join(folder, 'node_modules', module, 'index.js'), source);
  const ran = spawnSync(process.execPath, ['--require', hook, '-e', program], { cwd: folder, encoding: 'utf8' });
  return ran.stdout + ran.stderr;
}

describe('the verbose mode of sqlite3', () => {
  it('is not turned on, and what n8n gets is sqlite3', () =>
    expect(run('sqlite3', "const s = require('sqlite3'); console.log(s.verbose() === s)")).toBe('true\n'));

  it('is turned on without the hook, and in every other module', () =>
    expect(run('sqlite4', "require('sqlite4').verbose()")).toContain('Error: verbose'));

  it('costs other modules nothing: the hook lets go of what loads them once it has seen sqlite3', () =>
    expect(
      run(
        'sqlite3',
        `const { _load } = require('node:module'); require('node:fs'); require('sqlite3');
        console.log(_load !== require('node:module')._load, require('node:module')._load.name);`,
      ),
    ).toMatch(/^true (?!withoutVerbose)/));
});
