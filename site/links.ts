import { posix } from 'node:path';
import { siteAddress } from './pages.js';

/** The repository, whose pages, files and folders a link can lead to. */
export interface Repository {
  /** URL of the repository's web page, such as https://github.com/n8n-tuned/n8n-tuned. */
  url: string;
  isPage(path: string): boolean;
  /** Whether a path from the root is a file or a folder; undefined if it does not exist. */
  kindOf(path: string): 'file' | 'folder' | undefined;
}

/**
 * Converts a link of a page for the site. A link to a page of the site gets its address; a link to another file or folder of the
 * repository leads to GitHub. Links to other hosts and within the page stay unchanged.
 * @throws Error when the file does not exist
 */
export function convertLink(link: string, page: string, repository: Repository): string {
  if (/^([a-z][a-z+.-]*:|#|\/\/)/i.test(link)) return link;
  const path = posix.join(posix.dirname(page), decodeURI(link)).replace(/\/(?=#|$)/, '');
  const [file] = path.split('#') as [string];
  if (repository.isPage(file)) return siteAddress(path);
  const kind = repository.kindOf(file);
  if (kind === undefined) throw new Error(`${page} links to ${link}, but ${file} does not exist`);
  return `${repository.url}/${kind === 'folder' ? 'tree' : 'blob'}/main/${path}`;
}
