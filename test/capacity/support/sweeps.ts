import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { RunRecord } from '../../../capacity/src/model/run.js';
import type { SweepOutcome, SweepCandidate, SweepRecord } from '../../../capacity/src/features/sweep/record.js';
import type { DimensionValue } from '../../../capacity/src/model/dimensions.js';
import { computeCost } from '../../../capacity/src/judge/cost.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { uslRate } from '../../../capacity/src/stats/scalability.js';
import { listConfigurations } from '../../../capacity/src/features/sweep/plan/configurations.js';
import type { RatePlan } from '../../../capacity/src/model/plan.js';
import type { SweepReport, SweepRun } from '../../../capacity/src/features/sweep/report/facts.js';
import { judgeSweep } from '../../../capacity/src/features/sweep/conclude.js';
import { confidenceInSweep } from '../../../capacity/src/features/sweep/report.js';
import { buildQueueRun, step } from './queue-run.js';
import { instance } from './runs.js';

type Values = Record<string, DimensionValue>;

const PRICES = { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' };
const SEARCH: RatePlan = { kind: 'search', start: 2, factor: 2, precision: 0.1, maxSteps: 14, lowest: 0.1 };

/** The capacity of a deployment with these values, if it follows the Universal Scalability Law. */
const simulatedCapacity = ({ workers = 1, concurrency = 10, cpu = '1' }: Values): number =>
  uslRate({ lambda: 22, sigma: 0.06, kappa: 0.004 }, Number(workers)) *
  (cpu === '500m' ? 0.6 : 1) *
  (concurrency === 5 ? 0.8 : 1);

/** The pods of a configuration, and the amounts whose increase never reduces the capacity. */
interface Pods {
  pods: number;
  cpuMillis: number;
  memoryMiB: number;
  amounts: Record<string, number>;
}

/** The record of a sweep whose configurations the chart accepts. */
export function buildSweepRecord({
  name,
  dimensions,
  measure,
  target,
  podsOf,
}: Pick<SweepRecord['plan'], 'name' | 'dimensions' | 'measure'> &
  Pick<SweepRecord, 'target'> & { podsOf: (values: Values) => Pods }): SweepRecord {
  return {
    tool: 'n8n-capacity sweep',
    startedAt: '2026-11-20T12:00:00.000Z',
    plan: { name, dimensions, explore: 'front', holdSeconds: 60, prices: PRICES, measure },
    conditions: { values: 'a', n8n: ['2.41.1'], machine: '2 × any' },
    ...(target !== undefined && { target }),
    candidates: listConfigurations(dimensions).map((configuration): SweepCandidate => {
      const { pods, cpuMillis, memoryMiB, amounts } = podsOf(configuration.values);
      const instances = Array.from({ length: pods }, (_, i) => instance(`worker-${i}`, 'worker', cpuMillis, memoryMiB));
      const { concurrency = '' } = configuration.values;
      return { ...configuration, cost: computeCost({ instances }, PRICES), amounts, kind: String(concurrency) };
    }),
    excluded: [],
  };
}

/** A sweep over workers of 1 GiB. */
function buildRecord(dimensions: Record<string, DimensionValue[]>, rates: RatePlan, target?: number): SweepRecord {
  const { plan } = buildQueueRun();
  const record = buildSweepRecord({
    name: 'right-size',
    dimensions,
    measure: { ...plan, rates },
    target,
    podsOf: ({ workers = 1, cpu }) => ({
      pods: Number(workers),
      cpuMillis: cpu === '500m' ? 500 : 1000,
      memoryMiB: 1024,
      amounts: { workers: Number(workers), cpu: cpu === '500m' ? 0.5 : 1 },
    }),
  });
  return { ...record, plan: { ...record.plan, question: 'How many workers, and how large, for webhook-wait?' } };
}

/** A run of these steps as it would be recorded for a configuration. */
function buildRun(record: SweepRecord, id: string, steps: StepRecord[]): SweepRun {
  const run: RunRecord = { ...buildQueueRun(), plan: record.plan.measure };
  const [load] = judgeSteps(run.plan, steps).loads;
  return { run, load: load!, report: `runs/${id}/report.html` };
}

/** Steps that double the rate until one fails, then a step at the capacity. */
function buildSearchSteps(capacity: number): StepRecord[] {
  const rates: number[] = [];
  for (let rate = 2; rate < capacity; rate *= 2) rates.push(rate);
  const held = [...rates, capacity].map((rate, index) =>
    step({ index, rate, p95: 0.03 + 0.4 * (rate / capacity) ** 3 }),
  );
  return [...held, step({ index: held.length, rate: capacity * 1.1, p95: 2.1 })];
}

function buildReport(record: SweepRecord, outcomes: SweepOutcome[], runs: Map<string, SweepRun>): SweepReport {
  const { cheapestId, ...judged } = judgeSweep(record, outcomes);
  const cheapest = cheapestId && { id: cheapestId, values: 'values.held.yaml' };
  const confidence = confidenceInSweep(runs);
  return {
    record,
    conclusion: { ...judged, ...(cheapest && { cheapest }), ...(confidence && { confidence }) },
    runs,
  };
}

/** A sweep without a target: workers × concurrency × CPU. One run stopped early, one did not start and three are open. */
export function buildSearchSweep(): SweepReport {
  const dimensions = { workers: [1, 2, 4, 8], concurrency: [5, 10, 20], cpu: ['500m', '1'] };
  const excluded = listConfigurations(dimensions).at(-1)!;
  const reason =
    'the chart refuses these values:\nworker.concurrency: 8 workers × 20 connections are more than max_connections (100)';
  const whole = buildRecord(dimensions, SEARCH);
  const record = {
    ...whole,
    candidates: whole.candidates.filter((c) => c.id !== excluded.id),
    excluded: [{ ...excluded, reason }],
  };
  const runs = new Map<string, SweepRun>();
  const outcomes = record.candidates.slice(0, 20).map(({ id, values }, i): SweepOutcome => {
    const isDown = i === 3;
    const challenge = i === 14 ? 60 : undefined;
    const capacity = isDown ? 0 : Number(simulatedCapacity(values).toPrecision(3));
    const run = buildRun(record, id, buildSearchSteps(capacity));
    if (!isDown) runs.set(id, run);
    return {
      id,
      purpose: 'measure',
      verdict: isDown ? 'FAIL' : 'PASS',
      capacity,
      conclusion: isDown ? 'n8n-tuned-worker-0 is not ready after 120 s' : run.load.conclusion,
      ...(challenge && { challenge }),
      loadSeconds: 90,
      seconds: 120,
    };
  });
  return buildReport(record, outcomes, runs);
}

/** A sweep with a target of 30/s: it finds, confirms and recommends the cheapest configuration that meets it. */
export function buildTargetSweep(): SweepReport {
  const target = 39;
  const dimensions = { workers: [1, 2, 4, 8], cpu: ['500m', '1'] };
  const record = buildRecord(dimensions, { kind: 'target', rate: 30, headroom: 1.3 }, target);
  const runs = new Map<string, SweepRun>();
  const outcomes = record.candidates.slice(0, 6).map(({ id, values }): SweepOutcome => {
    const meets = simulatedCapacity(values) >= target;
    const p95 = meets ? 0.05 + (0.5 * target) / simulatedCapacity(values) : 2.6;
    runs.set(id, buildRun(record, id, [step({ rate: target, p95 })]));
    const { conclusion, verdict } = runs.get(id)!.load;
    const capacity = verdict === 'PASS' ? target : 0;
    return {
      id,
      purpose: 'measure',
      verdict: verdict as SweepOutcome['verdict'],
      capacity,
      conclusion,
      loadSeconds: 13,
      seconds: 30,
    };
  });
  const cheapest = outcomes.find((o) => o.verdict === 'PASS')!;
  return buildReport(record, [...outcomes, { ...cheapest, purpose: 'hold' }], runs);
}

/** A sweep with a single dimension and no measurement. Its names and reasons contain markup. */
export function buildHostileSweep(): SweepReport {
  const markup = '<img src=x onerror=alert(1)>"\'</script><script>alert(2)</script>';
  const record = buildRecord({ [markup]: [markup, 'plain'] }, SEARCH);
  record.plan.name = markup;
  record.plan.question = markup;
  record.plan.prices = { ...PRICES, currency: markup };
  record.plan.measure = { ...record.plan.measure, values: { files: [markup], set: [`a.password=secret`] } };
  const [first] = record.candidates;
  const outcome: SweepOutcome = {
    id: first!.id,
    purpose: 'measure',
    verdict: 'FAIL',
    capacity: 0,
    conclusion: markup,
    loadSeconds: 0,
    seconds: 1,
  };
  return buildReport(record, [outcome], new Map());
}
