import {
  concludePayloads,
  throughput,
  computeCost,
  DEFAULT_PRICES,
  judgeOverload,
  judgeTries,
  payloadRange,
  type RatesOf,
  type RecordedRun,
  type StepRecord,
} from 'n8n-capacity';
import { mean } from 'simple-statistics';
import type { CellRecord, LoadFigures, Machine } from '../record/schema.js';
import type { Cell } from '../spec/cells.js';
import type { WatchedProcesses } from './process-watch.js';

const MIB = 2 ** 20;

/** When and where a cell was measured. */
export interface Measurement {
  startedAt: string;
  tookSeconds: number;
  machine: Machine;
}

/** The record of a measured cell: the figures of its last step that a page needs, without samples. */
export function cellRecord(
  cell: Cell,
  measured: Measurement,
  { run, steps, samples, events }: RecordedRun,
  watched: WatchedProcesses | undefined,
): CellRecord {
  const overloaded = steps.find(({ phases }) => phases);
  const step = overloaded ?? steps.at(-1);
  const first = samples[0]?.at ?? step?.measuredFrom ?? 0;
  const { rates } = run.plan;
  const { limits, slots = 0 } = run.deployment;
  const bound =
    slots / Math.max(0, ...run.plan.loads.flatMap(({ executionSeconds }) => Object.values(executionSeconds)));
  const cost = computeCost(run.deployment, DEFAULT_PRICES);
  return {
    ...recordHead(cell, measured),
    versions: run.versions,
    limits: limits.enforced ? `enforced (${limits.detail})` : limits.detail,
    ...(step && { load: loadFigures(step, run.plan.loads[0]!.serviceSeconds) }),
    ...(overloaded && { overload: overloadFigures(steps, overloaded, run.plan.slo) }),
    ...(rates.kind === 'payload-limit' && { payload: payloadFigures(rates, { run, steps, events }) }),
    events: events.map(({ at, instance, kind, reason }) => ({
      at: Math.max(0, Math.round((at - first) / 1000)),
      instance,
      kind,
      ...(reason && { reason }),
    })),
    processes: watched?.processes ?? [],
    ...(watched && { processesMost: watched.processesMost, memoryMostMib: watched.memoryMostMib }),
    pods: run.deployment.instances.map(({ name, component }) => ({ name, component, ...podFigures(name, samples) })),
    ...(bound > 0 && Number.isFinite(bound) && { bound }),
    ...(cost.cores > 0 && {
      reserved: { cores: cost.cores, memoryMib: cost.memoryGib * 1024, perHour: cost.perHour },
    }),
  };
}

/** The record of a cell that the chart refuses, that does not become ready, or that has no step. */
export const refusedCellRecord = (cell: Cell, measured: Measurement, refused: string): CellRecord => ({
  ...recordHead(cell, measured),
  versions: {},
  limits: 'nothing ran',
  refused,
  events: [],
  processes: [],
  pods: [],
});

const recordHead = ({ id, part, of, digest, manifests, webhook }: Cell, measured: Measurement) => ({
  id,
  part: part.part,
  of,
  digest,
  ...(manifests !== undefined && { manifests }),
  ...(webhook !== undefined && { webhook }),
  ...measured,
});

function loadFigures(step: StepRecord, serviceSeconds: Record<string, number>): LoadFigures {
  const { summary, clients, rate, measuredFrom, measuredTo, executions, k6 } = step;
  const { seconds: _, offered: _o, vusMost: _v, ...figures } = summary;
  return {
    ...figures,
    ...(clients !== undefined && { clients }),
    ...(rate !== undefined && { asked: rate }),
    seconds: (measuredTo - measuredFrom) / 1000,
    serviceSeconds: Math.max(0, ...Object.values(serviceSeconds)),
    executions,
    k6CpuShare: k6.cpuShare,
    ...(k6.limit !== undefined && { k6Limit: k6.limit }),
    ...(k6.message !== undefined && { problem: k6.message }),
  };
}

/** The figures of an overload. The capacity is the mean of the throughput just before it and after it. */
function overloadFigures(steps: StepRecord[], step: StepRecord, slo: RecordedRun['run']['plan']['slo']) {
  const taken = steps.filter(({ clients, index }) => clients !== undefined && index >= step.index - 1).map(throughput);
  const { rate, seconds, answered, served, refused, failed, ...judged } = judgeOverload(step, slo);
  const { refusedP50, completed, backSeconds, unclear } = judged;
  const latency = step.phases?.[0]?.latency;
  return {
    capacity: mean(taken),
    rate,
    seconds,
    answered,
    served,
    refused,
    failed,
    ...(completed !== undefined && { completed }),
    ...(refusedP50 !== undefined && { refusedP50 }),
    ...(latency && { p50: latency.p50, p95: latency.p95 }),
    ...(backSeconds !== undefined && { backSeconds }),
    ...(unclear !== undefined && { unclear }),
  };
}

/** The result of a search for the largest payload; empty if the search did not end or was disturbed. */
function payloadFigures(
  rates: RatesOf<'payload-limit'>,
  { run: { deployment }, steps, events }: Pick<RecordedRun, 'run' | 'steps' | 'events'>,
): NonNullable<CellRecord['payload']> {
  const [clients = 1] = rates.concurrency;
  const tries = judgeTries(steps, events);
  const found = concludePayloads(clients, tries, payloadRange(rates, clients, deployment), deployment);
  return {
    ...(found.survivedMiB !== undefined && { survivedMb: found.survivedMiB }),
    ...(found.brokeMiB !== undefined && { brokeMb: found.brokeMiB }),
    ...(found.limit && { limit: found.limit }),
  };
}

function podFigures(
  name: string,
  samples: RecordedRun['samples'],
): Pick<CellRecord['pods'][number], 'peakMib' | 'executions'> {
  const seen = samples.flatMap(({ instances }) => instances.filter((i) => i.name === name));
  const counts = seen.flatMap(({ executions }) => (executions === undefined ? [] : [executions]));
  return {
    peakMib: Math.round(Math.max(0, ...seen.map((i) => i.rssBytes)) / MIB),
    ...(counts.length > 0 && { executions: Math.max(...counts) }),
  };
}
