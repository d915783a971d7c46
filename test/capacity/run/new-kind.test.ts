import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { judgeRun } from '../../../capacity/src/judge/run.js';
import { concludeRates } from '../../../capacity/src/judge/conclusion.js';
import { JUDGE_PROFILES } from '../../../capacity/src/judge/profiles/profiles.js';
import type { Kind, Plan, RatePlan } from '../../../capacity/src/model/plan.js';
import { describeRates, KINDS, planSteps, targetRate, toolOf } from '../../../capacity/src/plan/kinds.js';
import { redactedPlan } from '../../../capacity/src/plan/redact.js';
import { askedRate } from '../../../capacity/src/recommend/asked.js';
import { renderHtml } from '../../../capacity/src/report/html/page.js';
import { runAsJunit } from '../../../capacity/src/report/junit.js';
import type { StepAt, StepContext } from '../../../capacity/src/run/context.js';
import { expectedSeconds } from '../../../capacity/src/run/expected-time.js';
import { notesOn } from '../../../capacity/src/run/notes.js';
import { overloadAfter } from '../../../capacity/src/run/overload.js';
import { DRIVE_PROFILES, driveProfileOf } from '../../../capacity/src/run/profiles/profiles.js';
import { buildGoodStep, buildPassingRun, buildPlan } from '../support/index.js';

/**
 * docs/architecture.md says what a new kind of run takes: an entry in `plan/kinds.ts`, and a file in each of `run/profiles/` and
 * `judge/profiles/`. Here one is added, and nothing else knows of it.
 */

const PULSES = { kind: 'pulses', rate: 20, pulses: 3 };
const KIND = PULSES.kind as Kind;
type Table = Record<string, unknown>;

beforeAll(() => {
  (KINDS as Table)[KIND] = {
    tool: 'pulse',
    describe: ({ rate, pulses }: typeof PULSES) => `${pulses} pulses of ${rate}/s`,
    target: ({ rate }: typeof PULSES) => rate,
    seconds: ({ pulses }: typeof PULSES, stepSeconds: number) => pulses * stepSeconds,
    notSteady: 'a row of pulses',
  };
  (DRIVE_PROFILES as Table)[KIND] = {
    async drive({ take }: { take: (at: StepAt) => Promise<unknown> }, { rate, pulses }: typeof PULSES) {
      for (let pulse = 0; pulse < pulses; pulse++) await take({ rate });
    },
  };
  (JUDGE_PROFILES as Table)[KIND] = {
    conclude: ({ rate }: typeof PULSES, steps: never, found: never) => concludeRates(rate, steps, found),
  };
});
afterAll(() => {
  for (const table of [KINDS, DRIVE_PROFILES, JUDGE_PROFILES]) delete (table as Table)[KIND];
});

const rates = PULSES as unknown as RatePlan;
const run = () => {
  const recorded = buildPassingRun();
  const steps = [0, 1, 2].map((index) => buildGoodStep({ index, rate: 20, load: recorded.run.plan.loads[0]!.name }));
  const plan: Plan = { ...recorded.run.plan, loads: recorded.run.plan.loads.slice(0, 1), rates, overload: false };
  return { ...recorded, run: { ...recorded.run, plan }, steps };
};

test('a new kind is described, planned and timed by its entry', () => {
  expect([toolOf(rates), describeRates(rates), targetRate(rates)]).toEqual(['pulse', '3 pulses of 20/s', 20]);
  const request = { slo: buildPlan().slo, named: String };
  expect(planSteps(rates, { ...request, stepSeconds: 7 })).toEqual({ rates, stepSeconds: 7 });
  const [longer, shorter] = [30, 10].map((stepSeconds) => expectedSeconds(buildPlan({ rates, stepSeconds })));
  expect(longer! - shorter!).toBe(60);
  expect(notesOn(buildPlan({ rates }), run().run.deployment)).toEqual([]);
});

test('a new kind is driven by its profile, without an overload', async () => {
  const asked: StepAt[] = [];
  const take = (at: StepAt) => Promise.resolve(buildGoodStep()).finally(() => asked.push(at));
  const context = { plan: buildPlan({ rates }), progress: terminalProgress(true) } as unknown as StepContext;
  await driveProfileOf(rates).drive({ context, load: context.plan.loads[0]!, earlier: [], take }, rates);
  expect(asked).toEqual([{ rate: 20 }, { rate: 20 }, { rate: 20 }]);
  const { steps } = run();
  expect(overloadAfter(context.plan, context.plan.loads[0]!, steps)).toBeUndefined();
});

test('a new kind is judged by its profile and reported as every other, and its entry keeps values from being derived', async () => {
  const recorded = run();
  const verdict = judgeRun(recorded);
  expect(verdict.verdict).toBe('PASS');
  expect(await renderHtml(recorded, verdict)).toContain('3 pulses of 20/s');
  expect(runAsJunit(verdict, recorded.run.plan.slo)).toContain('failures="0"');
  expect(JSON.stringify(redactedPlan(recorded.run.plan))).toContain('"pulses":3');
  expect(() => askedRate({ target: '20/s' }, rates)).toThrow('a row of pulses');
});
