import { fairness } from 'n8n-capacity';
import type { CellEvent, CellRecord, LoadFigures, ProcessFigures } from '../record/schema.js';
import { failedOf, MOST_FAILED, timesOf, whyInconclusive } from './usable.js';

/** A figure of a cell. */
export interface CellMeasure {
  /** Head of the table column. */
  title: string;
  /** The value of a cell: a number, or a text for an outcome; undefined or null if the cell has no such figure. */
  of: (cell: CellRecord) => number | string | null | undefined;
  /** Formats a number with its unit. `cell` is the cell that has the value; undefined for the bound of a claim. */
  text: (value: number, cell?: CellRecord) => string;
}

const whole = (value: number) => String(Math.round(value));
/** Formats a number: three significant digits below 100, otherwise rounded to a whole number. */
export const significant = (value: number): string =>
  Math.abs(value) >= 100 ? whole(value) : String(Number(value.toPrecision(3)));
const percent = (value: number) => `${significant(value * 100)} %`;
const duration = (seconds: number) => (seconds >= 1 ? `${significant(seconds)} s` : `${whole(seconds * 1000)} ms`);
const mib = (value: number) => `${whole(value)} MiB`;

/** Roles of the processes that serve requests, and of the balancers before them. */
const SERVERS = ['webhook', 'main', 'control'];
const BALANCERS = ['cluster primary', 'nginx', 'nginx worker', 'PM2'];

const withRole = ({ processes }: CellRecord, roles: string[]): ProcessFigures[] =>
  processes.filter((p) => roles.includes(p.role));
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const most = (values: number[]) => (values.length === 0 ? undefined : Math.max(...values));

/** A percentile of the latency: overhead plus service time. Undefined if more than 1 % of the requests failed or were dropped. */
const latency = (of: keyof NonNullable<LoadFigures['latency']>): CellMeasure => ({
  title: of,
  of: (cell) => {
    const { load } = cell;
    const holds = (failedOf(cell)?.share ?? 1) <= MOST_FAILED;
    return load?.latency && holds ? load.latency[of] + load.serviceSeconds : undefined;
  },
  text: duration,
});

/** A percentile of the latency during an overload. Undefined if more than 1 % of the requests failed or were refused. */
const latencyThen = (of: 'p50' | 'p95'): CellMeasure => ({
  title: `${of} at that rate`,
  of: ({ overload, load }) => {
    const overhead = overload?.[of];
    if (!overload || !load || overhead === undefined) return undefined;
    const failed = overload.refused + overload.failed;
    const holds = failed <= MOST_FAILED * (overload.answered + failed);
    return holds ? overhead + load.serviceSeconds : undefined;
  },
  text: duration,
});

/**
 * The worst failure at the asked rate; `holds` if there was none. Undefined in the closed model, and if executions were not
 * counted.
 */
function held(cell: CellRecord): string | undefined {
  const { load, events } = cell;
  if (load?.asked === undefined) return undefined;
  const death = events.find((e) => e.kind === 'died');
  if (death) return death.reason ?? 'Crash';
  if (load.dropped > 0) return 'drops requests';
  if ((failedOf(cell)?.share ?? 1) > MOST_FAILED) return 'fails requests';
  const left = notEnded(cell);
  if (left === undefined) return undefined;
  return left > 0 ? 'loses executions' : 'holds';
}

/** Accepted executions that had not ended after the drain; undefined if uncounted, or if more ended than were accepted. */
function notEnded({ load }: CellRecord): number | undefined {
  const left = load?.executions && load.executions.accepted - load.executions.completed;
  return left != null && left >= 0 ? left : undefined;
}

/** Formats a count with its total, as `3 of 20`. */
const countOf =
  (all: (cell: CellRecord) => number | undefined) =>
  (value: number, cell?: CellRecord): string => {
    const total = cell && all(cell);
    return value === 0 || total === undefined ? whole(value) : `${whole(value)} of ${whole(total)}`;
  };
const accepted = ({ load }: CellRecord) => load?.executions?.accepted;

const counted = (title: string, isOne: (event: CellEvent) => boolean): CellMeasure => ({
  title,
  of: ({ events }) => events.filter(isOne).length,
  text: whole,
});

/** Requests served by each process; if not counted, executions by each pod that takes requests. Zeros are included. */
function shares({ processes, pods }: CellRecord): Map<string, number> {
  const served = processes.filter((p) => p.requests !== undefined);
  if (served.length > 0) return new Map(served.map((p) => [String(p.pid), p.requests!]));
  const front = pods.some((p) => p.component === 'webhook') ? 'webhook' : 'main';
  return new Map(pods.filter((p) => p.component === front).map((p) => [p.name, p.executions ?? 0]));
}

/** `survives`, or the worst event: a death of n8n, then a death of a task runner, then failed requests. */
function outcome({ refused, payload, events, load }: CellRecord): string | undefined {
  if (refused !== undefined) return 'refused';
  if (payload) return payload.limit === 'LoadTarget' ? 'survives' : payload.limit;
  const death = events.find((e) => e.kind === 'died');
  if (death) return death.reason ?? 'Crash';
  if (events.some((e) => e.kind === 'runner-died')) return 'TaskRunner';
  return load && (load.failed > 0 ? 'FailedRequests' : 'survives');
}

/**
 * Peak MiB of the processes that take requests, divided by the clients of the closed loop. With webhook processors, main takes no
 * requests. Undefined if a process died, because its successor would count as well.
 */
function clientMemory(cell: CellRecord): number | undefined {
  if (cell.load?.clients === undefined || cell.events.some((e) => e.kind === 'died')) return undefined;
  const processors = withRole(cell, ['webhook']);
  const servers = processors.length > 0 ? processors : withRole(cell, SERVERS);
  return servers.length === 0 ? undefined : sum(servers.map((p) => p.peakMib)) / cell.load.clients;
}

/** Requests per second that were both answered in time and executed, as a share of the capacity. */
function goodput({ overload }: CellRecord): number | undefined {
  if (!overload || overload.unclear !== undefined) return undefined;
  const { answered, served = answered, seconds, completed, capacity } = overload;
  return completed === undefined ? undefined : Math.min(served / seconds, completed) / capacity;
}

/** Every measure, by its name in an experiment's file. */
export const MEASURES: Record<string, CellMeasure> = {
  outcome: { title: 'outcome', of: outcome, text: String },
  requests: { title: 'requests', of: ({ load }) => load && load.answered + load.failed, text: whole },
  answered: { title: 'answered', of: ({ load }) => load?.answered, text: whole },
  rate: { title: 'answered/s', of: ({ load }) => load && load.answered / load.seconds, text: significant },
  failedShare: { title: 'failed or dropped', of: (cell) => failedOf(cell)?.share, text: percent },
  dropped: {
    title: 'dropped',
    of: ({ load }) => (load?.asked === undefined ? undefined : load.dropped),
    text: countOf((cell) => failedOf(cell)?.due),
  },
  held: { title: 'at the rate asked', of: held, text: String },
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
  p50: latency('p50'),
  p95: latency('p95'),
  p99: latency('p99'),
  lost: { title: 'accepted, not executed', of: notEnded, text: countOf(accepted) },
  lostShare: {
    title: 'share not executed',
    of: (cell) => {
      const [left, all] = [notEnded(cell), accepted(cell)];
      return left === undefined || !all ? undefined : left / all;
    },
    text: percent,
  },
  abandoned: {
    title: 'executed after the client gave up (warm-up included)',
    of: ({ load }) => load?.executions && Math.max(0, load.executions.completed - load.executions.accepted),
    text: countOf(({ load }) => load?.executions?.completed),
  },
  slotBound: { title: 'slot limit/s', of: ({ bound }) => bound, text: significant },
  slotUse: {
    title: 'share of the slot limit',
    of: ({ load, bound }) => load && bound && load.answered / load.seconds / bound,
    text: percent,
  },
  deaths: counted('deaths', (e) => e.kind === 'died'),
  probes: counted('failed probes', (e) => e.kind === 'probe-failed' || e.kind === 'unready'),
  payload: {
    title: 'largest payload',
    of: ({ payload }) => (payload?.limit ? (payload.survivedMb ?? 0) : undefined),
    text: (mb) => (mb === 0 ? 'none' : `${mb} MB`),
  },
  processes: { title: 'most processes', of: ({ processesMost }) => processesMost, text: whole },
  fairness: { title: 'fairness', of: (cell) => fairness(shares(cell))?.index, text: (value) => value.toFixed(3) },
  share: {
    title: 'share of each process',
    of: (cell) => {
      const counts = [...shares(cell).values()];
      const all = sum(counts);
      return all === 0 ? undefined : counts.map((n) => `${Math.round((n / all) * 100)} %`).join(' · ');
    },
    text: String,
  },
  balancerMemory: {
    title: 'peak RSS of the balancer',
    of: (cell) => {
      const balancers = withRole(cell, BALANCERS).map((p) => p.peakMib);
      return balancers.length === 0 ? undefined : sum(balancers);
    },
    text: mib,
  },
  serverMemory: {
    title: 'peak RSS of a process',
    of: (cell) => most(withRole(cell, SERVERS).map((p) => p.peakMib)),
    text: mib,
  },
  clientMemory: {
    title: 'memory for each connection',
    of: clientMemory,
    text: (value) => `${significant(value)} MiB`,
  },
  growth: {
    title: 'memory, last ÷ second quarter',
    of: (cell) => most(withRole(cell, SERVERS).flatMap((p) => p.growth ?? [])),
    text: significant,
  },
  podMemory: {
    title: 'peak RSS of a pod, summed',
    of: ({ pods }) => most(pods.map((p) => p.peakMib)),
    text: mib,
  },
  memory: { title: 'peak PSS of all processes', of: ({ memoryMostMib }) => memoryMostMib, text: mib },
  k6: { title: 'CPU share of k6', of: ({ load }) => load?.k6CpuShare ?? undefined, text: percent },
  capacity: { title: 'capacity/s', of: ({ overload }) => overload?.capacity, text: significant },
  arrived: { title: 'arrived, times the capacity', of: timesOf, text: (value) => value.toFixed(1) },
  p50Then: latencyThen('p50'),
  p95Then: latencyThen('p95'),
  goodput: { title: 'goodput, of the capacity', of: goodput, text: percent },
  refused: {
    title: 'refused',
    of: ({ overload: o }) => o && o.refused / Math.max(1, o.answered + o.refused + o.failed),
    text: percent,
  },
  refusedP50: { title: 'refused after (p50)', of: ({ overload }) => overload?.refusedP50, text: duration },
  otherwise: {
    title: 'failed otherwise',
    of: ({ overload: o }) => o && o.failed / Math.max(1, o.answered + o.refused + o.failed),
    text: percent,
  },
  back: {
    title: 'back to normal after',
    of: ({ overload }) =>
      overload?.backSeconds ?? (overload && overload.unclear === undefined ? 'not within 20 s' : undefined),
    text: duration,
  },
  cost: { title: 'cost/h', of: ({ reserved }) => reserved?.perHour, text: significant },
};

/** The figure of a cell as text; `–` if there is none, `INCONCLUSIVE` if the test was disturbed. */
export function cellText(name: string, cell: CellRecord): string {
  const measure = MEASURES[name]!;
  const value = measure.of(cell);
  if (value === undefined || value === null) return '–';
  if (whyInconclusive(name, cell) !== undefined) return 'INCONCLUSIVE';
  return typeof value === 'number' ? measure.text(value, cell) : value;
}

/**
 * The figure of a cell; undefined if it is missing, INCONCLUSIVE or a text.
 * @param isLessEnough whether a smaller overload than asked is accepted
 */
export function cellNumber(name: string, cell: CellRecord, isLessEnough = false): number | undefined {
  const value = whyInconclusive(name, cell, isLessEnough) === undefined ? MEASURES[name]?.of(cell) : undefined;
  return typeof value === 'number' ? value : undefined;
}
