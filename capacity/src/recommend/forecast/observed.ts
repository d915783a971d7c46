import { mean, sum } from 'simple-statistics';
import { judgeStep } from '../../judge/step.js';
import { isDisturbed } from '../../judge/tried.js';
import { isMeasuredSince } from '../../observe/usage.js';
import type { Component } from '../../model/events.js';
import type { Slo } from '../../model/plan.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { InstanceSample, Sample } from '../../model/sample.js';
import type { StepRecord } from '../../model/step.js';

/** The deployment's work in one step: sums over the instances of a component, means over the measured part. */
export interface ObservedStep {
  step: StepRecord;
  seconds: number;
  /** Executions that ended per second, as n8n counts them; requests answered per second if it does not count them. */
  rate: number;
  components: Map<Component, ObservedWork>;
  /** Executions in flight, by the mean of the backlog. */
  inFlight: number;
  /** Per second; undefined if they were not recorded. */
  transactions?: number;
  rowsWritten?: number;
  redisCommands?: number;
  /** Connections to PostgreSQL in use: the mean over n8n's processes together, and the most of one process' pool. */
  connections?: { mean: number; most: number; waited: boolean };
  /** Cores that k6 used if it shares the machine. */
  generatorCores?: number;
}

/** The work of all instances of one component, in cores. */
export interface ObservedWork {
  cores: number;
  /** Cores of their main threads; undefined if threads were not recorded. */
  threadCores?: number;
  /** Cores of the processes that they started, such as task runners. */
  childCores?: number;
  /** Bytes that one of them had in use at most; undefined if they were not recorded. */
  memoryBytes?: number;
}

/**
 * The steps of a load that show the cost of an execution. They are undisturbed and without events. They either did not fail, or
 * are closed-loop, whose clients ask for no more than is served.
 */
export const usableSteps = (steps: StepRecord[], slo: Slo): StepRecord[] =>
  steps.filter((step) => {
    const judged = judgeStep(step, slo);
    if (isDisturbed({ step, judged }) || step.events.length > 0) return false;
    return step.rate === undefined ? step.clients !== undefined : judged.verdict !== 'FAIL';
  });

/**
 * The deployment's work in a step; undefined if fewer than two samples lie in its measured part.
 * @param samples of the run; only those within the step are read
 */
export function observeStep(
  step: StepRecord,
  { instances }: DeploymentRecord,
  samples: Sample[],
): ObservedStep | undefined {
  const window = samples.filter((s) => s.at >= step.measuredFrom && s.at <= step.measuredTo);
  const [first, last] = [window[0], window.at(-1)];
  if (!first || !last || last.at <= first.at) return undefined;
  const per = ratesBetween(first, last);
  const ended = per(({ executions }) => executions && executions.succeeded + executions.failed);
  const transactions = per((s) => s.database?.transactions);
  const rowsWritten = per((s) => s.database?.rowsWritten);
  const redisCommands = per((s) => s.queue?.commands);
  const generatorCores = per((s) => s.generator?.cpuSeconds);
  return {
    step,
    seconds: (last.at - first.at) / 1000,
    rate: ended ?? (step.summary.answered * 1000) / (step.measuredTo - step.measuredFrom),
    components: new Map(
      [...new Set(instances.map((i) => i.component))].flatMap((component) => {
        const names = instances.filter((i) => i.component === component).map((i) => i.name);
        const work = measureWork(names, window, per, step.measuredFrom);
        return work ? [[component, work]] : [];
      }),
    ),
    inFlight: step.backlog.length === 0 ? 0 : Math.max(0, mean(step.backlog.map((b) => b.executions))),
    ...(transactions !== undefined && { transactions }),
    ...(rowsWritten !== undefined && { rowsWritten }),
    ...(redisCommands !== undefined && { redisCommands }),
    ...(generatorCores !== undefined && step.k6.place !== 'elsewhere' && { generatorCores }),
    ...usedConnections(window),
  };
}

type ReadRate = (of: (sample: Sample) => number | undefined) => number | undefined;

/** Reads the increase of a counter per second between two samples; undefined if it is missing or was reset. */
function ratesBetween(first: Sample, last: Sample): ReadRate {
  const seconds = (last.at - first.at) / 1000;
  return (of) => {
    const [before, after] = [of(first), of(last)];
    return before === undefined || after === undefined || after < before ? undefined : (after - before) / seconds;
  };
}

function measureWork(names: string[], window: Sample[], per: ReadRate, from: number): ObservedWork | undefined {
  const summed = (of: (i: InstanceSample) => number | undefined): number | undefined => {
    const each = names.map((name) => per((s) => readInstance(s, name, of)));
    return each.some((v) => v === undefined) ? undefined : sum(each as number[]);
  };
  const cores = summed((i) => i.cpuSeconds);
  if (cores === undefined) return undefined;
  const threadCores = summed((i) => i.threadCpuSeconds);
  const ownCores = summed((i) => i.ownCpuSeconds);
  const memory = window
    .flatMap((s) => s.instances.filter((i) => names.includes(i.name) && isMeasuredSince(i, from)))
    .flatMap((i) => i.workingSetBytes ?? []);
  return {
    cores,
    ...(threadCores !== undefined && { threadCores }),
    ...(ownCores !== undefined && { childCores: Math.max(0, cores - ownCores) }),
    ...(memory.length > 0 && { memoryBytes: memory.reduce((a, b) => Math.max(a, b)) }),
  };
}

function readInstance(sample: Sample, name: string, of: (i: InstanceSample) => number | undefined): number | undefined {
  const instance = sample.instances.find((i) => i.name === name && i.processes > 0);
  return instance && of(instance);
}

/** Connections in use, by n8n's own pools (since 2.30), else by PostgreSQL. */
function usedConnections(window: Sample[]): Pick<ObservedStep, 'connections'> {
  if (window.every((s) => s.database === undefined)) return {};
  const pools = window.map((s) => s.instances.flatMap((i) => i.pool ?? []));
  const most = Math.max(0, ...pools.flat().map((p) => p.active));
  const waited = pools.flat().some((p) => p.pending > 0);
  const used = window.flatMap(({ database }) =>
    database ? [database.connections.active + database.connections.inTransaction] : [],
  );
  return { connections: { mean: mean(used), most, waited } };
}
