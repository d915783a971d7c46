import { askTargets, assessSearches } from '../../../bench/truth/assess.js';
import { simulateCapacity } from '../../../bench/truth/capacity.js';
import { computeLeak, simulateMemory, soakPlan, SOAKS, soakVirtually } from '../../../bench/truth/leak.js';
import { drawExponentialService, FAMILIES } from '../../../bench/truth/families.js';

/** A few answers of each kind: `npm run bench:truth` asks a hundred times, and measures what is not yet true. */
const RUNS = 2;
const families = FAMILIES.map((family) => [family.name, family] as const);

test('the simulated capacity of a server with exponential service is that of the formula', () => {
  // The sojourn time in M/M/1 is exponential with rate μ − λ (Kleinrock, Queueing Systems, vol. 1, 1975, section 3.2).
  const [rate, p95] = [40, 0.8];
  const formula = rate + Math.log(0.05) / p95;
  expect(simulateCapacity(drawExponentialService, rate, { p95, errors: 0.01 }) / formula).toBeCloseTo(1, 1.5);
});

test.each(families)('%s: a target above what it takes is no PASS, and one below it no FAIL', async (_, family) => {
  expect(await askTargets(family, RUNS)).toMatchObject({
    falsePass: 0,
    ...((family.capacity(20) > 0 || family.soaks) && { falseFail: 0 }),
  });
});

test.each(
  families.filter(([name]) => ['works later', 'slows down', 'lossy', 'memory full', 'restarts'].includes(name)),
)('%s: a search finds what it takes', async (_, family) => expect((await assessSearches(family, RUNS)).within).toBe(1));

test.each(SOAKS)('a leak four times as fast as one that is too fast is a FAIL: %j', async (of) => {
  const plan = soakPlan(of);
  const sound = simulateMemory(1, plan.warmupSeconds + plan.stepSeconds);
  const leak = computeLeak(sound, plan, 4);
  expect((await soakVirtually((s) => sound(s) + leak * s, plan, 1)).verdict).toBe('FAIL');
});
