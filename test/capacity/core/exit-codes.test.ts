import { EXIT, exitCodes, VERDICT_CODES } from '../../../capacity/src/core/exit-codes.js';

const codesIn = (text: string) => [...text.matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => Number(code));

test('the codes of a verdict are those that the process ends with', () => {
  expect(codesIn(exitCodes(VERDICT_CODES))).toEqual([...new Set(Object.values(EXIT))]);
});

test('a command may have fewer', () => expect(codesIn(exitCodes({ 0: 'done' }))).toEqual([0, 3, 130]));
