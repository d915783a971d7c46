/** Control characters, which a terminal executes, and characters that change the direction of a text. */
const CONTROL = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** Makes an untrusted name safe to print on one line: control characters are shown as, for example, `\u{1b}`. */
export const printable = (name: string): string => name.replace(CONTROL, escaped);

/** Makes an untrusted text safe to print. Keeps its line breaks. */
export const printableLines = (text: string): string =>
  text.replace(CONTROL, (character) => (character === '\n' ? character : escaped(character)));
