import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from './markdown.js';

/** Outputs on the pages must equal the tool's output. A comment `<!-- output: ARGUMENTS -->` precedes each. */

const root = join(import.meta.dirname, '../..');
const OUTPUT = /<!-- output: (.+?) -->\s+```\w*\n([^]*?)^```$/gm;
const outputs = [...trackedFiles]
  .filter((path) => path.startsWith('docs/') && path.endsWith('.md'))
  .flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(OUTPUT)].map(([, line, text]) => [page, line!, text!] as const),
  );

const plain = (text: string) => text.replaceAll(/[ \t]+$/gm, '').trim();

test('the pages contain outputs', () => expect(outputs.length).toBeGreaterThan(0));

test.each(outputs)('%s: n8n-capacity %s', (_, line, text) => {
  const bin = join(root, 'capacity/bin/n8n-capacity.js');
  const { stdout } = spawnSync(process.execPath, [bin, ...line.split(' ')], { cwd: root, encoding: 'utf8' });
  expect(plain(stdout)).toBe(plain(text));
});
