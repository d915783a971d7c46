import { sum } from 'simple-statistics';
import { formatNumber, formatPercent } from '../../core/formats.js';
import { costPerHour } from '../../judge/cost.js';
import { runsN8n, type Component } from '../../model/events.js';
import type { Prices } from '../../model/cost.js';
import type { Verdict } from '../../model/verdict.js';
import type { Line } from '../../stats/linear.js';
import type { Arranged } from '../../recommend/forecast/arrange.js';
import { runnerOf, type Arrangement } from '../../recommend/forecast/arrangement.js';
import type { Forecast } from '../../recommend/forecast/forecast.js';
import type { Share } from '../../recommend/forecast/system.js';

/** A forecast as it is printed, or written as JSON. */
export interface ForecastSummary {
  /** PASS: an arrangement was found. FAIL: none can take the rate. */
  verdict: Verdict;
  /** One sentence without a full stop. */
  conclusion: string;
  load: string;
  /** Executions per second, headroom included. */
  rate: number;
  pods: ForecastPods[];
  totals?: ForecastTotals;
  costs: CostOfExecution[];
  capacity: Forecast['capacity'];
  /** Fraction by which the cost of an execution may be off, at 95 %; undefined if unknown. */
  error?: number;
  steps: ForecastOfStep[];
  /** Doubts about the forecast that the record cannot settle, each a sentence. */
  unknown: string[];
}

/** The pods of one component. */
export interface ForecastPods {
  component: Component;
  replicas: number;
  /** Fewest and most replicas within the error of the forecast; undefined if unknown. */
  least?: number;
  most?: number;
  /** Limits of each; undefined without one. */
  cores?: number;
  memoryGib?: number;
  /** Executions that each runs at once; undefined without a limit. */
  concurrency?: number;
  /** The fullest resource of these pods, as a fraction. */
  busy?: number;
}

export interface ForecastTotals {
  cores: number;
  memoryGib: number;
  /** Connections that all pods may open to PostgreSQL, one more webhook processor included as in a rolling update. */
  connections?: number;
  /** In the currency of the prices; undefined without prices. */
  perMonth?: { value: number; least?: number; most?: number };
}

/** One line of the cost of an execution. */
export interface CostOfExecution {
  what: string;
  /** In `unit` for each execution; the error is half of its 95 % interval. */
  value: number;
  error?: number;
  unit: string;
}

export interface ForecastOfStep {
  rate: number;
  cores: { forecast: number; seen?: number };
  p95: { forecast?: number; seen?: number };
  holds: { forecast: boolean; seen?: boolean };
}

/** Hours of a month of 365.25 ÷ 12 days. */
const HOURS_A_MONTH = 730.5;

export function summarizeForecast(found: Forecast, prices?: Omit<Prices, 'currency'>): ForecastSummary {
  const { load, rate, arranged, capacity, errors, unknown } = found;
  const isFound = !('impossible' in arranged);
  return {
    verdict: isFound ? 'PASS' : 'FAIL',
    conclusion: isFound
      ? describeArrangement(found, arranged.arrangement)
      : explainImpossible(found, arranged.impossible),
    load: load.name,
    rate,
    pods: isFound ? summarizePods(found, arranged) : [],
    ...(isFound && { totals: summarizeTotals(found, arranged.arrangement, prices) }),
    costs: summarizeCosts(found),
    capacity,
    ...(errors.cost !== undefined && { error: errors.cost }),
    steps: errors.checked.map(({ step, forecast, held, cores }) => ({
      rate: step.rate!,
      cores: { forecast: forecast.cores, ...(cores !== undefined && { seen: cores }) },
      p95: {
        ...(forecast.p95 !== undefined && { forecast: forecast.p95 }),
        ...(step.summary.latency && { seen: step.summary.latency.p95 }),
      },
      holds: { forecast: forecast.holds, ...(held !== undefined && { seen: held }) },
    })),
    unknown,
  };
}

function describeArrangement({ rate, range, profile }: Forecast, arrangement: Arrangement): string {
  const runner = runnerOf(arrangement);
  const { replicas } = arrangement.components.get(runner)!;
  const pods = arrangement.mode === 'queue' ? countText(replicas, runner) : 'one main';
  const [least, most] = [replicasIn(range?.least, runner), replicasIn(range?.most, runner)];
  const between = arrangement.mode === 'regular' || !range ? '' : ` (${least ?? '?'} to ${most ?? 'no upper bound'})`;
  const times =
    rate > profile.costs.most ? `, ${formatNumber(rate / profile.costs.most)} times the highest tested rate` : '';
  return `${formatNumber(rate)}/s needs ${pods}${between}${times}; this is computed, not measured`;
}

const countText = (n: number, component: Component): string => `${n} ${NAMES[component]}${n === 1 ? '' : 's'}`;

const NAMES: Record<Component, string> = {
  main: 'main',
  worker: 'worker',
  webhook: 'webhook processor',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
};

function explainImpossible({ rate, capacity, profile }: Forecast, reason: Share | 'latency' | 'too-many-pods'): string {
  const most = `the recorded deployment takes about ${formatNumber(capacity.predicted)}/s`;
  if (reason === 'latency')
    return `no number of pods meets the objectives at ${formatNumber(rate)}/s: a single execution takes longer; ${most}`;
  if (reason === 'too-many-pods') return `${formatNumber(rate)}/s needs more than 1000 pods of a component; ${most}`;
  const whose = reason.component ? `${NAMES[reason.component]}'s ` : '';
  const what = `${whose}${RESOURCES[reason.resource]}`;
  const queue =
    profile.recorded.mode === 'regular'
      ? '; record a run with executions.mode=queue, which spreads executions over workers'
      : '';
  return `${formatNumber(rate)}/s is more than ${what} can do, and it cannot be scaled out: it would be ${formatPercent(reason.share)} busy; ${most}${queue}`;
}

const RESOURCES: Record<Share['resource'], string> = {
  thread: 'one thread',
  'task-runner': 'task runner',
  cpu: 'CPU limit',
  machine: 'cores of the machine',
  slots: 'execution slots',
  requests: 'limit of requests (overload.maxRequests)',
  memory: 'memory',
};

function summarizePods(
  { range }: Forecast,
  { arrangement, prediction }: Exclude<Arranged, { impossible: unknown }>,
): ForecastPods[] {
  return [...arrangement.components].map(([component, { replicas, cores, memoryBytes, slots }]) => {
    const [least, most] = [replicasIn(range?.least, component), replicasIn(range?.most, component)];
    const busy = prediction.shares.find((s) => s.component === component)?.share;
    return {
      component,
      replicas,
      ...(least !== undefined && { least }),
      ...(most !== undefined && { most }),
      ...(cores !== undefined && { cores }),
      ...(memoryBytes !== undefined && { memoryGib: memoryBytes / 2 ** 30 }),
      ...(slots !== undefined && { concurrency: slots }),
      ...(busy !== undefined && { busy }),
    };
  });
}

const replicasIn = (arranged: Arranged | undefined, component: Component): number | undefined =>
  arranged && !('impossible' in arranged) ? arranged.arrangement.components.get(component)?.replicas : undefined;

function summarizeTotals(
  { range }: Forecast,
  arrangement: Arrangement,
  prices: Omit<Prices, 'currency'> | undefined,
): ForecastTotals {
  const reserved = sumReserved(arrangement);
  const monthly = (a: Arrangement) => costPerHour(sumReserved(a), { ...prices!, currency: '' }) * HOURS_A_MONTH;
  const of = (arranged: Arranged | undefined) =>
    arranged && !('impossible' in arranged) ? monthly(arranged.arrangement) : undefined;
  const connections = countConnections(arrangement);
  const [least, most] = prices ? [of(range?.least), of(range?.most)] : [];
  return {
    ...reserved,
    ...(connections !== undefined && { connections }),
    ...(prices && {
      perMonth: {
        value: monthly(arrangement),
        ...(least !== undefined && { least }),
        ...(most !== undefined && { most }),
      },
    }),
  };
}

function sumReserved({ components }: Arrangement): Pick<ForecastTotals, 'cores' | 'memoryGib'> {
  const pods = [...components.values()];
  return {
    cores: sum(pods.map((p) => p.replicas * (p.cores ?? 0))),
    memoryGib: sum(pods.map((p) => (p.replicas * (p.memoryBytes ?? 0)) / 2 ** 30)),
  };
}

/** Connections that all pods may open, counted as in the chart (templates/postgresql/_postgresql.tpl): without pods that are ending. */
export function countConnections({ components, poolSize, mode }: Arrangement): number | undefined {
  if (poolSize === undefined) return undefined;
  const of = (component: Component) => components.get(component)?.replicas ?? 0;
  const surge = mode === 'queue' && of('webhook') > 0 ? 1 : 0;
  return (of('main') + of('worker') + of('webhook') + surge) * poolSize;
}

const MILLI = 1000;
const MIB = 2 ** 20;

function summarizeCosts({ profile: { costs } }: Forecast): CostOfExecution[] {
  const line = (what: string, found: Line | undefined, unit: string, factor = 1): CostOfExecution[] =>
    found
      ? [
          {
            what,
            value: found.slope * factor,
            ...(found.slopeError !== undefined && { error: found.slopeError * factor }),
            unit,
          },
        ]
      : [];
  return [
    ...[...costs.components].flatMap(([component, { cpu, thread, child, memory }]) => [
      ...line(`CPU of ${component}`, cpu, 'ms', MILLI),
      ...line(`its main thread`, runsN8n(component) ? thread : undefined, 'ms', MILLI),
      ...line(`its task runner`, runsN8n(component) && child && child.slope > 0 ? child : undefined, 'ms', MILLI),
      ...line(`memory in flight`, runsN8n(component) ? memory : undefined, 'MiB', 1 / MIB),
    ]),
    ...line('transactions', costs.transactions, ''),
    ...line('rows written', costs.rowsWritten, ''),
    ...line('connection to PostgreSQL', costs.connections, 'ms', MILLI),
    ...line('Redis commands', costs.redisCommands, ''),
  ];
}
