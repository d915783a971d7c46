import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helm } from '../support/tools.js';
import { chart, text, valuesOf } from './render.js';

const folder = mkdtempSync(join(tmpdir(), 'package-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] });

test('a package of the chart has all that it renders from, and renders the same', () => {
  run(helm, 'package', chart, '--destination', folder);
  const [name] = readdirSync(folder);
  const file = join(folder, name!);
  const content = run('tar', '-tzf', file).split('\n');
  expect(content).toContain('n8n-tuned/files/n8n-nodes-tuned.json');
  expect(content).toContain('n8n-tuned/UPGRADING.md');
  expect(content.filter((path) => path.startsWith('n8n-tuned/ci/'))).toEqual([]);
  for (const values of ['load-targets', 'loadtest']) {
    const ofPackage = run(helm, 'template', 'n8n-tuned', file, '-f', join(chart, `ci/${values}-values.yaml`));
    expect(ofPackage).toBe(text(valuesOf(`ci/${values}-values.yaml`)));
  }
});
