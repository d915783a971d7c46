import { FAMILIES } from '../../../../bench/truth/families.js';
import { MEMORY_BYTES } from '../../../../bench/truth/virtual-step.js';
import { computeLeak, simulateMemory, soakVirtually } from '../../../../bench/truth/leak.js';
import { planFor, validateVirtually } from '../../../../bench/truth/run.js';
import { judgeConfirm } from '../../../../capacity/src/features/confirm/conclude.js';
import { planRun } from '../../../../capacity/src/features/confirm/plan.js';
import type { Verdict } from '../../../../capacity/src/model/verdict.js';
import { claimSeconds, TARGET_SECONDS } from '../../../../capacity/src/plan/rates.js';
import { seededRandom } from '../../../../capacity/src/stats/random.js';
import { record, shown, soak } from './support.js';

const SCALE = 40;
const MIB = 2 ** 20;
const HORIZON_SECONDS = 3600;
const GOOD = ['held', 'held'] as ['held', 'held'];
const families = FAMILIES.filter((f) =>
  ['exponential', 'deterministic', 'heavy-tailed'].some((name) => f.name.includes(name)),
).map((family) => [family.name, family] as const);

/** The verdict on three simulated deployments, the soak aside. */
async function verdictAt(family: (typeof FAMILIES)[number], rate: number, seed: number): Promise<Verdict> {
  const base = planFor(family.slo, { target: `${rate}/s`, headroom: '1' });
  const plan = { ...base, overload: false, stepSeconds: claimSeconds(rate / 1.3, family.slo, TARGET_SECONDS) };
  const asked = record({ rates: [{ load: 'webhook-ack', target: rate / 1.3, withHeadroom: rate }], plan });
  const deployments = [1, 2, 3].map(async (deployment) => {
    const run = planRun(asked, { load: 'webhook-ack', deployment });
    const { steps } = await validateVirtually(family, SCALE, run, 10 * seed + deployment);
    return { load: 'webhook-ack', deployment, steps };
  });
  return judgeConfirm(asked, { deployments: await Promise.all(deployments), soaks: [soak('PASS')] }).verdict;
}

test('there is something to ask', () => expect(families.length).toBeGreaterThanOrEqual(2));

test.each(families)(
  '%s: 10 %% above the true capacity nothing is confirmed, 15 %% below it nothing fails',
  async (_, family) => {
    const truth = family.capacity(SCALE);
    expect(await verdictAt(family, truth * 1.1, 1)).not.toBe('PASS');
    expect(await verdictAt(family, truth / 1.15, 1)).not.toBe('FAIL');
  },
);

test('the soak of 15 minutes passes deployments without a leak, and none that fills its memory within its horizon', async () => {
  const asked = record({ plan: { ...planFor(record().plan.slo), rates: record().plan.rates } });
  const plan = planRun(asked, { load: 'webhook-ack' });
  const verdictOf = async (leak: number, seed: number) => {
    const memory = simulateMemory(seed, plan.warmupSeconds + plan.stepSeconds);
    const of = leak * computeLeak(memory, plan, 1.1);
    const verdict = await soakVirtually((s) => memory(s) + of * s, plan, seed);
    return judgeConfirm(asked, shown([GOOD, GOOD, GOOD], [{ load: 'webhook-ack', seconds: 900, verdict }])).verdict;
  };
  const seeds = Array.from({ length: 4 }, (_, i) => i + 1);
  const sound = await Promise.all(seeds.map((seed) => verdictOf(0, seed)));
  const leaking = await Promise.all(seeds.map((seed) => verdictOf(1, seed)));
  expect(leaking).not.toContain('PASS');
  expect(sound).not.toContain('FAIL');
  expect(sound.filter((v) => v === 'PASS').length).toBeGreaterThanOrEqual(3);
});

test.each([0.55, 0.65, 0.75, 0.8])(
  'growth that begins after %f of the soak is not passed if it fills the memory within the horizon',
  async (share) => {
    const asked = record({ plan: { ...planFor(record().plan.slo), rates: record().plan.rates } });
    const plan = planRun(asked, { load: 'webhook-ack' });
    const start = plan.warmupSeconds + share * plan.stepSeconds;
    const verdicts = await Promise.all(
      [1, 2, 3, 4].map(async (seed) => {
        const random = seededRandom(seed);
        const sound = () => MIB * (700 + 5 * random.uniform());
        // From the end of the soak it takes half of the horizon.
        const leak = (2 * (0.9 * MEMORY_BYTES - 705 * MIB)) / HORIZON_SECONDS;
        const memory = (s: number) => sound() + leak * Math.max(0, s - start);
        const verdict = await soakVirtually(memory, plan, seed);
        return judgeConfirm(asked, shown([GOOD, GOOD, GOOD], [{ load: 'webhook-ack', seconds: 900, verdict }])).verdict;
      }),
    );
    expect(verdicts).toEqual(Array(4).fill('INCONCLUSIVE'));
  },
);
