import Table from 'cli-table3';
import { scalingWords, type BurstReport } from '../judge/burst.js';
import type { Scaling } from '../judge/burst-series.js';
import { format } from '../judge/run.js';
import { milliseconds } from '../judge/step.js';
import type { PhaseRecord } from '../record/types.js';
import { BORDERLESS } from './terminal-style.js';

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

/** A line a phase, then the figures. */
export function burstTable(report: BurstReport): string {
  const table = new Table({
    head: ['phase', 'offered/s', 'seconds', 'answered', 'failed', 'p50', 'p95', 'p99'],
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: ['left', 'right', 'right', 'right', 'left', 'right', 'right', 'right'],
  });
  for (const phase of report.phases) {
    const { name, rate, from, to, answered } = phase;
    table.push([name, format(rate), to - from, answered, failuresText(phase), ...percentiles(phase)]);
  }
  const figures = burstFigures(report);
  const width = Math.max(...figures.map(([name]) => name.length));
  return [table.toString(), '', ...figures.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join('\n');
}

/** `0`, or how many failed and of what. */
export function failuresText({ failed, failures }: PhaseRecord): string {
  const kinds = Object.entries(failures).map(([kind, n]) => `${n} × ${kind}`);
  return failed === 0 ? '0' : `${failed} (${kinds.join(', ')})`;
}

/** p50, p95 and p99 above the service time; dashes where nothing was answered. */
export const percentiles = ({ latency }: PhaseRecord): string[] =>
  (['p50', 'p95', 'p99'] as const).map((p) => (latency ? `+${milliseconds(latency[p])}` : '-'));
