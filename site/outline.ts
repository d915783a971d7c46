import { posix } from 'node:path';

/** A page listed in docs/README.md. `path` is relative to the root of the repository and may have an anchor. */
export interface Entry {
  title: string;
  path: string;
  /** The pages of its folder, if the page is a README. */
  pages: Entry[];
}

/** A section of docs/README.md, such as "Size", with its pages. */
export interface Section {
  title: string;
  entries: Entry[];
}

/** Reads a file of the repository by its path from the root. */
export type ReadFile = (path: string) => string;

const OVERVIEW = 'docs/README.md';

/**
 * The order of the site, read from docs/README.md. Each heading with a table is a section, and each row is a page: the first link in
 * its last column. The README of a folder adds the pages of that folder, in the order of its links.
 */
export function readOutline(read: ReadFile): Section[] {
  const [, ...parts] = read(OVERVIEW).split(/^## /m);
  return parts
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')).trim(),
      entries: tableRows(part).flatMap((row) => readEntry(row, read)),
    }))
    .filter(({ entries }) => entries.length > 0);
}

const tableRows = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('|'));

function readEntry(row: string, read: ReadFile): Entry[] {
  const [link] = findLinks(row.split('|').at(-2) ?? '', OVERVIEW);
  return link ? [{ ...link, pages: readFolderPages(link.path, read) }] : [];
}

function readFolderPages(path: string, read: ReadFile): Entry[] {
  const folder = posix.dirname(path);
  if (posix.basename(path) !== 'README.md' || posix.dirname(folder) !== 'docs') return [];
  const below = findLinks(read(path), path).filter(
    ({ path: page }) => posix.dirname(page) === folder && page.endsWith('.md') && page !== path,
  );
  const isFirst = ({ path: page }: { path: string }, at: number) => below.findIndex((b) => b.path === page) === at;
  return below.filter(isFirst).map((link) => ({ ...link, pages: [] }));
}

/** The links of a page's text, with paths from the root. */
const findLinks = (text: string, page: string): Pick<Entry, 'title' | 'path'>[] =>
  [...text.matchAll(/(?<!!)\[([^\]]+)\]\(([^):\s]+)\)/g)].map(([, title, target]) => ({
    title: title!.replaceAll('`', ''),
    path: posix.join(posix.dirname(page), target!),
  }));
