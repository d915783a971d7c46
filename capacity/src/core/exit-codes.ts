/** Exit codes of n8n-capacity: those of a verdict, of an error, and of Ctrl-C. */
export const EXIT = { PASS: 0, CAPACITY: 0, FAIL: 1, INCONCLUSIVE: 2, error: 3, interrupted: 130 } as const;

/** Meaning of the codes that differ between commands; undefined: the command never ends with it. */
type Meanings = { [code in 0 | 1 | 2]?: string };

/** The exit codes of a verdict. */
export const VERDICT_CODES: Meanings = {
  0: 'PASS, or CAPACITY where no target was given',
  1: 'FAIL',
  2: 'INCONCLUSIVE: the test was disturbed, or too short to tell',
};

/** The exit codes of a command, for its `--help`. */
export const exitCodes = (meanings: Meanings): string =>
  [
    'Exit codes:',
    ...Object.entries({ ...meanings, 3: 'the tool or its input failed', 130: 'interrupted (Ctrl-C)' }).map(
      ([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`,
    ),
  ].join('\n');
