/** Reads the facts of a page of the report without a browser. */

const decodeEntities = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The text of markup, with single spaces. */
const readText = (markup: string): string =>
  decodeEntities(markup.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

/** The page without its scripts, whose code is not content. */
export const contentOf = (page: string): string =>
  page.slice(page.indexOf('<main>')).replace(/<script>[^]*?<\/script>/g, '');

/** Texts of the headings of some level, in their order. */
export const readHeadings = (page: string, level: 1 | 2 | 3 | 4): string[] =>
  [...contentOf(page).matchAll(new RegExp(`<h${level}[ >][^]*?</h${level}>`, 'g'))].map(([markup]) => readText(markup));

/** The rows of the table with this label, each as the text of its cells by their column; lines below a row are left out. */
export function readRows(page: string, label: string): Record<string, string>[] {
  const [, table = ''] = contentOf(page).split(`aria-label="${label}"`);
  const body = table.slice(0, table.indexOf('</table>'));
  const rows = [...body.matchAll(/<tr(?! class="reasons")[^]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<(th|td)[ >][^]*?<\/\1>/g)].map(([cell]) => readText(cell)),
  );
  const [heads = [], ...cells] = rows;
  return cells.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i]!])));
}

/** Facts of the page's cards and of its tables of facts, by their names. */
export const readFacts = (page: string): Record<string, string> =>
  Object.fromEntries(
    [
      ...contentOf(page).matchAll(/<dt>([^]*?)<\/dt>\s*<dd>([^]*?)<\/dd>/g),
      ...contentOf(page).matchAll(/<th scope="row">([^]*?)<\/th>\s*<td>([^]*?)<\/td>/g),
    ].map(([, name, value]) => [readText(name!), readText(value!)]),
  );

/** The large number of each card, with its unit. */
export const readFigures = (page: string): string[] =>
  [...contentOf(page).matchAll(/<p class="figure">\s*<strong>([^]*?)<\/strong>([^]*?)</g)].map(([, value, unit]) =>
    readText(`${value}${unit}`),
  );

/** The verdicts in the badges; the first is that of the whole page. */
export const readBadges = (page: string): string[] =>
  [...contentOf(page).matchAll(/<span class="badge [a-z]+">([A-Z]+)</g)].map(([, verdict]) => verdict!);
