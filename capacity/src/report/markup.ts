/** Markup that is safe to put into a page: made by `html`, or declared so by `raw`. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may stand in a template. Text is escaped; `undefined`, `null` and `false` leave nothing. */
export type Part = Html | string | number | undefined | null | false | Part[];

/** A tagged template that escapes whatever is put into it, in text and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((string, i) => string + (i < parts.length ? render(parts[i]) : '')).join(''));
}

/** Declares markup of our own as safe. Never for anything that was read from a record. */
export const raw = (text: string): Html => new Html(text);

/** JSON for a script element: whatever it holds, it cannot end the element. */
export const json = (value: unknown): Html => new Html(JSON.stringify(value).replaceAll('<', '\\u003c'));

function render(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (Array.isArray(part)) return part.map(render).join('');
  return part instanceof Html ? part.text : escape(String(part));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
