import { formatPercent } from '../../core/formats.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import type { StepRecord } from '../../model/step.js';
import { GENERATOR_CPU_SHARE } from '../inconclusive.js';
import { usageBetween } from '../../observe/usage.js';
import { databaseCandidates } from './database.js';
import { deathCandidates } from './death.js';
import { instanceCandidates } from './instance.js';
import { LIMIT_NAMES, type Limit, type LimitCandidate } from './limit.js';
import { machineCandidates } from './machine.js';
import { requestCandidates } from './requests.js';
import { slotCandidates } from './slots.js';

/** What limited a deployment. */
export interface Bottleneck {
  /** The most likely cause first; limits that were not reached follow, the fullest first. */
  candidates: LimitCandidate[];
  /** One sentence without a full stop: the first candidate, or that no measured limit was reached. */
  text: string;
}

/** The order of limits that were reached, after deaths: the generator first, because it spoils the measurement. */
const ORDER: Record<Exclude<Limit, 'task-runner' | 'probe' | 'crash'>, number> = {
  generator: 1,
  'database-connections': 1.5,
  slots: 2,
  'main-cpu': 3,
  'worker-cpu': 3,
  'webhook-cpu': 3,
  thread: 3,
  'machine-cpu': 3,
  database: 3,
  redis: 3,
  'event-loop': 4,
  requests: 4.5,
  heap: 5,
  memory: 6,
};

/** After deaths and the generator. */
const BROKE = 1.2;

/** A busy CPU or database explains connections that are all in use. */
const BUSY = new Set<Limit>(['main-cpu', 'worker-cpu', 'webhook-cpu', 'thread', 'machine-cpu', 'database']);

/**
 * Finds what limits a deployment in the steps that broke, most likely first.
 * @param steps the breaking step of a load, or all tries of it; the highest use of each limit counts
 * @param samples those of the run; only those within the steps are read. Without any, deaths, slots and generator remain
 * @param broke the limit by which the steps broke, where their verdict names one: if it was reached, it comes before what was
 *   merely busy
 */
export function findBottleneck(
  deployment: DeploymentRecord,
  steps: StepRecord[],
  samples: Sample[],
  broke?: Limit,
): Bottleneck {
  const fullest = new Map<string, LimitCandidate>();
  for (const candidate of steps.flatMap((step) => candidatesOfStep(deployment, step, samples))) {
    const key = `${candidate.limit} ${candidate.instance} ${candidate.event?.reason ?? candidate.event?.kind}`;
    const known = fullest.get(key);
    if (!known || candidate.share > known.share) fullest.set(key, candidate);
  }
  const candidates = ranked([...fullest.values()], broke, deployment.mode);
  return { candidates, text: conclusion(candidates[0]) };
}

function candidatesOfStep(deployment: DeploymentRecord, step: StepRecord, samples: Sample[]): LimitCandidate[] {
  const usage = usageBetween(samples, step.measuredFrom, step.measuredTo);
  const window = samples.filter((s) => s.at >= step.measuredFrom && s.at <= step.measuredTo);
  return [
    ...deathCandidates(deployment, step, samples),
    ...generator(step),
    ...slotCandidates(deployment, step, samples),
    ...requestCandidates(deployment, window),
    ...databaseCandidates(deployment, step, window),
    ...instanceCandidates(deployment, window, usage),
    ...machineCandidates(step, samples, usage),
  ];
}

function generator({ k6 }: StepRecord): LimitCandidate[] {
  if (k6.cpuShare === null) return [];
  const evidence = `k6 used ${formatPercent(k6.cpuShare)} of the machine's cores`;
  return [
    { limit: 'generator', evidence, share: Math.min(1, k6.cpuShare), reached: k6.cpuShare >= GENERATOR_CPU_SHARE },
  ];
}

const isBusy = (candidate: LimitCandidate, component: 'main' | 'worker'): boolean =>
  candidate.reached &&
  (candidate.limit === `${component}-cpu` || (candidate.limit === 'thread' && candidate.component === component));

/**
 * The slots of busy processes are full because of the CPU, so the CPU comes first. Slots of executions that wait for a
 * database connection are full because of the connections, and connections of a busy process because of its CPU.
 */
function ranked(
  candidates: LimitCandidate[],
  broke: Limit | undefined,
  mode: DeploymentRecord['mode'],
): LimitCandidate[] {
  const slots = candidates.find((c) => c.limit === 'slots' && c.reached);
  const isAnyBusy = candidates.some((c) => c.reached && BUSY.has(c.limit));
  const [executes, whose] = mode === 'queue' ? (['worker', "the workers'"] as const) : (['main', "main's"] as const);
  const ordered = candidates.map((c) => {
    if (slots && isBusy(c, executes)) {
      const evidence = `${slots.evidence}, and ${whose} CPU was at its limit: ${c.evidence}`;
      return { ...c, order: ORDER.slots - 0.5, evidence };
    }
    if (isAnyBusy && c.limit === 'database-connections') return { ...c, order: ORDER.database + 0.5 };
    if (c.limit === broke && !c.event) return { ...c, order: BROKE };
    return { ...c, order: c.event ? 0 : ORDER[c.limit as keyof typeof ORDER] };
  });
  return ordered
    .sort(
      (a, b) =>
        Number(b.reached) - Number(a.reached) ||
        (a.reached ? a.order - b.order : 0) ||
        (a.event ? 0 : b.share - a.share),
    )
    .map(({ order: _, ...candidate }) => candidate);
}

function conclusion(first: LimitCandidate | undefined): string {
  if (first?.reached) return `limited by ${LIMIT_NAMES[first.limit]}: ${first.evidence}`;
  const fullest = first
    ? `; the closest is ${LIMIT_NAMES[first.limit]}, ${formatPercent(first.share)} used: ${first.evidence}`
    : '';
  return `no measured limit was reached${fullest}`;
}
