import { posix } from 'node:path';
import type { Entry, Section } from './outline.js';

/** A path without its anchor. */
export const fileOf = (path: string): string => path.split('#')[0]!;

/** A page of the site: all of docs/, and what docs/README.md links to elsewhere, such as the README of the chart. */
export function isPage(path: string, outline: Section[]): boolean {
  if (!path.endsWith('.md')) return false;
  return (
    path.startsWith('docs/') || outline.some(({ entries }) => entries.some((entry) => fileOf(entry.path) === path))
  );
}

/** Where a page is in the site: the path in the repository without docs/, a README as the index of its folder. */
export function placeOf(path: string): string {
  const place = path.replace(/^docs\//, '');
  return posix.basename(place) === 'README.md' ? posix.join(posix.dirname(place), 'index.md') : place;
}

/** The address of a page in the site, with its anchor if it has one. */
export function addressOf(path: string): string {
  const [file, anchor] = path.split('#') as [string, string?];
  const address = `/${placeOf(file)}`.replace(/index\.md$/, '').replace(/\.md$/, '.html');
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** The navigation of VitePress at the top: the first page of each section. */
export const navOf = (outline: Section[]) =>
  outline.map(({ title, entries }) => ({ text: title, link: addressOf(entries[0]!.path) }));

/** The navigation of VitePress at the left: all pages. */
export const sidebarOf = (outline: Section[]) =>
  outline.map(({ title, entries }) => ({ text: title, items: entries.map(itemOf) }));

function itemOf({ title, path, pages }: Entry): { text: string; link: string; collapsed?: boolean; items?: object[] } {
  const item = { text: title, link: addressOf(path) };
  return pages.length === 0 ? item : { ...item, collapsed: true, items: pages.map(itemOf) };
}
