import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = join(import.meta.dirname, '../../capacity/bin/n8n-capacity.js');

test('before a build, the command prints one line with the build command and exits with 3', () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-capacity-unbuilt-'));
  try {
    cpSync(bin, join(folder, 'capacity/bin/n8n-capacity.js'));
    writeFileSync(join(folder, 'capacity/package.json'), '{"type":"module"}');
    const run = spawnSync(process.execPath, [join(folder, 'capacity/bin/n8n-capacity.js'), 'validate'], {
      encoding: 'utf8',
    });
    expect(run).toMatchObject({ status: 3, stdout: '' });
    expect(run.stderr.trim().split('\n')).toEqual([expect.stringContaining('make build')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
