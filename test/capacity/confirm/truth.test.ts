import { FAMILIES } from '../../../bench/truth/families.js';
import { leakFor, memoryOf, soakVirtually } from '../../../bench/truth/leak.js';
import { planFor, validateVirtually } from '../../../bench/truth/run.js';
import { judgeConfirm } from '../../../capacity/src/confirm/conclude.js';
import { planOfRun } from '../../../capacity/src/confirm/plan.js';
import type { Verdict } from '../../../capacity/src/model/verdict.js';
import { claimSeconds, TARGET_SECONDS } from '../../../capacity/src/plan/rates.js';
import { record, shown, soak } from './support.js';

const SCALE = 40;
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
    const run = planOfRun(asked, { load: 'webhook-ack', deployment });
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
  const plan = planOfRun(asked, { load: 'webhook-ack' });
  const verdictOf = async (leak: number, seed: number) => {
    const memory = memoryOf(seed, plan.warmupSeconds + plan.stepSeconds);
    const of = leak * leakFor(memory, plan, 1.1);
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
