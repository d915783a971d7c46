import { PERCENTILES } from '../model/plan.js';
import { formatNumber, formatHours, formatMib, formatSeconds, formatOverhead, formatPercent } from '../core/formats.js';
import { why } from '../judge/conclusion.js';
import { answeredRate } from '../judge/sustained.js';
import { scalingWords } from '../judge/profiles/burst.js';
import type { BurstReport, Drift, PayloadLimit, Scaling } from '../model/reports.js';
import type { PhaseRecord, StepForecast, StepRecord } from '../model/step.js';
import type { JudgedStep } from '../model/verdict.js';
import { arrivals } from './facts.js';
import { LIMIT_WORDS, stepWord } from './words.js';

/** A column of a table, the same on the terminal, in Markdown and in HTML. */
export interface Column<Row> {
  head: string;
  /** Text is aligned to the left, numbers to the right. */
  isText?: true;
  cell: (row: Row) => string;
  /** Added to the cell: in brackets, or in small print. */
  note?: (row: Row) => string | undefined;
}

/** Shown in place of a missing value. */
export const NONE = '–';

/** The text of a cell with its note in brackets. */
export function cellText<Row>({ cell, note }: Column<Row>, row: Row): string {
  const more = note?.(row);
  return more === undefined ? cell(row) : `${cell(row)} (${more})`;
}

/** Columns of latencies above the service time. */
const latencyColumns = <Row>(latencyOf: (row: Row) => StepRecord['summary']['latency']): Column<Row>[] =>
  PERCENTILES.map((p) => ({
    head: p,
    cell: (row) => {
      const latency = latencyOf(row);
      return latency ? formatOverhead(latency[p]) : NONE;
    },
  }));

/** Columns of steps. */
export const STEP: Record<
  'number' | 'arrivals' | 'verdict' | 'offered' | 'answered' | 'executions' | 'failed' | 'drain' | 'forecast' | 'why',
  Column<JudgedStep>
> & { latency: Column<JudgedStep>[] } = {
  number: { head: '#', cell: ({ step }) => `${step.index + 1}` },
  arrivals: { head: 'Arrivals', cell: ({ step }) => arrivals(step) },
  verdict: { head: 'Verdict', isText: true, cell: stepWord },
  offered: {
    head: 'Offered/s',
    cell: ({ step }) => formatNumber(step.summary.offered / ((step.measuredTo - step.measuredFrom) / 1000)),
  },
  answered: { head: 'Answered/s', cell: ({ step }) => formatNumber(answeredRate(step)) },
  executions: {
    head: 'Executions',
    cell: ({ step: { executions, aborted } }) => {
      if (!executions) return 'unknown';
      // k6 does not record the requests that it interrupts.
      const { completed, accepted } = executions;
      return aborted && completed > accepted ? `${completed}, ended early` : `${completed} of ${accepted}`;
    },
  },
  failed: {
    head: 'Failed',
    cell: ({ step }) => `${step.summary.failed}`,
    note: ({ judged }) => `≤ ${formatPercent(judged.errorRateUpperBound)}`,
  },
  latency: latencyColumns(({ step }) => step.summary.latency),
  drain: {
    head: 'Drain',
    cell: ({ step: { executions } }) => (executions ? formatSeconds(executions.drainSeconds) : NONE),
  },
  forecast: { head: 'Forecast p95', cell: ({ step: { forecast } }) => forecastText(forecast) },
  why: { head: 'Why', isText: true, cell: why },
};

/** The forecast of a step from the steps before it: its 95th percentile, and whether it would hold. */
function forecastText(forecast: StepForecast | undefined): string {
  if (!forecast) return NONE;
  const p95 = forecast.p95 === undefined ? 'too much' : formatOverhead(forecast.p95);
  return `${p95}, ${forecast.holds ? 'holds' : 'breaks'}`;
}

/** Columns of the phases of a burst. */
export const PHASE: Record<
  'name' | 'offered' | 'seconds' | 'from' | 'to' | 'answered' | 'failed' | 'failures',
  Column<PhaseRecord>
> & { latency: Column<PhaseRecord>[] } = {
  name: { head: 'Phase', isText: true, cell: ({ name }) => name },
  offered: { head: 'Offered/s', cell: ({ rate }) => formatNumber(rate) },
  seconds: { head: 'Seconds', cell: ({ from, to }) => `${to - from}` },
  from: { head: 'From', cell: ({ from }) => `${from} s` },
  to: { head: 'To', cell: ({ to }) => `${to} s` },
  answered: { head: 'Answered', cell: ({ answered }) => `${answered}` },
  failed: { head: 'Failed', cell: ({ failed }) => `${failed}` },
  latency: latencyColumns(({ latency }) => latency),
  failures: { head: 'Failures', isText: true, cell: failureKinds },
};

/** `HTTP 503 12, unproved 3`: failures by kind, most frequent first; empty without a failure. */
function failureKinds({ failures }: PhaseRecord): string {
  return Object.entries(failures)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, n]) => `${kind} ${n}`)
    .join(', ');
}

/** A name with its value. */
export type Fact = [name: string, value: string];

/** Facts as a table. */
export const FACT_COLUMNS: Column<Fact>[] = [
  { head: 'Burst', isText: true, cell: ([name]) => name },
  { head: 'Measured', isText: true, cell: ([, value]) => value },
];

const BACKLOG_SOURCES = {
  queue: "jobs in Bull's queue",
  counts: 'executions accepted minus executions ended',
} as const;

/** Results of a burst: backlog, drain, scaling, lost executions. */
export function burstFacts(report: BurstReport): Fact[] {
  const { backlog, baseLevel, peak, drainSeconds, latencyBackSeconds, scaling, unended } = report;
  const seconds = (value: number | undefined) =>
    value === undefined ? 'not within the observed time' : `${formatNumber(value)} s`;
  return [
    [
      'Peak backlog',
      peak ? `${peak.executions} executions, ${formatNumber(peak.seconds)} s after the spike began` : 'unknown',
    ],
    ['Backlog counted as', BACKLOG_SOURCES[backlog.source]],
    ['Time to drain', `${seconds(drainSeconds)} (until ${formatNumber(baseLevel)} or fewer, as before the spike)`],
    ['Latency back to normal', seconds(latencyBackSeconds)],
    ...(scaling.length > 0
      ? scaling.map((s): Fact => [`Scaling of ${s.component}`, scalingText(s)])
      : [['Scaling', scalingWords(report)] satisfies Fact]),
    ['Executions lost', unended ? `${unended.lost}` : 'unknown'],
    ...(unended && unended.queued > 0 ? [['Still in the queue', `${unended.queued}`] satisfies Fact] : []),
  ];
}

function scalingText({ before, most, wanted, firstReady, lastReady }: Scaling): string {
  if (firstReady === undefined) return `${before} pods; the autoscaler asked for ${wanted}, none was ready in time`;
  const last = lastReady === firstReady ? '' : `, last new pod ready after ${formatNumber(lastReady!)} s`;
  return `${before} to ${most} pods: first new pod ready ${formatNumber(firstReady)} s after the spike began${last}`;
}

/** Quantities of a soak; the medium adds the verdict. */
export const DRIFT_COLUMNS: Column<Drift>[] = [
  { head: 'Quantity', isText: true, cell: ({ of }) => of },
  { head: 'Of', isText: true, cell: ({ name }) => name },
  {
    head: 'Change per hour',
    cell: (drift) => (drift.verdict === 'too-short' ? NONE : change(drift.of, drift.perHour)),
  },
  {
    head: 'At least, at most',
    cell: ({ of, low, high }) =>
      low === undefined || high === undefined ? NONE : `${change(of, low)}, ${change(of, high)}`,
  },
  {
    head: 'Limit reached in',
    cell: ({ hoursToLimit }) => (hoursToLimit === undefined ? NONE : formatHours(hoursToLimit)),
  },
  {
    head: 'Proved for',
    cell: ({ provedHours }) => (provedHours === undefined ? NONE : formatHours(provedHours)),
  },
];

/** `+1.2 MiB`, `−3 ms`, `+0.2 %`, `+36000 rows`. */
function change(of: Drift['of'], perHour: number): string {
  const size = Math.abs(perHour);
  const sign = perHour < 0 ? '−' : '+';
  if (of === 'rows') return `${sign}${formatNumber(size)} rows`;
  if (of === 'slow' || of === 'errors') return `${sign}${formatNumber(100 * size)} %`;
  if (of === 'backlog') return `${sign}${formatNumber(size)}`;
  return `${sign}${of === 'latency' ? formatSeconds(size) : `${formatNumber(size / 2 ** 20)} MiB`}`;
}

const orNone = (value: number | undefined): string => (value === undefined ? NONE : formatMib(value));

/** Payload limits by number of clients. */
export const PAYLOAD_COLUMNS: Column<PayloadLimit>[] = [
  { head: 'Clients', cell: ({ clients }) => `${clients}` },
  { head: 'Survives', cell: ({ survivedMiB }) => orNone(survivedMiB) },
  { head: 'In total', cell: ({ clients, survivedMiB }) => orNone(survivedMiB && survivedMiB * clients) },
  { head: 'Does not survive', cell: ({ brokeMiB }) => orNone(brokeMiB) },
  { head: 'Limit', isText: true, cell: ({ limit }) => (limit ? LIMIT_WORDS[limit] : 'unknown') },
  { head: 'Tries', cell: ({ tries }) => `${tries.length}` },
];
