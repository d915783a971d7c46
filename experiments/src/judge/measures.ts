import { fairness } from 'n8n-capacity';
import type { CellEvent, CellRecord, LoadFigures, ProcessFigures } from '../record/schema.js';
import { failureShare, MAX_FAILED_SHARE, overloadFactor, inconclusiveReason } from './usable.js';

/** A figure of a cell. */
export interface CellMeasure {
  /** Head of the table column. */
  title: string;
  /** The value of a cell: a number, or a text for an outcome; undefined or null if the cell has no such figure. */
  of: (cell: CellRecord) => number | string | null | undefined;
  /** Formats a number with its unit. `cell` is the cell that has the value; undefined for the bound of a claim. */
  text: (value: number, cell?: CellRecord) => string;
}

const formatWhole = (value: number) => String(Math.round(value));
/** Formats a number: three significant digits below 100, otherwise rounded to a whole number. */
export const formatSignificant = (value: number): string =>
  Math.abs(value) >= 100 ? formatWhole(value) : String(Number(value.toPrecision(3)));
const formatPercent = (value: number) => `${formatSignificant(value * 100)} %`;
const formatDuration = (seconds: number) =>
  seconds >= 1 ? `${formatSignificant(seconds)} s` : `${formatWhole(seconds * 1000)} ms`;
const formatMib = (value: number) => `${formatWhole(value)} MiB`;

/** Roles of the processes that serve requests, and of the balancers before them. */
const SERVERS = ['webhook', 'main', 'control'];
const BALANCERS = ['cluster primary', 'nginx', 'nginx worker', 'PM2'];

const processesWithRole = ({ processes }: CellRecord, roles: string[]): ProcessFigures[] =>
  processes.filter((p) => roles.includes(p.role));
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const largest = (values: number[]) => (values.length === 0 ? undefined : Math.max(...values));

/** A percentile of the latency: overhead plus service time. Undefined if more than 1 % of the requests failed or were dropped. */
const latencyMeasure = (of: keyof NonNullable<LoadFigures['latency']>): CellMeasure => ({
  title: of,
  of: (cell) => {
    const { load } = cell;
    const holds = (failureShare(cell)?.share ?? 1) <= MAX_FAILED_SHARE;
    return load?.latency && holds ? load.latency[of] + load.serviceSeconds : undefined;
  },
  text: formatDuration,
});

/** A percentile of the latency during an overload. Undefined if more than 1 % of the requests failed or were refused. */
const overloadLatencyMeasure = (of: 'p50' | 'p95'): CellMeasure => ({
  title: `${of} at that rate`,
  of: ({ overload, load }) => {
    const overhead = overload?.[of];
    if (!overload || !load || overhead === undefined) return undefined;
    const failed = overload.refused + overload.failed;
    const holds = failed <= MAX_FAILED_SHARE * (overload.answered + failed);
    return holds ? overhead + load.serviceSeconds : undefined;
  },
  text: formatDuration,
});

/**
 * The worst failure at the asked rate; `holds` if there was none. Undefined in the closed model, and if executions were not
 * counted.
 */
function rateOutcome(cell: CellRecord): string | undefined {
  const { load, events } = cell;
  if (load?.asked === undefined) return undefined;
  const death = events.find((e) => e.kind === 'died');
  if (death) return death.reason ?? 'Crash';
  if (load.dropped > 0) return 'drops requests';
  if ((failureShare(cell)?.share ?? 1) > MAX_FAILED_SHARE) return 'fails requests';
  const left = unfinishedExecutions(cell);
  if (left === undefined) return undefined;
  return left > 0 ? 'loses executions' : 'holds';
}

/** Accepted executions that had not ended after the drain; undefined if uncounted, or if more ended than were accepted. */
function unfinishedExecutions({ load }: CellRecord): number | undefined {
  const left = load?.executions && load.executions.accepted - load.executions.completed;
  return left != null && left >= 0 ? left : undefined;
}

/** Formats a count with its total, as `3 of 20`. */
const formatCountOf =
  (all: (cell: CellRecord) => number | undefined) =>
  (value: number, cell?: CellRecord): string => {
    const total = cell && all(cell);
    return value === 0 || total === undefined ? formatWhole(value) : `${formatWhole(value)} of ${formatWhole(total)}`;
  };
const acceptedExecutions = ({ load }: CellRecord) => load?.executions?.accepted;

const eventCountMeasure = (title: string, isOne: (event: CellEvent) => boolean): CellMeasure => ({
  title,
  of: ({ events }) => events.filter(isOne).length,
  text: formatWhole,
});

/** Requests served by each process; if not counted, executions by each pod that takes requests. Zeros are included. */
function loadShares({ processes, pods }: CellRecord): Map<string, number> {
  const served = processes.filter((p) => p.requests !== undefined);
  if (served.length > 0) return new Map(served.map((p) => [String(p.pid), p.requests!]));
  const front = pods.some((p) => p.component === 'webhook') ? 'webhook' : 'main';
  return new Map(pods.filter((p) => p.component === front).map((p) => [p.name, p.executions ?? 0]));
}

/** `survives`, or the worst event: a death of n8n, then a death of a task runner, then failed requests. */
function cellOutcome({ refused, payload, events, load }: CellRecord): string | undefined {
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
function memoryPerClient(cell: CellRecord): number | undefined {
  if (cell.load?.clients === undefined || cell.events.some((e) => e.kind === 'died')) return undefined;
  const processors = processesWithRole(cell, ['webhook']);
  const servers = processors.length > 0 ? processors : processesWithRole(cell, SERVERS);
  return servers.length === 0 ? undefined : sum(servers.map((p) => p.peakMib)) / cell.load.clients;
}

/** Requests per second that were both answered in time and executed, as a share of the capacity. */
function goodputShare({ overload }: CellRecord): number | undefined {
  if (!overload || overload.unclear !== undefined) return undefined;
  const { answered, served = answered, seconds, completed, capacity } = overload;
  return completed === undefined ? undefined : Math.min(served / seconds, completed) / capacity;
}

/** Every measure, by its name in an experiment's file. */
export const MEASURES: Record<string, CellMeasure> = {
  outcome: { title: 'outcome', of: cellOutcome, text: String },
  requests: { title: 'requests', of: ({ load }) => load && load.answered + load.failed, text: formatWhole },
  answered: { title: 'answered', of: ({ load }) => load?.answered, text: formatWhole },
  rate: { title: 'answered/s', of: ({ load }) => load && load.answered / load.seconds, text: formatSignificant },
  failedShare: { title: 'failed or dropped', of: (cell) => failureShare(cell)?.share, text: formatPercent },
  dropped: {
    title: 'dropped',
    of: ({ load }) => (load?.asked === undefined ? undefined : load.dropped),
    text: formatCountOf((cell) => failureShare(cell)?.due),
  },
  held: { title: 'at the rate asked', of: rateOutcome, text: String },
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
  p50: latencyMeasure('p50'),
  p95: latencyMeasure('p95'),
  p99: latencyMeasure('p99'),
  lost: { title: 'accepted, not executed', of: unfinishedExecutions, text: formatCountOf(acceptedExecutions) },
  lostShare: {
    title: 'share not executed',
    of: (cell) => {
      const [left, all] = [unfinishedExecutions(cell), acceptedExecutions(cell)];
      return left === undefined || !all ? undefined : left / all;
    },
    text: formatPercent,
  },
  abandoned: {
    title: 'executed after the client gave up (warm-up included)',
    of: ({ load }) => load?.executions && Math.max(0, load.executions.completed - load.executions.accepted),
    text: formatCountOf(({ load }) => load?.executions?.completed),
  },
  slotBound: { title: 'slot limit/s', of: ({ bound }) => bound, text: formatSignificant },
  slotUse: {
    title: 'share of the slot limit',
    of: ({ load, bound }) => load && bound && load.answered / load.seconds / bound,
    text: formatPercent,
  },
  deaths: eventCountMeasure('deaths', (e) => e.kind === 'died'),
  probes: eventCountMeasure('failed probes', (e) => e.kind === 'probe-failed' || e.kind === 'unready'),
  payload: {
    title: 'largest payload',
    of: ({ payload }) => (payload?.limit ? (payload.survivedMb ?? 0) : undefined),
    text: (mb) => (mb === 0 ? 'none' : `${mb} MB`),
  },
  processes: { title: 'most processes', of: ({ processesMost }) => processesMost, text: formatWhole },
  fairness: { title: 'fairness', of: (cell) => fairness(loadShares(cell))?.index, text: (value) => value.toFixed(3) },
  share: {
    title: 'share of each process',
    of: (cell) => {
      const counts = [...loadShares(cell).values()];
      const all = sum(counts);
      return all === 0 ? undefined : counts.map((n) => `${Math.round((n / all) * 100)} %`).join(' · ');
    },
    text: String,
  },
  balancerMemory: {
    title: 'peak RSS of the balancer',
    of: (cell) => {
      const balancers = processesWithRole(cell, BALANCERS).map((p) => p.peakMib);
      return balancers.length === 0 ? undefined : sum(balancers);
    },
    text: formatMib,
  },
  serverMemory: {
    title: 'peak RSS of a process',
    of: (cell) => largest(processesWithRole(cell, SERVERS).map((p) => p.peakMib)),
    text: formatMib,
  },
  clientMemory: {
    title: 'memory for each connection',
    of: memoryPerClient,
    text: (value) => `${formatSignificant(value)} MiB`,
  },
  growth: {
    title: 'memory, last ÷ second quarter',
    of: (cell) => largest(processesWithRole(cell, SERVERS).flatMap((p) => p.growth ?? [])),
    text: formatSignificant,
  },
  podMemory: {
    title: 'peak RSS of a pod, summed',
    of: ({ pods }) => largest(pods.map((p) => p.peakMib)),
    text: formatMib,
  },
  memory: { title: 'peak PSS of all processes', of: ({ memoryMostMib }) => memoryMostMib, text: formatMib },
  k6: { title: 'CPU share of k6', of: ({ load }) => load?.k6CpuShare ?? undefined, text: formatPercent },
  capacity: { title: 'capacity/s', of: ({ overload }) => overload?.capacity, text: formatSignificant },
  arrived: { title: 'arrived, times the capacity', of: overloadFactor, text: (value) => value.toFixed(1) },
  p50Then: overloadLatencyMeasure('p50'),
  p95Then: overloadLatencyMeasure('p95'),
  goodput: { title: 'goodput, of the capacity', of: goodputShare, text: formatPercent },
  refused: {
    title: 'refused',
    of: ({ overload: o }) => o && o.refused / Math.max(1, o.answered + o.refused + o.failed),
    text: formatPercent,
  },
  refusedP50: { title: 'refused after (p50)', of: ({ overload }) => overload?.refusedP50, text: formatDuration },
  otherwise: {
    title: 'failed otherwise',
    of: ({ overload: o }) => o && o.failed / Math.max(1, o.answered + o.refused + o.failed),
    text: formatPercent,
  },
  back: {
    title: 'back to normal after',
    of: ({ overload }) =>
      overload?.backSeconds ?? (overload && overload.unclear === undefined ? 'not within 20 s' : undefined),
    text: formatDuration,
  },
  cost: { title: 'cost/h', of: ({ reserved }) => reserved?.perHour, text: formatSignificant },
};

/** The figure of a cell as text; `–` if there is none, `INCONCLUSIVE` if the test was disturbed. */
export function cellText(name: string, cell: CellRecord): string {
  const measure = MEASURES[name]!;
  const value = measure.of(cell);
  if (value === undefined || value === null) return '–';
  if (inconclusiveReason(name, cell) !== undefined) return 'INCONCLUSIVE';
  return typeof value === 'number' ? measure.text(value, cell) : value;
}

/**
 * The figure of a cell; undefined if it is missing, INCONCLUSIVE or a text.
 * @param allowSmallerOverload whether a smaller overload than asked is accepted
 */
export function cellNumber(name: string, cell: CellRecord, allowSmallerOverload = false): number | undefined {
  const value =
    inconclusiveReason(name, cell, allowSmallerOverload) === undefined ? MEASURES[name]?.of(cell) : undefined;
  return typeof value === 'number' ? value : undefined;
}
