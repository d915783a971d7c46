import type { Sample } from '../../model/sample.js';
import type { RunVerdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { axis, BASE, limitLine, line, marks, niceCeil, type Key, type Plot, type Points } from './plot.js';
import { maximum, presentValues } from './series.js';
import { seconds, makeTimeline } from './timeline.js';

/** Transactions and connections of n8n's PostgreSQL over the run; undefined if no sample has them. */
export function databasePlots(
  run: RecordedRun,
  verdict: RunVerdict,
): [transactions: Plot, connections: Plot] | undefined {
  if (!run.samples.some((s) => s.database)) return undefined;
  const time = makeTimeline(run, verdict);
  const rates = transactionRates(run.samples, time.origin);
  const key: Key = { name: 'transactions', colour: 'var(--answered)', dash: 'solid' };
  const transactions: Plot = {
    title: 'Transactions',
    alternative: `Transactions of PostgreSQL over time: at most ${Math.round(maximum(presentValues(rates)))} per second.`,
    keys: [],
    units: { x: 'clock', y: 'perSecond' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis('transactions/s', 0, niceCeil(maximum(presentValues(rates)) * 1.08)),
      series: [marks([], time.bands), line(key, rates)],
    },
  };
  return [transactions, connectionsPlot(run, time)];
}

const KEYS: (Key & { of: (sample: Sample) => number | undefined })[] = [
  { name: 'active', colour: 'var(--answered)', dash: 'solid', of: (s) => s.database?.connections.active },
  { name: 'in transaction', colour: 'var(--p95)', dash: 'solid', of: (s) => s.database?.connections.inTransaction },
  { name: 'idle', colour: 'var(--muted)', dash: 'dashed', of: (s) => s.database?.connections.idle },
  {
    name: 'requests waiting for a connection',
    colour: 'var(--waiting)',
    dash: 'solid',
    of: (s) => countPendingRequests(s),
  },
];

function connectionsPlot({ samples, run: { deployment } }: RecordedRun, time: ReturnType<typeof makeTimeline>): Plot {
  const series = KEYS.map(({ of, ...key }) => ({
    key,
    data: samples.map((s): Points[number] => [seconds(s.at, time.origin), of(s) ?? null]),
  })).filter(({ data }) => presentValues(data).length > 0);
  const processes = deployment.instances.filter((i) => i.component !== 'postgresql' && i.component !== 'redis').length;
  const allowed = deployment.poolSize === undefined ? undefined : deployment.poolSize * processes;
  const peaks = series.map(({ key, data }) => `${key.name} ${maximum(presentValues(data))}`);
  const highest = maximum(series.flatMap(({ data }) => presentValues(data)));
  // With a pool that is hardly used, the line of its size would flatten the others.
  const lines =
    allowed !== undefined && allowed <= highest * 4
      ? [limitLine({ yAxis: allowed }, `pool size ${allowed}`, 'var(--muted)')]
      : [];
  return {
    title: 'Connections',
    alternative: `Connections to PostgreSQL over time, at most: ${peaks.join(', ')}${allowed === undefined ? '' : `; n8n may open ${allowed}`}.`,
    keys: series.map(({ key }) => key),
    units: { x: 'clock', y: 'count' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis('connections', 0, niceCeil(maximum([highest], lines.length > 0 ? allowed : 1) * 1.08)),
      series: [marks(lines, time.bands), ...series.map(({ key, data }) => line(key, data))],
    },
  };
}

/** Transactions per second between two samples that have them. */
export function transactionRates(samples: Sample[], origin: number): Points {
  const seen = samples.flatMap(({ at, database }) => (database ? [{ at, ended: database.transactions }] : []));
  return seen.slice(1).map(({ at, ended }, i) => {
    const before = seen[i]!;
    const rate = at > before.at ? ((ended - before.ended) * 1000) / (at - before.at) : null;
    return [seconds(at, origin), rate === null ? null : Number(rate.toFixed(1))];
  });
}

/** Requests of all n8n processes that wait for a connection; undefined if no process reports them. */
export function countPendingRequests({ instances }: Sample): number | undefined {
  const pools = instances.flatMap((i) => i.pool ?? []);
  return pools.length === 0 ? undefined : pools.reduce((sum, p) => sum + p.pending, 0);
}
