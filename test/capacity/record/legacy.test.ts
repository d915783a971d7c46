import fc from 'fast-check';
import type { CustomWorkflow, RatePlan } from '../../../capacity/src/model/plan.js';
import { runSchema } from '../../../capacity/src/model/run.js';
import { stepSchema } from '../../../capacity/src/model/step.js';
import { outcomeSchema, sweepSchema } from '../../../capacity/src/features/sweep/record.js';
import { upgradeOutcome, upgradeRun, upgradeStep, upgradeSweep } from '../../../capacity/src/record/legacy.js';
import { goodStep, plan, regular, runRecord } from '../support/index.js';

const [LOAD] = plan().loads;
const CUSTOM: CustomWorkflow = {
  file: '/w/order.json',
  subWorkflows: [],
  id: 'abc',
  name: 'Order',
  path: '/webhook/order',
  method: 'POST',
  responseMode: 'onReceived',
  proof: 'status',
};
const AUTOSCALER = { component: 'worker', kind: 'HorizontalPodAutoscaler' } as const;

const sweepOf = (measure: unknown) => ({
  tool: 'n8n-capacity sweep',
  startedAt: '2026-11-20T12:00:00.000Z',
  plan: {
    name: 'workers',
    dimensions: { workers: [1, 2] },
    explore: 'front',
    holdSeconds: 60,
    prices: { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' },
    measure,
  },
  candidates: [],
  excluded: [],
});
const outcomeOf = (verdict: string) => ({
  ...{ id: '1-workers', purpose: 'measure', verdict, capacity: 0 },
  ...{ conclusion: '', loadSeconds: 60, seconds: 90 },
});

describe('a record of 0.1.0 is read as one of today', () => {
  test('run.json: the payload limit, a custom workflow, and autoscalers', () => {
    const old = {
      ...runRecord(),
      plan: {
        ...plan(),
        loads: [{ ...LOAD, own: CUSTOM }],
        rates: { kind: 'ceiling', concurrency: [1, 4], least: 16, most: 1024, rungs: [64, 128] },
      },
      deployment: { ...regular(), autoscalers: [{ ...AUTOSCALER, least: 1, most: 5 }] },
    };
    const today = runRecord({
      plan: plan({
        loads: [{ ...LOAD!, custom: CUSTOM }],
        rates: { kind: 'payload-limit', concurrency: [1, 4], minMiB: 16, maxMiB: 1024, rungs: [64, 128] },
      }),
      deployment: regular({ autoscalers: [{ ...AUTOSCALER, minReplicas: 1, maxReplicas: 5 }] }),
    });
    expect(runSchema.parse(upgradeRun(old))).toEqual(today);
    expect(runSchema.safeParse(old).success).toBe(false);
  });

  test('steps.ndjson: the payload', () => {
    expect(stepSchema.parse(upgradeStep({ ...goodStep(), mb: 64 }))).toEqual(goodStep({ payloadMiB: 64 }));
  });

  test('sweep.json: the plan of each configuration', () => {
    const old = { ...plan(), loads: [{ ...LOAD, own: CUSTOM }] };
    const { holdSeconds, ...others } = sweepOf(old).plan;
    const sweep = { ...sweepOf(old), plan: { ...others, soakSeconds: holdSeconds } };
    const { measure, holdSeconds: upgraded } = sweepSchema.parse(upgradeSweep(sweep)).plan;
    expect(upgraded).toBe(holdSeconds);
    expect(measure).toEqual(plan({ loads: [{ ...LOAD!, custom: CUSTOM }] }));
  });

  test('outcomes.ndjson: the hold of a sweep was called a soak', () => {
    expect(outcomeSchema.parse(upgradeOutcome({ ...outcomeOf('PASS'), purpose: 'soak' })).purpose).toBe('hold');
  });

  test('outcomes.ndjson: INVALID is INCONCLUSIVE', () => {
    expect(outcomeSchema.parse(upgradeOutcome(outcomeOf('INVALID'))).verdict).toBe('INCONCLUSIVE');
  });
});

describe('a record of today is left as it is', () => {
  const amount = fc.integer({ min: 1, max: 10_000 });
  const rates: fc.Arbitrary<RatePlan> = fc.oneof(
    fc.record({ kind: fc.constant('rates' as const), rates: fc.array(amount) }),
    fc.record({ kind: fc.constant('target' as const), rate: amount, headroom: amount }),
    fc.record({ kind: fc.constant('closed' as const), clients: amount }),
    fc.record({ kind: fc.constant('soak' as const), rate: amount, horizonSeconds: amount }),
    fc.record({
      kind: fc.constant('payload-limit' as const),
      concurrency: fc.array(amount),
      minMiB: amount,
      maxMiB: amount,
    }),
    fc.constant(plan().rates),
  );
  const load = fc.constantFrom(LOAD!, { ...LOAD!, custom: CUSTOM });
  const plans = fc.record({ rates, loads: fc.array(load, { minLength: 1, maxLength: 3 }) }).map(plan);
  const autoscaler = fc.record({ minReplicas: amount, maxReplicas: amount }).map((of) => ({ ...AUTOSCALER, ...of }));

  test('run.json and sweep.json', () => {
    fc.assert(
      fc.property(plans, fc.array(autoscaler), (of, autoscalers) => {
        const run = runRecord({ plan: of, deployment: regular({ autoscalers }) });
        expect(upgradeRun(run)).toEqual(run);
        expect(upgradeSweep(sweepOf(of))).toEqual(sweepOf(of));
      }),
    );
  });

  test('steps.ndjson and outcomes.ndjson', () => {
    fc.assert(
      fc.property(amount, fc.constantFrom('PASS', 'FAIL', 'INCONCLUSIVE'), (payloadMiB, verdict) => {
        for (const step of [goodStep(), goodStep({ payloadMiB })]) expect(upgradeStep(step)).toEqual(step);
        expect(upgradeOutcome(outcomeOf(verdict))).toEqual(outcomeOf(verdict));
      }),
    );
  });

  test('anything that is not a record', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const upgrade of [upgradeRun, upgradeStep, upgradeSweep, upgradeOutcome])
          expect(() => upgrade(value)).not.toThrow();
      }),
    );
  });
});
