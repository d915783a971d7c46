/**
 * When the requests of a step are due. Imports nothing from k6.
 *
 * Users arrive independently of each other, which is a Poisson process: given how many arrive in a minute, they arrive at as
 * many independent, uniform moments of it. Each minute has its share: over hours, chance alone would move arrivals by minutes
 * against the even sequence, and as many clients would wait. k6 starts iterations at even spaces, so each starts early and
 * sleeps until it is due; the time from then counts into its latency, so that a late start hides nothing.
 */

const MINUTE = 60;

/** Beyond what the times ask for, in seconds: k6 starts an iteration some milliseconds late. */
const MARGIN_SECONDS = 0.05;

/**
 * @param perSecond mean arrival rate
 * @param seconds   length of the part
 * @param seed      a whole number; the same one gives the same times
 * @param even      evenly spaced instead
 * @returns `times` in seconds since the part began, ascending; `lead`, by how much earlier k6 must begin to start iterations;
 *   `wait`, the longest time for which one then sleeps
 */
export function arrivals(perSecond, seconds, seed, even) {
  const count = Math.round(perSecond * seconds);
  const spaced = (i) => i / perSecond;
  if (even) return { times: Float64Array.from({ length: count }, (_, i) => spaced(i)), lead: 0, wait: 0 };
  const times = randomTimes(perSecond, seconds, count, randomFrom(seed));
  let early = 0;
  let late = 0;
  times.forEach((time, i) => {
    early = Math.max(early, spaced(i) - time);
    late = Math.max(late, time - spaced(i));
  });
  const lead = early + MARGIN_SECONDS;
  return { times, lead, wait: lead + late };
}

function randomTimes(perSecond, seconds, count, uniform) {
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

/** A number for each name, so that parts of one run have times of their own (FNV-1a). */
export function seedOf(seed, name) {
  let hash = Math.imul(0x811c9dc5 ^ seed, 0x01000193);
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193);
  return hash >>> 0;
}

/** Uniform numbers from 0 to 1: the 32-bit SplitMix generator (Steele, Lea and Flood 2014). */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
