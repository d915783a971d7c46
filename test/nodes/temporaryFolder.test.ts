import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeLeftFolders, ensureTemporaryFolder } from '../../nodes/LoadTarget/temporaryFolder';

// Node reads TMPDIR from the real environment, which tests cannot change.
jest.mock('node:os', () => ({ ...jest.requireActual('node:os') }));
const systems = mkdtempSync(join(tmpdir(), 'n8n-tuned-tmp-'));
jest.spyOn(jest.requireMock('node:os'), 'tmpdir').mockReturnValue(systems);
afterAll(() => rmSync(systems, { recursive: true }));

const name = (pid: number, random = 'abc123', host = hostname()) =>
  join(systems, `n8n-nodes-tuned-${host}-${pid}-${random}`);
const withFile = (folder: string) => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), '');
  return folder;
};
const deadPid = () => spawnSync('true').pid;

test('is one for the process, readable by its user alone', () => {
  const folder = ensureTemporaryFolder();
  expect(folder).toMatch(new RegExp(`^${systems}/n8n-nodes-tuned-${hostname()}-${process.pid}-\\w{6}$`));
  expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  expect(ensureTemporaryFolder()).toBe(folder);
});

test('is made again if it was removed, or replaced by a link', () => {
  const first = ensureTemporaryFolder();
  rmSync(first, { recursive: true });
  const second = ensureTemporaryFolder();
  expect(second).not.toBe(first);
  rmSync(second, { recursive: true });
  const elsewhere = withFile(join(systems, 'elsewhere'));
  symlinkSync(elsewhere, second);
  expect(ensureTemporaryFolder()).not.toBe(second);
  expect(existsSync(join(elsewhere, 'file'))).toBe(true);
});

test('removes folders of dead processes, and of an earlier process with the same pid', () => {
  const dead = withFile(name(deadPid()));
  const before = withFile(name(process.pid, 'before'));
  const own = ensureTemporaryFolder();
  removeLeftFolders();
  expect([dead, before, own].map(existsSync)).toEqual([false, false, true]);
});

test('touches nothing else', () => {
  const sleeper = spawn('sleep', ['60']);
  const target = withFile(join(systems, 'target'));
  const link = name(deadPid(), 'linked');
  symlinkSync(target, link);
  const kept = [
    withFile(name(sleeper.pid ?? 0)),
    withFile(name(deadPid(), 'abc123', 'another-host')),
    withFile(name(deadPid(), 'longer-than-six')),
    withFile(join(systems, 'n8n-nodes-tuned')),
    withFile(join(systems, `other-${name(deadPid()).slice(systems.length + 1)}`)),
  ];
  const file = name(deadPid(), 'afile0');
  writeFileSync(file, '');
  removeLeftFolders();
  sleeper.kill();
  expect([...kept, link, file, join(target, 'file')].filter((path) => !existsSync(path))).toEqual([]);
});

test('is removed when the process exits', () => {
  const names = () => readdirSync(systems).filter((entry) => entry.startsWith(`n8n-nodes-tuned-${hostname()}-`));
  const own = names();
  const source = join(__dirname, '../../nodes/LoadTarget/temporaryFolder.ts');
  const swc = `require('@swc/core').transformFileSync(${JSON.stringify(source)}, { jsc: { parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } }).code`;
  const script = `const m = { exports: {} }; new Function('exports', 'require', ${swc})(m.exports, require);
    require('node:fs').writeFileSync(m.exports.ensureTemporaryFolder() + '/file', ''); console.log('made'); process.exit(3)`;
  const { status, stdout } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { TMPDIR: systems },
  });
  expect([status, stdout]).toEqual([3, 'made\n']);
  expect(names()).toEqual(own);
});
