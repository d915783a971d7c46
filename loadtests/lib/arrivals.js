/**
 * Computes when the requests of a step are due. Imports nothing from k6.
 *
 * Users arrive independently of each other, which is a Poisson process: the arrivals of a minute are independent and uniform
 * within it. Each minute gets its exact share of the arrivals. Otherwise, over hours, chance would shift arrivals by minutes
 * against the even sequence, and that many more clients would wait.
 *
 * k6 starts iterations at even intervals, so each iteration starts early and sleeps until its request is due. Its latency counts
 * from the time at which it is due, so that a late start hides nothing.
 */

const MINUTE = 60;

/** Seconds added to the lead, because k6 starts an iteration some milliseconds late. */
const MARGIN_SECONDS = 0.05;

/**
 * The times of the arrivals in a part of a step.
 * @param perSecond mean arrival rate
 * @param seconds   length of the part
 * @param seed      a whole number; the same one gives the same times
 * @param even      evenly spaced instead
 * @returns all in seconds: `times` since the part began, ascending; `lead`, by which k6 must start iterations before the part
 *   begins; `wait`, the longest time for which an iteration then sleeps
 */
export function drawArrivals(perSecond, seconds, seed, even) {
  const count = Math.round(perSecond * seconds);
  const spaced = (i) => i / perSecond;
  if (even) return { times: Float64Array.from({ length: count }, (_, i) => spaced(i)), lead: 0, wait: 0 };
  const times = drawTimes(perSecond, seconds, count, createRandom(seed));
  let early = 0;
  let late = 0;
  times.forEach((time, i) => {
    early = Math.max(early, spaced(i) - time);
    late = Math.max(late, time - spaced(i));
  });
  const lead = early + MARGIN_SECONDS;
  return { times, lead, wait: lead + late };
}

function drawTimes(perSecond, seconds, count, uniform) {
  const times = new Float64Array(count);
  let done = 0;
  for (let from = 0; from < seconds; from += MINUTE) {
    const length = Math.min(MINUTE, seconds - from);
    const until = Math.min(count, Math.round(perSecond * (from + length)));
    for (let i = done; i < until; i++) times[i] = from + uniform() * length;
    done = until;
  }
  return times.sort();
}

/** A seed for each name, so that the parts of a run have different times (FNV-1a). */
export function deriveSeed(seed, name) {
  let hash = Math.imul(0x811c9dc5 ^ seed, 0x01000193);
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193);
  return hash >>> 0;
}

/** Uniform numbers from 0 to 1: the 32-bit SplitMix generator (Steele, Lea and Flood 2014). */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
