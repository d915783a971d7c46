/** Times of a step when nobody says otherwise, as a person writes them. */
export const STEP_DEFAULTS = { warmup: '3s', drain: '30s', timeout: '60s' } as const;
