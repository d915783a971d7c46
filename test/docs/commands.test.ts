import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs the commands of the pages in a user's folder that contains the files they name. Measurements get --dry-run, which makes all
 * checks that precede the start of n8n. Make targets are only listed, because they would start these tests again.
 */

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'commands-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  writeFileSync(join(folder, 'values.yaml'), 'main: { resources: { limits: { memory: 3Gi } } }\n');
  const webhook = { id: '1', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] };
  const order = { name: 'Order', nodes: [{ ...webhook, parameters: { path: 'order' } }], connections: {} };
  writeFileSync(join(folder, 'order.json'), JSON.stringify(order));
});

/** Commands that no test runs, with the reason. */
const NOT_RUN = new Map([
  [
    'n8n-capacity completion bash > ~/.local/share/bash-completion/completions/n8n-capacity',
    'it writes into the home folder; capacity/commands/completion runs it without that',
  ],
  ['npm i -g n8n-capacity', 'integration/capacity-package installs the package, into a folder'],
]);

const PAGES = ['CONTRIBUTING.md', 'capacity/README.md', 'docs/config.md', 'docs/doctor.md', 'docs/values.md'];

/** The commands in the blocks of shell code of a page, without their comments. */
const findCommands = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)]
    .flatMap(([, block]) => block!.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

const CODES: Record<string, number[]> = { doctor: [0, 1] };

function run(command: string): { status: number | null; stderr: string; allowed: number[] } {
  const words = command.replace(/^npx /, '').match(/(?:[^\s']|'[^']*')+/g)!;
  const [program, ...args] = words.map((word) => word.replaceAll("'", '')) as [string, ...string[]];
  if (program === 'make')
    return {
      ...spawnSync('make', ['-n', '-o', 'dist/.built', ...args], { cwd: root, encoding: 'utf8' }),
      allowed: [0],
    };
  expect(program).toBe('n8n-capacity');
  const more = args[0] === 'validate' && !args.includes('--help') && !args.includes('--dry-run') ? ['--dry-run'] : [];
  const bin = join(root, 'capacity/bin/n8n-capacity.js');
  const ended = spawnSync(process.execPath, [bin, ...args, ...more], { cwd: folder, encoding: 'utf8' });
  return { ...ended, allowed: CODES[args[0]!] ?? [0] };
}

describe.each(PAGES)('%s', (page) => {
  test.each(findCommands(page).filter((command) => !NOT_RUN.has(command)))('%s', (command) => {
    const { status, stderr, allowed } = run(command);
    expect({ command, stderr, allowed: allowed.includes(status!) }).toMatchObject({ allowed: true });
  });
});
