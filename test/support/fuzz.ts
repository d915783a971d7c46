import fc from 'fast-check';

/**
 * Options of fast-check that limit how long a test generates input. In `make test-all` it runs for the given seconds, always with
 * the same seed. In `npm run fuzz` it runs for FUZZ_MINUTES with a new seed. Each failure prints its seed and path for fast-check.
 */
export function fuzzOptions(seconds: number): fc.Parameters<any> & { seconds: number } {
  const minutes = process.env.FUZZ_MINUTES;
  const asked = minutes === undefined ? seconds : Number(minutes) * 60;
  return {
    seconds: asked,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: asked * 1000,
    markInterruptAsFailure: false,
    ...(minutes === undefined && { seed: 1 }),
    // After a failure, fast-check shrinks the example in the remaining time.
    endOnFailure: false,
  };
}
