/** Control characters, which a terminal obeys, and those that turn the direction of a text. */
const CONTROL = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** A name that somebody else gave, on one line: what a terminal would obey is shown as `\u{1b}`. */
export const printable = (name: string): string => name.replace(CONTROL, escaped);

/** The same of a text that may have several lines. */
export const printableLines = (text: string): string =>
  text.replace(CONTROL, (character) => (character === '\n' ? character : escaped(character)));
