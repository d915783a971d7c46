import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');

test('npm pack in a clean clone builds the nodes and packs them', () => {
  const clone = mkdtempSync(join(tmpdir(), 'n8n-tuned-clone-'));
  try {
    execFileSync('git', ['clone', '--quiet', root, clone]);
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    const output = execFileSync('npm', ['pack', '--dry-run', '--json'], {
      cwd: clone,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(output) as [{ files: Array<{ path: string }> }];
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'dist/credentials/BullQueueApi.credentials.js',
        'dist/nodes/BullQueue/BullQueue.node.js',
        'dist/nodes/BullQueue/BullQueueTrigger.node.js',
        'dist/nodes/BullQueue/BullQueueTrigger.node.json',
        'dist/nodes/BullQueue/bullQueue.svg',
        'dist/nodes/LoadTarget/LoadTarget.node.js',
        'dist/nodes/LoadTarget/LoadTarget.node.json',
        'dist/nodes/LoadTarget/loadTarget.svg',
      ]),
    );
  } finally {
    rmSync(clone, { recursive: true });
  }
}, 60_000);
