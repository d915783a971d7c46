import fc from 'fast-check';

/**
 * How long a test generates input: its share of a few minutes in `make test-all`, with the same seed each time; with
 * `npm run fuzz` as long as FUZZ_MINUTES says, with a new seed. Each failure prints its seed and its path for fast-check.
 */
export function budget(seconds: number): fc.Parameters<any> & { seconds: number } {
  const minutes = process.env.FUZZ_MINUTES;
  const asked = minutes === undefined ? seconds : Number(minutes) * 60;
  return {
    seconds: asked,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: asked * 1000,
    markInterruptAsFailure: false,
    ...(minutes === undefined && { seed: 1 }),
    // The smallest example is found within the time that is left.
    endOnFailure: false,
  };
}
