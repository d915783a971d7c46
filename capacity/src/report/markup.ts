/** Markup that is safe to put into a document: made by `html` or `xml`, or declared safe by `raw`. */
export class Markup {
  constructor(readonly text: string) {}
}
export type Html = Markup;
export type Xml = Markup;

/** A value in a template. Text is escaped; `undefined`, `null` and `false` leave nothing. */
export type Part = Markup | string | number | undefined | null | false | Part[];

/** A tagged template that escapes each value, in text and in quoted attributes. */
const template =
  (escape: (text: string) => string) =>
  (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
    new Markup(strings.map((string, i) => string + (i < parts.length ? render(parts[i], escape) : '')).join(''));

function render(part: Part, escape: (text: string) => string): string {
  if (part === undefined || part === null || part === false) return '';
  if (Array.isArray(part)) return part.map((one) => render(one, escape)).join('');
  return part instanceof Markup ? part.text : escape(String(part));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Characters that no XML 1.0 document may contain, not even escaped (section 2.2), including lone surrogates. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Line ends and tabs are escaped too: a parser turns them into spaces in an attribute (section 3.3.3). */
const escapeXml = (text: string): string =>
  escapeHtml(text.replace(FORBIDDEN, '\ufffd')).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A template of HTML. */
export const html = template(escapeHtml);

/** A template of XML. */
export const xml = template(escapeXml);

/** Declares our own markup as safe. Never for anything that was read from a record. */
export const raw = (text: string): Markup => new Markup(text);

/** JSON for a script element: no value can end the element. */
export const json = (value: unknown): Markup => new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
