import { sum } from 'simple-statistics';
import { meanSeconds } from '../../judge/bounds.js';
import type { Component } from '../../model/events.js';
import type { LoadPlan } from '../../model/plan.js';
import type { Sample } from '../../model/sample.js';
import type { StepRecord } from '../../model/step.js';
import { Z95 } from '../../stats/intervals.js';
import type { Line } from '../../stats/linear.js';
import { frontOf, recordedArrangement, runnerOf, type Arrangement, type Deployed } from './arrangement.js';
import { fitCosts, LEAST_RATES, type ComponentCost, type Costs } from './cost.js';
import { observeStep, type ObservedStep } from './observed.js';

/** The work that an execution of a load asks of a deployment, from the steps below its limit. */
export interface LoadProfile {
  costs: Costs;
  /** The deployment that it was recorded with. */
  recorded: Arrangement;
  steps: ObservedStep[];
  /** Seconds of one execution's work that cannot be spread over cores, by component. */
  serial: Map<Component, Serial>;
  /** Seconds of an execution that need no CPU: its service time, and the part of the measured latency that is not work. */
  waitSeconds: number;
  /** Seconds to add to a simulated time from arrival to answer to get the overhead. Negative if that time includes the service time. */
  besideOverhead: number;
  /** Coefficient of variation of an execution's work. */
  variation: number;
  /** Whether the caller has its answer before the work is done. */
  answersEarly: boolean;
  /** Requests that each process that takes webhooks admits at once; undefined without the chart's overload protection. */
  maxRequests?: number;
}

/** Work that cannot be spread over cores. */
export interface Serial {
  /** Seconds of the main thread. */
  thread: number;
  /** Seconds of the processes that it starts, such as the task runner. */
  child: number;
  /** `recorded`: the thread's own CPU time. `bounded`: threads were not recorded; the work is at most this. */
  source: 'recorded' | 'bounded';
}

/** Seconds of work below which no station is simulated. */
const NEGLIGIBLE_SECONDS = 1e-5;
/** Largest coefficient of variation. Work varies with the size of its input; a larger spread in the record is queueing. */
const MOST_VARIATION = 2;

/**
 * Builds the profile of a load from its usable steps.
 * @returns undefined if fewer than `leastRates` different rates were observed. Also if a component that takes webhooks or runs
 *   executions was not observed, as in an n8n whose metrics cannot be read
 */
export function buildProfile(
  run: Deployed,
  load: LoadPlan,
  steps: StepRecord[],
  samples: Sample[],
  leastRates = LEAST_RATES,
): LoadProfile | undefined {
  const recorded = recordedArrangement(run);
  const observed = steps.flatMap((step) => observeStep(step, run.deployment, samples) ?? []);
  const costs = fitCosts(observed, (component) => recorded.components.get(component)!.replicas, leastRates);
  if (!costs || [frontOf(recorded), runnerOf(recorded)].some((c) => !costs.components.has(c))) return undefined;
  const service = meanSeconds(load, load.serviceSeconds);
  const execution = meanSeconds(load, load.executionSeconds);
  const answersEarly = execution > service;
  const quickest = observed.filter((s) => s.step.summary.latency).sort((a, b) => p50Of(a) - p50Of(b))[0];
  const bound = quickest ? p50Of(quickest) : Infinity;
  const components = [...costs.components];
  const serial = new Map(components.map(([c, cost]) => [c, serialWork(c, cost, answersEarly ? Infinity : bound)]));
  const inAnswer = answersEarly ? [frontOf(recorded)] : componentsOnPath(recorded);
  const work = sum(inAnswer.map((c) => (serial.get(c)?.thread ?? 0) + (serial.get(c)?.child ?? 0)));
  const otherSeconds = quickest ? Math.max(0, bound - work) : 0;
  return {
    costs,
    recorded,
    steps: observed,
    serial,
    waitSeconds: answersEarly ? execution : service + otherSeconds,
    besideOverhead: answersEarly ? otherSeconds : -service,
    variation: quickest ? estimateVariation(quickest, work) : 1,
    answersEarly,
    ...readRequestLimit(samples, frontOf(recorded)),
  };
}

/** The limit of requests in the last sample that has one. A sample may have failed, and the last may be of an n8n that died. */
function readRequestLimit(samples: Sample[], front: Component): Pick<LoadProfile, 'maxRequests'> {
  const looks = samples.flatMap((s) => s.instances.filter((i) => (i.component ?? front) === front));
  const admission = looks.findLast((i) => i.admission)?.admission;
  return admission ? { maxRequests: admission.limit } : {};
}

const p50Of = ({ step }: ObservedStep): number => step.summary.latency!.p50;

/** The components that work on an execution before its answer. */
export const componentsOnPath = (arrangement: Arrangement): Component[] => [
  ...new Set<Component>([frontOf(arrangement), 'redis', runnerOf(arrangement), 'postgresql']),
];

/** Serial work of a component. Without threads in the record, its CPU time and the latency of an idle n8n bound the thread's work. */
function serialWork(component: Component, { cpu, thread, child }: ComponentCost, bound: number): Serial {
  const [all, ofChild] = [cpu.slope, component === 'postgresql' || component === 'redis' ? 0 : (child?.slope ?? 0)];
  if (component === 'postgresql' || component === 'redis')
    return { thread: dropNegligible(all), child: 0, source: component === 'redis' ? 'recorded' : 'bounded' };
  if (thread) return { thread: dropNegligible(thread.slope), child: dropNegligible(ofChild), source: 'recorded' };
  return { thread: dropNegligible(Math.min(all - ofChild, bound)), child: dropNegligible(ofChild), source: 'bounded' };
}

const dropNegligible = (seconds: number): number => (seconds > NEGLIGIBLE_SECONDS ? seconds : 0);

/** Coefficient of variation of a lognormal, from the percentiles of an almost idle deployment. Time above the median is work. */
function estimateVariation({ step }: ObservedStep, work: number): number {
  const { p50, p95 } = step.summary.latency!;
  if (work === 0) return 1;
  const sigma = Math.log((p95 - p50 + work) / work) / Z95;
  return Math.min(MOST_VARIATION, Math.sqrt(Math.exp(sigma ** 2) - 1));
}

/** The profile with the time of all work multiplied by a factor. */
export function scaleWork(profile: LoadProfile, factor: number): LoadProfile {
  const of = (line: Line): Line => ({ ...line, slope: line.slope * factor });
  const components = [...profile.costs.components].map(
    ([c, { cpu, thread, child, memory }]): [Component, ComponentCost] => [
      c,
      {
        cpu: of(cpu),
        ...(thread && { thread: of(thread) }),
        ...(child && { child: of(child) }),
        ...(memory && { memory }),
      },
    ],
  );
  const serial = [...profile.serial].map(([c, s]): [Component, Serial] => [
    c,
    { ...s, thread: s.thread * factor, child: s.child * factor },
  ]);
  return { ...profile, costs: { ...profile.costs, components: new Map(components) }, serial: new Map(serial) };
}
