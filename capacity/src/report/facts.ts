import { format, percent } from '../../core/formats.js';
import type { StepRecord } from '../../model/step.js';
import type { RunRecord } from '../../model/run.js';
import type { InstanceEvent } from '../../model/events.js';
import type { InstanceSample, Sample } from '../../model/sample.js';
import type { JudgedStep, LoadVerdict } from '../../model/verdict.js';
import { clientBound, slotBound, type Bound } from '../../judge/bounds.js';
import { upperBound95 } from '../../stats/intervals.js';
import type { LoadPlan } from '../../model/plan.js';
import type { RecordedRun } from '../../record/recorder.js';

/** Rates of the measured part of a step, per second. */
export interface Throughput {
  offered: number;
  /** Of the requests sent in the measured part, those that were answered, however late. */
  answered: number;
  /** Executions that ended within the measured part, by n8n's count; absent when it could not be read. */
  completed?: number;
}

/** The count must be seen over this share of the measured part to give a rate. */
const LEAST_SEEN = 0.5;

/**
 * What a step offered, answered and completed per second.
 * The executions of a step's record include its warm-up and its drain, so the rate comes from the samples of the measured part.
 */
export function throughput(step: StepRecord, samples: Sample[]): Throughput {
  const seconds = (step.measuredTo - step.measuredFrom) / 1000;
  const seen = samples.filter((s) => s.executions && s.at >= step.measuredFrom && s.at <= step.measuredTo);
  const [first, last] = [seen[0], seen.at(-1)];
  const span = first && last ? (last.at - first.at) / 1000 : 0;
  const ended = (s: Sample) => s.executions!.succeeded + s.executions!.failed;
  return {
    offered: step.summary.offered / seconds,
    answered: step.summary.answered / seconds,
    ...(span > 0 && span >= LEAST_SEEN * seconds && { completed: (ended(last!) - ended(first!)) / span }),
  };
}

/** `20/s`, `8 clients`, or the rates of a burst. */
export function arrivals({ rate, phases, clients }: StepRecord): string {
  if (phases) return phases.map((phase) => `${format(phase.rate)}/s`).join(', ');
  return rate === undefined ? `${clients} clients` : `${format(rate)}/s`;
}

/** The step that says most of a load: the last at its capacity, else at the lowest rate that broke, else the last. */
export function decidingStep(load: LoadVerdict): JudgedStep | undefined {
  const at = (rate: number | undefined) =>
    rate === undefined
      ? undefined
      : load.steps.filter((s) => s.step.rate === rate && s.judged.verdict !== 'INCONCLUSIVE').at(-1);
  return at(load.capacity) ?? at(load.broken) ?? load.steps.at(-1);
}

/** What a step's sample allows to say of its errors. */
export function errorClaim({ summary }: StepRecord, allowed: number): string {
  const requests = summary.answered + summary.failed;
  if (requests === 0) return 'no request ended: nothing can be claimed';
  const bound = upperBound95(summary.failed, requests);
  const short =
    summary.failed / requests <= allowed && bound > allowed
      ? `, more than the ${percent(allowed)} of the SLO: a longer step could claim less`
      : '';
  return `${summary.failed} of ${requests} requests failed: at most ${percent(bound)} at 95 % confidence${short}`;
}

/** What arithmetic allows at most: slots over the execution time, or clients over the service time. */
export function arithmeticBound(plan: LoadPlan, run: RunRecord): Bound | undefined {
  if (run.plan.rates.kind === 'closed') return clientBound(run.plan.rates.clients, mean(plan, plan.serviceSeconds));
  return run.deployment.slots === undefined
    ? undefined
    : slotBound(run.deployment.slots, mean(plan, plan.executionSeconds));
}

/** Weighted mean over the parts of a mix, with three significant digits. */
function mean(plan: LoadPlan, seconds: Record<string, number>): number {
  const weight = plan.parts.reduce((sum, p) => sum + p.weight, 0);
  return Number(
    (plan.parts.reduce((sum, p) => sum + p.weight * (seconds[p.workload] ?? 0), 0) / weight).toPrecision(3),
  );
}

/** One process's use over the run; `undefined` where it was down or its count began anew. */
export interface InstanceSeries {
  /** Seconds since the first sample, and values. */
  rssMiB: [number, number | null][];
  heapMiB: [number, number | null][];
  cores: [number, number | null][];
}

const MIB = 2 ** 20;
/** Samples bear the time at which the slowest answer came; two that are closer give no rate. */
const LEAST_SPAN_MS = 500;

/** Memory and CPU of an instance over time. A restart leaves a gap: a new process counts its CPU from 0. */
export function instanceSeries(name: string, samples: Sample[], origin: number): InstanceSeries {
  const series: InstanceSeries = { rssMiB: [], heapMiB: [], cores: [] };
  let before: { at: number; sample: InstanceSample } | undefined;
  for (const { at, instances } of samples) {
    const sample = instances.find((i) => i.name === name && i.processes > 0);
    const second = Number(((at - origin) / 1000).toFixed(1));
    series.rssMiB.push([second, sample ? rounded(sample.rssBytes / MIB) : null]);
    series.heapMiB.push([second, sample?.heapUsedBytes === undefined ? null : rounded(sample.heapUsedBytes / MIB)]);
    if (before && sample && at - before.at < LEAST_SPAN_MS) continue;
    series.cores.push([second, coresBetween(before, sample && { at, sample })]);
    before = sample && { at, sample };
  }
  return series;
}

function coresBetween(
  before: { at: number; sample: InstanceSample } | undefined,
  now: { at: number; sample: InstanceSample } | undefined,
): number | null {
  if (!before || !now || now.at <= before.at || now.sample.cpuSeconds < before.sample.cpuSeconds) return null;
  return Number(((now.sample.cpuSeconds - before.sample.cpuSeconds) / ((now.at - before.at) / 1000)).toFixed(3));
}

const rounded = (mib: number): number => Number(mib.toFixed(1));

/** The values of a series that are there. */
export const present = (points: [number, number | null][]): number[] => points.flatMap(([, value]) => value ?? []);

/** The largest value, `least` when there is none; of any number of values, which the arguments of Math.max are not. */
export const most = (values: number[], least = 0): number => values.reduce((a, b) => Math.max(a, b), least);

/** When the plots over time begin, in milliseconds since the epoch. */
export const originOf = (run: RecordedRun): number => run.samples[0]?.at ?? run.steps[0]?.measuredFrom ?? 0;

/** What an event is called where there is room for a word. */
export const eventWord = (event: InstanceEvent): string => event.reason ?? event.kind;

/** Everything that happened to the deployment: a run that was cut off has its events in the steps alone. */
export function eventsOf(run: RecordedRun): InstanceEvent[] {
  return run.events.length > 0 ? run.events : run.steps.flatMap((s) => s.events);
}
