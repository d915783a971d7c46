import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Messages that troubleshooting.md quotes from our code must exist in our code. */

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');

/** Headings that quote messages of other programs. */
const OF_OTHERS = new Set([
  'Use "pnpm install"',
  'OOMKilled',
  'JavaScript heap out of memory',
  '503',
  'Retry-After',
  "Cannot find module '/opt/n8n-tuned/lazy-character-table.js'",
]);

const FOLDERS = ['capacity/bin', 'capacity/src', 'charts/n8n-tuned/templates', 'nodes'];
const files = execFileSync('git', ['ls-files', ...FOLDERS], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const sources = files
  .filter((file) => /\.(ts|js|tpl)$/.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'));
/** The sources, unchanged and with empty template placeholders. */
const code = [...sources, ...sources.map((source) => source.replaceAll(/\$\{[^}]*\}/g, ''))]
  .join('\n')
  .replaceAll('\\"', '"');

const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!);
const messages = headings
  .flatMap((heading) => [...heading.matchAll(/`([^`]+)`/g)])
  .map(([, message]) => message!)
  .filter((message) => !OF_OTHERS.has(message));

test('no heading occurs twice', () => expect(headings).toEqual([...new Set(headings)]));

test.each(messages)('%s', (message) => {
  const parts = message
    .split('…')
    .map((part) => part.trim())
    .filter((part) => /\w/.test(part));
  expect(parts.length).toBeGreaterThan(0);
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});
