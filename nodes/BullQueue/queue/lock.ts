/**
 * The lock of an active job. The worker that runs the job renews it (n8n: every 10 s, for 60 s). A job whose lock has run
 * out is taken away by the next check of a worker (n8n: every 30 s), if the check before had marked it. n8n 2 then fails it;
 * n8n 1 lets it run again once (`maxStalledCount`: 0 in 2.41.1, 1 in 1.123.81).
 */
export type Lock = {
  held: boolean;
  /** Milliseconds until it runs out, or null if it is not held. */
  leftMs: number | null;
  /** Whether Bull counts the job as stalled: marked by a check, and its lock has run out. */
  stalled: boolean;
};

/** The lock of the job, from the answers of PTTL of its key `…:lock` and of SISMEMBER of `stalled`. */
export function parseLock(pttl: unknown, isMarked: unknown): Lock {
  const leftMs = Number(pttl);
  // PTTL answers -2 if there is no key, and -1 if the key never runs out.
  const held = leftMs !== -2;
  return { held, leftMs: leftMs < 0 ? null : leftMs, stalled: !held && Number(isMarked) === 1 };
}
