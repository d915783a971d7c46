/** Exit codes of n8n-capacity: by verdict, for an error, and for Ctrl-C. */
export const EXIT_CODES = { PASS: 0, CAPACITY: 0, FAIL: 1, INCONCLUSIVE: 2, error: 3, interrupted: 130 } as const;

/** Meaning of the exit codes that differ between commands; undefined if the command never ends with that code. */
type ExitCodeMeanings = { [code in 0 | 1 | 2]?: string };

/** Meaning of the exit codes of a command that ends with a verdict. */
export const VERDICT_EXIT_CODES: ExitCodeMeanings = {
  0: 'PASS, or CAPACITY where no target was given',
  1: 'FAIL',
  2: 'INCONCLUSIVE: the test was disturbed, or too short to tell',
};

/** The section about exit codes in a command's `--help`. */
export const exitCodesHelp = (meanings: ExitCodeMeanings): string =>
  [
    'Exit codes:',
    ...Object.entries({ ...meanings, 3: 'the tool or its input failed', 130: 'interrupted (Ctrl-C)' }).map(
      ([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`,
    ),
  ].join('\n');
