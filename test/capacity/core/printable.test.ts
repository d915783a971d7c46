import { escapeControls, escapeControlsKeepLines } from '../../../capacity/src/core/printable.js';

test.each([
  ['Orders', 'Orders'],
  ['Žluťoučký 👩‍💻', 'Žluťoučký 👩‍💻'],
  ['\u001b]0;title\u0007', String.raw`\u{1b}]0;title\u{7}`],
  ['a\nb\tc\u009bd', String.raw`a\u{a}b\u{9}c\u{9b}d`],
  ['\u202egnp.exe', String.raw`\u{202e}gnp.exe`],
])('%j', (name, shown) => expect(escapeControls(name)).toBe(shown));

test('escapeControlsKeepLines keeps line breaks', () =>
  expect(escapeControlsKeepLines('a\n\u001b[2Jb')).toBe('a\n\\u{1b}[2Jb'));
