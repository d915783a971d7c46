import { fairness } from '../judge/fairness.js';
import type { CellRecord, ProcessFigures } from './types.js';

/** A figure that can be read off a cell. */
export interface CellMeasure {
  /** Head of a table's column, with the unit. */
  title: string;
  /** Undefined where the cell has no such figure; a text where it is an outcome. */
  of: (cell: CellRecord) => number | string | undefined;
  /** For people; texts stay as they are. */
  text: (value: number) => string;
}

const whole = (value: number) => String(Math.round(value));
/** Three significant digits, as `0.142`, `9.42`, `1230`. */
export const significant = (value: number): string =>
  Math.abs(value) >= 100 ? whole(value) : String(Number(value.toPrecision(3)));
const percent = (value: number) => `${significant(value * 100)} %`;
const milliseconds = (seconds: number) => (seconds >= 1 ? `${significant(seconds)} s` : `${whole(seconds * 1000)} ms`);
const mib = (value: number) => `${whole(value)} MiB`;

const of =
  (value: (cell: CellRecord) => number | undefined): CellMeasure['of'] =>
  (cell) =>
    value(cell);

/** Roles of what serves requests, and of what stands before it. */
const SERVERS = ['webhook', 'main', 'control'];
export const BALANCERS = ['cluster primary', 'nginx', 'nginx worker', 'PM2'];

const withRole = ({ processes }: CellRecord, roles: string[]): ProcessFigures[] =>
  processes.filter((p) => roles.includes(p.role));
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const most = (values: number[]) => (values.length === 0 ? undefined : Math.max(...values));

/** Requests of each process or pod that served any, for the fairness index. */
function shares({ processes, pods }: CellRecord): Map<string, number> {
  const counted = processes.filter((p) => p.requests !== undefined);
  if (counted.length > 0) return new Map(counted.map((p) => [String(p.pid), p.requests!]));
  return new Map(pods.flatMap((p) => (p.executions === undefined ? [] : [[p.name, p.executions] as const])));
}

/** `survives`, or what ended it: a death of n8n before one of a task runner, before requests that failed. */
function outcome({ refused, payload, events, load }: CellRecord): string | undefined {
  if (refused !== undefined) return 'refused';
  if (payload) return payload.limit === undefined || payload.limit === 'LoadTarget' ? 'survives' : payload.limit;
  const death = events.find((e) => e.kind === 'died');
  if (death) return death.reason ?? 'Crash';
  if (events.some((e) => e.kind === 'runner-died')) return 'TaskRunner';
  return load && (load.failed > 0 ? 'FailedRequests' : 'survives');
}

/** Every figure by the name that an experiment's file has for it. */
export const MEASURES: Record<string, CellMeasure> = {
  outcome: { title: 'outcome', of: outcome, text: String },
  requests: { title: 'requests', of: of(({ load }) => load && load.answered + load.failed), text: whole },
  answered: { title: 'answered', of: of(({ load }) => load?.answered), text: whole },
  rate: { title: 'answered/s', of: of(({ load }) => load && load.answered / load.seconds), text: significant },
  failed: { title: 'failed', of: of(({ load }) => load?.failed), text: whole },
  failedShare: {
    title: 'failed',
    of: of(({ load }) =>
      load && load.answered + load.failed > 0 ? load.failed / (load.answered + load.failed) : undefined,
    ),
    text: percent,
  },
  failures: {
    title: 'failures by kind',
    of: ({ load }) =>
      load &&
      (Object.entries(load.failures)
        .map(([kind, n]) => `${n} × ${kind}`)
        .join(', ') ||
        'none'),
    text: String,
  },
  p50: { title: 'p50', of: of(({ load }) => load?.latency?.p50), text: milliseconds },
  p95: { title: 'p95', of: of(({ load }) => load?.latency?.p95), text: milliseconds },
  p99: { title: 'p99', of: of(({ load }) => load?.latency?.p99), text: milliseconds },
  lost: {
    title: 'not ended',
    of: of(({ load }) =>
      load?.executions ? Math.max(0, load.executions.accepted - load.executions.completed) : undefined,
    ),
    text: whole,
  },
  slotBound: { title: 'slots allow/s', of: of(({ bound }) => bound), text: significant },
  slotUse: {
    title: 'of what slots allow',
    of: of(({ load, bound }) => load && bound && load.answered / load.seconds / bound),
    text: percent,
  },
  deaths: { title: 'deaths', of: of(({ events }) => events.filter((e) => e.kind === 'died').length), text: whole },
  probes: {
    title: 'failed probes',
    of: of(({ events }) => events.filter((e) => e.kind === 'probe-failed' || e.kind === 'unready').length),
    text: whole,
  },
  payload: {
    title: 'largest payload',
    of: of(({ payload }) => payload && (payload.survivedMb ?? 0)),
    text: (mb) => (mb === 0 ? 'none' : `${mb} MB`),
  },
  processes: { title: 'processes, most', of: of(({ processesMost }) => processesMost), text: whole },
  fairness: { title: 'fairness', of: of((cell) => fairness(shares(cell))?.index), text: (value) => value.toFixed(3) },
  share: {
    title: 'share of each',
    of: (cell) => {
      const counts = [...shares(cell).values()];
      const all = sum(counts);
      return all === 0 ? undefined : counts.map((n) => `${Math.round((n / all) * 100)} %`).join(' · ');
    },
    text: String,
  },
  balancerMemory: {
    title: 'balancer, peak',
    of: of((cell) => (cell.processes.length === 0 ? undefined : sum(withRole(cell, BALANCERS).map((p) => p.peakMib)))),
    text: mib,
  },
  serverMemory: {
    title: 'a process, peak',
    of: of((cell) => most(withRole(cell, SERVERS).map((p) => p.peakMib))),
    text: mib,
  },
  podMemory: { title: 'a pod, peak', of: of(({ pods }) => most(pods.map((p) => p.peakMib))), text: mib },
  memory: {
    title: 'all processes, most',
    of: of(({ memoryMostMib }) => memoryMostMib),
    text: mib,
  },
  k6: { title: 'k6’s share of the CPU', of: of(({ load }) => load?.k6CpuShare ?? undefined), text: percent },
  cost: { title: 'cost/h', of: of(({ reserved }) => reserved?.perHour), text: significant },
};

/** The measure's value of a cell, for people; `–` where there is none. */
export function cellText(name: string, cell: CellRecord): string {
  const measure = MEASURES[name]!;
  const value = measure.of(cell);
  if (value === undefined) return '–';
  return typeof value === 'number' ? measure.text(value) : value;
}

/** Undefined where the cell has no such figure. */
export function cellNumber(name: string, cell: CellRecord): number | undefined {
  const value = MEASURES[name]!.of(cell);
  return typeof value === 'number' ? value : undefined;
}
