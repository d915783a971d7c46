import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findDeadLinks } from '../dead-links.js';
import { convertLink, type Repository } from '../links.js';
import { readOutline } from '../outline.js';
import { isPage, navigationBar, sitePath, sidebar } from '../pages.js';
import { headingSlug } from '../slug.js';
import { findUnrenderedPages } from '../unrendered.js';

/**
 * The configuration of VitePress. The source is the whole repository, because pages link to files outside docs/. Only docs/README.md
 * defines the pages and their order. Nothing is loaded from other hosts: fonts are those of the system, and the search is local.
 */

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { description, homepage } = JSON.parse(read('package.json')) as { description: string; homepage: string };
const url = homepage.replace(/#.*/, '');
const outline = readOutline(read);
const icon = `data:image/svg+xml;base64,${Buffer.from(read('nodes/LoadTarget/loadTarget.svg')).toString('base64')}`;

const repository: Repository = {
  url,
  isPage: (path) => isPage(path, outline) && repository.kindOf(path) === 'file',
  kindOf: (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    return stat && (stat.isDirectory() ? 'folder' : 'file');
  },
};

/** Glob patterns of files that are not pages. A folder without pages is one pattern. */
const notPages = readdirSync(root).flatMap((name) => {
  if (name === 'docs') return [];
  const inFolder = outline.some(({ entries }) => entries.some(({ path }) => path.startsWith(`${name}/`)));
  if (!inFolder) return [name, `${name}/**`];
  return readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
    .map((file) => `${name}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !isPage(file, outline));
});

/** The part of markdown-it that is used. */
interface Markdown {
  renderer: { rules: Record<string, Fence | undefined> };
  core: { ruler: { push(name: string, rule: (state: { tokens: Token[]; env: Env }) => void): void } };
}
type Fence = (tokens: Token[], index: number, ...others: unknown[]) => string;
interface Token {
  type: string;
  /** Language of a code block; `content` is its text. */
  info: string;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}
/** `path` is the page's path in the site, `realPath` the path of its file. */
interface Env {
  path: string;
  realPath?: string;
}

/** Rewrites every link of a page to a page of the site, or to the file on GitHub. */
function withSiteLinks(markdown: Markdown): void {
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const page = (env.realPath ?? env.path).slice(root.length + 1).replaceAll('\\', '/');
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'link_open') token.attrSet('href', convertLink(token.attrGet('href') ?? '', page, repository));
  });
}

/** Draws Mermaid code blocks as diagrams (theme/Mermaid.vue). */
function withDiagrams({ renderer: { rules } }: Markdown): void {
  const { fence } = rules;
  rules.fence = (tokens, index, ...others) => {
    const { info, content } = tokens[index]!;
    if (info.trim() !== 'mermaid') return fence!(tokens, index, ...others);
    return `<Mermaid code="${encodeURIComponent(content)}" />`;
  };
}

/** Escapes the braces of n8n's expressions in texts, so that Vue does not evaluate them. */
function withBraces({ renderer: { rules } }: Markdown): void {
  for (const name of ['text', 'code_inline']) {
    const rule = rules[name]!;
    rules[name] = (...args) => rule(...args).replaceAll('{{', '&#123;&#123;');
  }
}

/** The part of a Rollup plugin's context that is used. */
interface Resolver {
  resolve(source: string, importer: string, options: { skipSelf: boolean }): unknown;
}

/** Resolves Vue from the site's folder: pages become Vue components, but Vue is not installed in the folders of the pages. */
const vueOfTheSite = {
  name: 'vue-of-the-site',
  enforce: 'pre',
  resolveId(this: Resolver, source: string, importer: string | undefined) {
    if (!/^vue(\/|$)/.test(source) || !importer?.endsWith('.md')) return null;
    return this.resolve(source, join(import.meta.dirname, 'theme/index.js'), { skipSelf: true });
  },
};

export default {
  title: 'n8n-tuned',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  description,
  lang: 'en',
  srcDir: '..',
  srcExclude: notPages,
  outDir: '../dist/site',
  cacheDir: 'node_modules/.vitepress',
  /** Path of the project's site on GitHub Pages. For a separate host use `vitepress build --base /`. */
  base: `/${url.split('/').at(-1)}/`,
  rewrites: sitePath,
  markdown: {
    anchor: { slugify: headingSlug },
    // Shiki does not know PromQL, and warns without a grammar.
    languages: [{ name: 'promql', scopeName: 'source.promql', patterns: [] }],
    config: (markdown: Markdown) => {
      withSiteLinks(markdown);
      withDiagrams(markdown);
      withBraces(markdown);
    },
  },
  vite: { plugins: [vueOfTheSite] },
  themeConfig: {
    nav: navigationBar(outline),
    sidebar: sidebar(outline),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: url }],
    editLink: { pattern: `${url}/edit/main/:path` },
  },
  buildEnd: ({ outDir, site }: { outDir: string; site: { base: string } }) => {
    const dead = findDeadLinks(outDir, site.base);
    if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`);
    const missing = findUnrenderedPages(outDir);
    if (missing.length > 0) throw new Error(`pages that could not be rendered:\n${missing.join('\n')}`);
  },
};
