/** Control characters, which a terminal executes, and characters that change the direction of a text. */
const CONTROL = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** Makes an untrusted name safe to print on one line: control characters are shown as, for example, `\u{1b}`. */
export const escapeControls = (name: string): string => name.replace(CONTROL, escapeCharacter);

/** Makes an untrusted text safe to print. Keeps its line breaks. */
export const escapeControlsKeepLines = (text: string): string =>
  text.replace(CONTROL, (character) => (character === '\n' ? character : escapeCharacter(character)));
