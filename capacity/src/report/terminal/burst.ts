import { format, milliseconds } from '../../core/formats.js';
import type { PhaseRecord } from '../../model/step.js';
import type { BurstReport, Scaling } from '../../model/reports.js';
import Table from 'cli-table3';
import { scalingWords } from '../../judge/profiles/burst.js';
import { BORDERLESS } from './style.js';

/** A figure of a burst with its name. */
export type Figure = [name: string, value: string];

/** What a burst measured, a figure each: backlog, drain, scaling, executions lost. */
export function burstFigures(report: BurstReport): Figure[] {
  const { backlog, baseLevel, peak, drainSeconds, latencyBackSeconds, scaling, unended } = report;
  const seconds = (value: number | undefined) =>
    value === undefined ? 'not while it was observed' : `${format(value)} s`;
  return [
    [
      'Peak backlog',
      peak ? `${peak.executions} executions, ${format(peak.seconds)} s after the spike began` : 'unknown',
    ],
    ['Backlog counted', SOURCES[backlog.source]],
    ['Time to drain', `${seconds(drainSeconds)} (until ${format(baseLevel)} or fewer, as before the spike)`],
    ['Latency back', seconds(latencyBackSeconds)],
    ...(scaling.length > 0
      ? scaling.map((s): Figure => [`Scaling of ${s.component}`, scalingText(s)])
      : [['Scaling', scalingWords(report)] satisfies Figure]),
    ['Executions lost', unended ? String(unended.lost) : 'unknown'],
    ...(unended && unended.queued > 0 ? [['Still in the queue', String(unended.queued)] satisfies Figure] : []),
  ];
}

const SOURCES = { queue: "jobs in Bull's queue", counts: 'executions accepted less those ended' } as const;

function scalingText({ before, most, wanted, firstReady, lastReady }: Scaling): string {
  if (firstReady === undefined) return `${before}; ${wanted} were asked for, none came in time`;
  const last = lastReady === firstReady ? '' : `, the last after ${format(lastReady!)} s`;
  return `${before} to ${most}: the first new pod ready ${format(firstReady)} s after the spike began${last}`;
}

/** Characters in which kinds of failures are wrapped, so that the table fits into 120. */
const KINDS_WIDTH = 30;

/** A line a phase, then the figures. */
export function burstTable(report: BurstReport): string {
  const head = ['phase', 'offered/s', 'seconds', 'answered', 'failed', 'p50', 'p95', 'p99', 'failures'];
  const table = new Table({
    head,
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: head.map((name) => (name === 'phase' || name === 'failures' ? 'left' : 'right')),
    colWidths: head.map((name) => (name === 'failures' ? KINDS_WIDTH : null)),
    wordWrap: true,
  });
  for (const phase of report.phases) {
    const { name, rate, from, to, answered, failed } = phase;
    table.push([name, format(rate), to - from, answered, failed, ...percentiles(phase), failureKinds(phase)]);
  }
  const figures = burstFigures(report);
  const width = Math.max(...figures.map(([name]) => name.length));
  return [table.toString(), '', ...figures.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join('\n');
}

/** `HTTP 503 12, unproved 3`: how many failed of what, the most first; empty where nothing did. */
export const failureKinds = ({ failures }: PhaseRecord): string =>
  Object.entries(failures)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, n]) => `${kind} ${n}`)
    .join(', ');

/** p50, p95 and p99 above the service time; dashes where nothing was answered. */
export const percentiles = ({ latency }: PhaseRecord): string[] =>
  (['p50', 'p95', 'p99'] as const).map((p) => (latency ? `+${milliseconds(latency[p])}` : '-'));
