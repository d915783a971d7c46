import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { listedCommands } from '../support/program.js';
import { findLinkTargets, trackedFiles, stripCodeBlocks } from './markdown.js';

/** Every page and every command must be reachable from docs/README.md. */

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = [...trackedFiles].filter(
  (path) => path.startsWith('docs/') && path.endsWith('.md') && path !== 'docs/README.md',
);
/** The pages that a page links to, one entry per link. */
const findLinkedPages = (page: string): string[] =>
  findLinkTargets(stripCodeBlocks(read(page))).map((link) => posix.join(posix.dirname(page), link.split('#')[0]!));

const overview = findLinkedPages('docs/README.md');
/** The README that lists a page of a folder. */
const index = (page: string) => posix.join(posix.dirname(page), 'README.md');
const isIndexed = (page: string) =>
  index(page) !== page && index(page) !== 'docs/README.md' && trackedFiles.has(index(page));

test.each(pages.filter((page) => !isIndexed(page)))('docs/README.md links to %s once', (page) => {
  expect(overview.filter((link) => link === page)).toEqual([page]);
});

test.each(pages.filter(isIndexed))('the list of its folder links to %s', (page) => {
  expect(findLinkedPages(index(page))).toContain(page);
});

const commands = (await listedCommands()).map((command) => command.name());

test('the commands are found', () => expect(commands).toEqual(expect.arrayContaining(['validate', 'clean', 'pm2'])));

test.each(commands)('docs/README.md names %s, and a page shows how to call it', (command) => {
  const called = new RegExp(`n8n-capacity ${command}(?![\\w-])`);
  expect(read('docs/README.md')).toMatch(called);
  const shown = pages.flatMap((page) => [...read(page).matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!));
  expect(shown.filter((block) => called.test(block)).length).toBeGreaterThan(0);
});
