/** Markup that is safe to put into a document: made by `xml`. */
export class Xml {
  constructor(readonly text: string) {}
}

/** What may stand in a template. Text is escaped; `undefined` and `false` leave nothing. */
export type XmlPart = Xml | string | number | undefined | false | XmlPart[];

/** A tagged template that escapes whatever is put into it, in text and in quoted attributes. */
export const xml = (strings: TemplateStringsArray, ...parts: XmlPart[]): Xml =>
  new Xml(strings.map((string, i) => string + (i < parts.length ? render(parts[i]) : '')).join(''));

function render(part: XmlPart): string {
  if (part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(render).join('');
  return part instanceof Xml ? part.text : escape(String(part));
}

/** Characters that no XML 1.0 document may hold, not even escaped (section 2.2), lone surrogates among them. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Line ends and tabs too: a parser makes spaces of them in an attribute (section 3.3.3). */
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const escape = (text: string): string =>
  text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"'\t\n\r]/g, (character) => ENTITIES[character]!);
