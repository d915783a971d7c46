import { posix } from 'node:path';
import type { Entry, Section } from './outline.js';

/** A path without its anchor. */
export const stripAnchor = (path: string): string => path.split('#')[0]!;

/** Whether a path is a page of the site: all pages in docs/, and others that docs/README.md lists, such as the chart's README. */
export function isPage(path: string, outline: Section[]): boolean {
  if (!path.endsWith('.md')) return false;
  return (
    path.startsWith('docs/') || outline.some(({ entries }) => entries.some((entry) => stripAnchor(entry.path) === path))
  );
}

/** The file of a page in the site: its path in the repository without docs/. A README becomes the index of its folder. */
export function sitePath(path: string): string {
  const place = path.replace(/^docs\//, '');
  return posix.basename(place) === 'README.md' ? posix.join(posix.dirname(place), 'index.md') : place;
}

/** The address of a page in the site, including its anchor. */
export function siteAddress(path: string): string {
  const [file, anchor] = path.split('#') as [string, string?];
  const address = `/${sitePath(file)}`.replace(/index\.md$/, '').replace(/\.md$/, '.html');
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** VitePress's navigation bar: the first page of each section. */
export const navigationBar = (outline: Section[]) =>
  outline.map(({ title, entries }) => ({ text: title, link: siteAddress(entries[0]!.path) }));

/** VitePress's sidebar: all pages. */
export const sidebar = (outline: Section[]) =>
  outline.map(({ title, entries }) => ({ text: title, items: entries.map(sidebarItem) }));

function sidebarItem({ title, path, pages }: Entry): {
  text: string;
  link: string;
  collapsed?: boolean;
  items?: object[];
} {
  const item = { text: title, link: siteAddress(path) };
  return pages.length === 0 ? item : { ...item, collapsed: true, items: pages.map(sidebarItem) };
}
