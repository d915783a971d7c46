/** Exit codes of n8n-capacity: those of a verdict, of an error, and of Ctrl-C. */
export const EXIT = { PASS: 0, FAIL: 1, INCONCLUSIVE: 2, error: 3, interrupted: 130 } as const;

/** For `--help`. */
export const EXIT_CODES =
  'Exit codes: 0 PASS, 1 FAIL, 2 INCONCLUSIVE, 3 the tool or its input failed, 130 interrupted.';
