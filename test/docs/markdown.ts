import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { headingSlug } from '../../site/slug.js';

const root = join(import.meta.dirname, '../..');

/** Paths of all tracked files, relative to the root of the repository. */
export const trackedFiles: ReadonlySet<string> = new Set(
  execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean),
);

/** Folders of the tracked files; the root is `.`. */
const folders = new Set([...trackedFiles].flatMap((path) => parentFolders(posix.dirname(path))));

function parentFolders(folder: string): string[] {
  return folder === '.' ? ['.'] : [folder, ...parentFolders(posix.dirname(folder))];
}

const prose = new Map<string, string>();

/** Reads a tracked Markdown file without its code blocks, in which nothing is a link or a heading. */
function readProse(path: string): string {
  const known = prose.get(path) ?? stripCodeBlocks(readFileSync(join(root, path), 'utf8'));
  prose.set(path, known);
  return known;
}

export const stripCodeBlocks = (text: string): string =>
  text.replace(/^ *(```+|~~~+)[^]*?^ *\1 *$/gm, '').replace(/<!--[^]*?-->/g, '');

/** Targets of the links and pictures of a text: inline, by reference, and from HTML's `src` and `href`. */
export function findLinkTargets(text: string): string[] {
  const outsideCode = text.replace(/(`+)[^]*?\1/g, '');
  const inline = [...outsideCode.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const references = [...outsideCode.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$/gm)];
  const html = [...outsideCode.matchAll(/<\w+[^>]*\s(?:src|href)="([^"]+)"/g)];
  return [...inline, ...references, ...html].map(([, target]) => target!);
}

/** The anchors that GitHub gives to the headings of a text. */
export function findAnchors(text: string): Set<string> {
  const used = new Map<string, number>();
  const headings = [...text.matchAll(/^ {0,3}#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading]) => {
    const slug = headingSlug(headingText(heading!));
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  const named = [...text.matchAll(/<a\s[^>]*(?:id|name)="([^"]+)"/g)].map(([, name]) => name!);
  return new Set([...headings, ...named]);
}

const headingText = (heading: string): string => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** The dead links of a tracked Markdown file: no tracked file, folder or heading matches. Links with a scheme are left out. */
export function findBrokenLinks(path: string): string[] {
  return findLinkTargets(readProse(path)).filter(
    (link) => !/^[a-z][a-z+.-]*:/i.test(link) && !isResolvable(path, link),
  );
}

function isResolvable(from: string, link: string): boolean {
  const [file = '', anchor] = decodeURIComponent(link).split('#');
  const target = file === '' ? from : posix.join(posix.dirname(from), file).replace(/\/$/, '');
  if (!trackedFiles.has(target)) return anchor === undefined && folders.has(target);
  return anchor === undefined || (target.endsWith('.md') && findAnchors(readProse(target)).has(anchor));
}
