import { concludeCeiling, judgeTry } from '../judge/ceiling.js';
import { costOf } from '../judge/cost.js';
import { DEFAULT_PRICES } from '../plan/sweep-plan.js';
import type { RecordedRun } from '../record/recorder.js';
import type { RatePlan } from '../plan/plan.js';
import { payloadRange } from '../steps/ceiling.js';
import { longest } from '../steps/context.js';
import type { Cell } from './cells.js';
import type { CellRecord, LoadFigures, ProcessFigures } from './types.js';

const MIB = 2 ** 20;

/** What the watch on this machine's processes has seen. */
export interface Watched {
  processes: ProcessFigures[];
  processesMost: number;
  memoryMostMib: number;
}

/** What a page needs of a run: no samples, and no more of its steps than the last. */
export function cellRecord(cell: Cell, { run, steps, samples, events }: RecordedRun, watched?: Watched): CellRecord {
  const step = steps.at(-1);
  const first = samples[0]?.at ?? step?.measuredFrom ?? 0;
  const { rates } = run.plan;
  const bound = (run.deployment.slots ?? 0) / Math.max(0, ...run.plan.loads.map(longest));
  const cost = costOf(run.deployment, DEFAULT_PRICES);
  return {
    ...cellHead(cell, run.startedAt),
    versions: run.versions,
    limits: run.deployment.limits.enforced
      ? `enforced (${run.deployment.limits.detail})`
      : run.deployment.limits.detail,
    ...(step && { load: loadFigures(step) }),
    ...(rates.kind === 'ceiling' && { payload: payloadOf(rates, steps, run.deployment) }),
    events: events.map(({ at, instance, kind, reason }) => ({
      at: Math.max(0, Math.round((at - first) / 1000)),
      instance,
      kind,
      ...(reason && { reason }),
    })),
    processes: watched?.processes ?? [],
    ...(watched && { processesMost: watched.processesMost, memoryMostMib: watched.memoryMostMib }),
    pods: run.deployment.instances.map(({ name }) => podOf(name, samples)),
    ...(bound > 0 && Number.isFinite(bound) && { bound }),
    ...(cost.cores > 0 && {
      reserved: { cores: cost.cores, memoryMib: cost.memoryGib * 1024, perHour: cost.perHour },
    }),
  };
}

/** Of a cell that did not come up, or that the chart refuses. */
export const refusedCell = (cell: Cell, startedAt: string, refused: string): CellRecord => ({
  ...cellHead(cell, startedAt),
  versions: {},
  limits: 'nothing ran',
  refused,
  events: [],
  processes: [],
  pods: [],
});

const cellHead = ({ id, part, of }: Cell, startedAt: string) => ({ id, part: part.part, of, startedAt });

function loadFigures({
  summary,
  clients,
  rate,
  measuredFrom,
  measuredTo,
  executions,
  k6,
}: RecordedRun['steps'][number]): LoadFigures {
  const { seconds: _, offered: _o, vusMost: _v, ...figures } = summary;
  return {
    ...figures,
    ...(clients !== undefined && { clients }),
    ...(rate !== undefined && { asked: rate }),
    seconds: (measuredTo - measuredFrom) / 1000,
    executions,
    k6CpuShare: k6.cpuShare,
  };
}

function payloadOf(
  rates: Extract<RatePlan, { kind: 'ceiling' }>,
  steps: RecordedRun['steps'],
  deployment: RecordedRun['run']['deployment'],
): NonNullable<CellRecord['payload']> {
  const [clients = 1] = rates.concurrency;
  const found = concludeCeiling(clients, steps.map(judgeTry), payloadRange(rates, clients, deployment), deployment);
  return {
    ...(found.survived !== undefined && { survivedMb: found.survived }),
    ...(found.broke !== undefined && { brokeMb: found.broke }),
    ...(found.limit && { limit: found.limit }),
  };
}

function podOf(name: string, samples: RecordedRun['samples']): CellRecord['pods'][number] {
  const seen = samples.flatMap(({ instances }) => instances.filter((i) => i.name === name));
  const executions = Math.max(0, ...seen.map((i) => i.executions ?? 0));
  return {
    name,
    peakMib: Math.round(Math.max(0, ...seen.map((i) => i.rssBytes)) / MIB),
    ...(executions > 0 && { executions }),
  };
}
