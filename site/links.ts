import { posix } from 'node:path';
import { addressOf } from './pages.js';

/** What a link can lead to. */
export interface Repository {
  /** The address of a browsable repository, such as https://github.com/n8n-tuned/n8n-tuned. */
  url: string;
  isPage(path: string): boolean;
  /** What is at a path from the root; undefined for nothing. */
  kindOf(path: string): 'file' | 'folder' | undefined;
}

/**
 * The link of a page as it is in the site: to a page of the site by its address, to any other file or folder of the repository on
 * GitHub. Links to another host and within the page stay as they are. Throws if there is no such file.
 */
export function siteLink(link: string, page: string, repository: Repository): string {
  if (/^([a-z][a-z+.-]*:|#|\/\/)/i.test(link)) return link;
  const path = posix.join(posix.dirname(page), decodeURI(link)).replace(/\/(?=#|$)/, '');
  const [file] = path.split('#') as [string];
  if (repository.isPage(file)) return addressOf(path);
  const kind = repository.kindOf(file);
  if (kind === undefined) throw new Error(`${page} links to ${link}, and there is no ${file}`);
  return `${repository.url}/${kind === 'folder' ? 'tree' : 'blob'}/main/${path}`;
}
