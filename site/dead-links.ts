import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The anchors of an HTML page, and the targets that it links to or loads. */
interface Html {
  ids: Set<string>;
  links: string[];
}

const readHtml = (text: string): Html => ({
  ids: new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => unescapeHtml(id!))),
  links: [...text.matchAll(/<(?:a|img|script|link)\s[^>]*?\b(?:href|src)="([^"]*)"/g)].map(([, to]) =>
    unescapeHtml(to!),
  ),
});

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/**
 * The dead links of a built site, each as `page → link`: their file or heading does not exist. VitePress checks only the files of
 * links, not their anchors. Links to other hosts are left out.
 *
 * @param folder folder of the built site
 * @param base path of the site on its host, such as `/n8n-tuned/`
 */
export function findDeadLinks(folder: string, base: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const all = new Set(files);
  const pages = new Map(
    files
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, readHtml(readFileSync(join(folder, file), 'utf8'))]),
  );
  const isAlive = (page: string, link: string): boolean => {
    const [path, anchor = ''] = decodeURI(link).split('#') as [string, string?];
    const absolute =
      path === '' ? base + page : posix.resolve(base, posix.dirname(page), path) + (path.endsWith('/') ? '/' : '');
    if (!`${absolute}/`.startsWith(base)) return false;
    const file = absolute.slice(base.length).replace(/(^|\/)$/, '$1index.html');
    if (!all.has(file)) return false;
    return anchor === '' || (pages.get(file)?.ids.has(anchor) ?? false);
  };
  return [...pages].flatMap(([page, { links }]) =>
    links.filter((link) => !isElsewhere(link) && !isAlive(page, link)).map((link) => `${page} → ${link}`),
  );
}

const isElsewhere = (link: string): boolean => /^([a-z][a-z+.-]*:|\/\/)/i.test(link);
