import { EXIT_CODES, exitCodesHelp, VERDICT_EXIT_CODES } from '../../../capacity/src/core/exit-codes.js';

const codesIn = (text: string) => [...text.matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => Number(code));

test('the help of a verdict lists every exit code of the process', () => {
  expect(codesIn(exitCodesHelp(VERDICT_EXIT_CODES))).toEqual([...new Set(Object.values(EXIT_CODES))]);
});

test('the help of a command may list fewer exit codes', () =>
  expect(codesIn(exitCodesHelp({ 0: 'done' }))).toEqual([0, 3, 130]));
