import pc from 'picocolors';
import { formatNumber, formatSeconds, formatPercent, formatRate } from '../../../core/formats.js';
import type { CostOfExecution, ForecastOfStep, ForecastPods, ForecastSummary, ForecastTotals } from '../summary.js';
import type { Column } from '../../../report/columns.js';
import { labelledLine, textTable, verdictLine } from '../../../report/terminal/table.js';

/** The pods and their totals, the cost of an execution, the accuracy of the forecasts of the record's own steps, and the conclusion. */
export function printForecast(summary: ForecastSummary & { values?: string }): string {
  const { verdict, conclusion, load, pods, totals, costs, steps, unknown, values } = summary;
  const blocks = [
    ...(pods.length > 0
      ? [`${pc.bold(`${load} at ${formatRate(summary.rate)}`)}\n${textTable(POD_COLUMNS, pods)}`]
      : []),
    `${pc.bold('An execution costs')}\n${textTable(COST_COLUMNS, costs)}`,
    ...(steps.length > 0
      ? [`${pc.bold('Forecast of each step from those before it')}\n${textTable(STEP_COLUMNS, steps)}`]
      : []),
  ];
  const lines = [
    verdictLine(verdict, conclusion),
    ...(totals ? [labelledLine('Total:', describeTotals(totals))] : []),
    labelledLine('Error:', describeError(summary)),
    ...unknown.map((text) => labelledLine('Unknown:', text)),
    ...(values === undefined ? [] : [labelledLine('Values:', values)]),
  ];
  return `\n${blocks.join('\n\n')}\n\n${lines.join('\n')}\n`;
}

const POD_COLUMNS: Column<ForecastPods>[] = [
  { head: 'Pods', isText: true, cell: (p) => p.component },
  { head: 'Replicas', cell: (p) => String(p.replicas) },
  { head: '95 %', cell: (p) => (p.least === undefined ? '' : `${p.least} to ${p.most ?? '?'}`) },
  { head: 'CPU each', cell: (p) => (p.cores === undefined ? '' : formatNumber(p.cores)) },
  { head: 'Memory each', cell: (p) => (p.memoryGib === undefined ? '' : `${formatNumber(p.memoryGib)} GiB`) },
  { head: 'At once', cell: (p) => (p.concurrency === undefined ? '' : String(p.concurrency)) },
  { head: 'Busy', cell: (p) => (p.busy === undefined ? '' : formatPercent(Math.round(p.busy * 100) / 100)) },
];

const COST_COLUMNS: Column<CostOfExecution>[] = [
  { head: 'Cost', isText: true, cell: (c) => c.what },
  { head: 'Each', cell: (c) => `${formatNumber(c.value)} ${c.unit}`.trim() },
  { head: '±', cell: (c) => (c.error === undefined ? '' : formatNumber(c.error)) },
];

const STEP_COLUMNS: Column<ForecastOfStep>[] = [
  { head: 'Arrivals', cell: (s) => formatRate(s.rate) },
  { head: 'Cores', cell: ({ cores }) => cores.forecast.toFixed(2) },
  { head: 'seen', cell: ({ cores }) => cores.seen?.toFixed(2) ?? '' },
  { head: 'p95', cell: ({ p95 }) => (p95.forecast === undefined ? '' : formatSeconds(p95.forecast)) },
  { head: 'seen', cell: ({ p95 }) => (p95.seen === undefined ? '' : formatSeconds(p95.seen)) },
  { head: 'Holds', isText: true, cell: ({ holds }) => yesOrNo(holds.forecast) },
  { head: 'seen', isText: true, cell: ({ holds }) => (holds.seen === undefined ? '' : yesOrNo(holds.seen)) },
];

const yesOrNo = (holds: boolean) => (holds ? 'yes' : 'no');

function describeTotals({ cores, memoryGib, connections, perMonth }: ForecastTotals): string {
  const range =
    perMonth?.least === undefined || perMonth.most === undefined
      ? ''
      : ` (${perMonth.least.toFixed(0)} to ${perMonth.most.toFixed(0)})`;
  return [
    `${formatNumber(cores)} cores`,
    `${formatNumber(memoryGib)} GiB`,
    ...(connections === undefined ? [] : [`up to ${connections} connections to PostgreSQL`]),
    perMonth ? `${perMonth.value.toFixed(0)}${range} a month` : 'no cost without --cpu-price and --memory-price',
  ].join(', ');
}

function describeError({ error, capacity, steps }: ForecastSummary): string {
  const wrong = steps.filter(({ holds }) => holds.seen !== undefined && holds.seen !== holds.forecast).length;
  const told = steps.filter(({ holds }) => holds.seen !== undefined).length;
  const measured = capacity.measured === undefined ? '' : `, measured ${formatRate(capacity.measured)}`;
  return [
    error === undefined
      ? 'the steps do not show the error of the cost'
      : `cost of an execution within ${formatPercent(error)} at 95 %`,
    ...(told === 0 ? [] : [`${told - wrong} of ${told} steps went as forecast`]),
    `capacity of the recorded deployment ${formatRate(capacity.predicted)}${measured}`,
  ].join('; ');
}
