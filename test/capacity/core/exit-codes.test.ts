import { EXIT, exitCodes, VERDICT_CODES } from '../../../capacity/src/core/exit-codes.js';

const codesIn = (text: string) => [...text.matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => Number(code));

test('the help of a verdict lists every exit code of the process', () => {
  expect(codesIn(exitCodes(VERDICT_CODES))).toEqual([...new Set(Object.values(EXIT))]);
});

test('the help of a command may list fewer exit codes', () =>
  expect(codesIn(exitCodes({ 0: 'done' }))).toEqual([0, 3, 130]));
