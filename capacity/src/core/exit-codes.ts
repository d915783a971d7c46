/** How n8n-capacity ends: a verdict, the tool or its input failed, or the user ended it. */
export const EXIT = { PASS: 0, FAIL: 1, INVALID: 2, problem: 3, interrupted: 130 } as const;

/** For `--help`. */
export const EXIT_CODES = 'Exit code: 0 PASS, 1 FAIL, 2 INVALID, 3 the tool or its input failed, 130 interrupted.';
