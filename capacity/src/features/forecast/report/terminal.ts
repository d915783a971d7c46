import pc from 'picocolors';
import { format, milliseconds, percent, perSecond } from '../../../core/formats.js';
import type { CostOfExecution, ForecastOfStep, ForecastPods, ForecastSummary, ForecastTotals } from '../summary.js';
import type { Column } from '../../../report/columns.js';
import { labelled, textTable, verdictLine } from '../../../report/terminal/table.js';

/** The pods and their totals, the cost of an execution, the accuracy of the forecasts of the record's own steps, and the conclusion. */
export function printForecast(summary: ForecastSummary & { values?: string }): string {
  const { verdict, conclusion, load, pods, totals, costs, steps, unknown, values } = summary;
  const blocks = [
    ...(pods.length > 0 ? [`${pc.bold(`${load} at ${perSecond(summary.rate)}`)}\n${textTable(PODS, pods)}`] : []),
    `${pc.bold('An execution costs')}\n${textTable(COSTS, costs)}`,
    ...(steps.length > 0
      ? [`${pc.bold('Forecast of each step from those before it')}\n${textTable(STEPS, steps)}`]
      : []),
  ];
  const lines = [
    verdictLine(verdict, conclusion),
    ...(totals ? [labelled('Total:', totalOf(totals))] : []),
    labelled('Error:', errorOf(summary)),
    ...unknown.map((text) => labelled('Unknown:', text)),
    ...(values === undefined ? [] : [labelled('Values:', values)]),
  ];
  return `\n${blocks.join('\n\n')}\n\n${lines.join('\n')}\n`;
}

const PODS: Column<ForecastPods>[] = [
  { head: 'Pods', isText: true, cell: (p) => p.component },
  { head: 'Replicas', cell: (p) => String(p.replicas) },
  { head: '95 %', cell: (p) => (p.least === undefined ? '' : `${p.least} to ${p.most ?? '?'}`) },
  { head: 'CPU each', cell: (p) => (p.cores === undefined ? '' : format(p.cores)) },
  { head: 'Memory each', cell: (p) => (p.memoryGib === undefined ? '' : `${format(p.memoryGib)} GiB`) },
  { head: 'At once', cell: (p) => (p.concurrency === undefined ? '' : String(p.concurrency)) },
  { head: 'Busy', cell: (p) => (p.busy === undefined ? '' : percent(Math.round(p.busy * 100) / 100)) },
];

const COSTS: Column<CostOfExecution>[] = [
  { head: 'Cost', isText: true, cell: (c) => c.what },
  { head: 'Each', cell: (c) => `${format(c.value)} ${c.unit}`.trim() },
  { head: '±', cell: (c) => (c.error === undefined ? '' : format(c.error)) },
];

const STEPS: Column<ForecastOfStep>[] = [
  { head: 'Arrivals', cell: (s) => perSecond(s.rate) },
  { head: 'Cores', cell: ({ cores }) => cores.forecast.toFixed(2) },
  { head: 'seen', cell: ({ cores }) => cores.seen?.toFixed(2) ?? '' },
  { head: 'p95', cell: ({ p95 }) => (p95.forecast === undefined ? '' : milliseconds(p95.forecast)) },
  { head: 'seen', cell: ({ p95 }) => (p95.seen === undefined ? '' : milliseconds(p95.seen)) },
  { head: 'Holds', isText: true, cell: ({ holds }) => yes(holds.forecast) },
  { head: 'seen', isText: true, cell: ({ holds }) => (holds.seen === undefined ? '' : yes(holds.seen)) },
];

const yes = (holds: boolean) => (holds ? 'yes' : 'no');

function totalOf({ cores, memoryGib, connections, perMonth }: ForecastTotals): string {
  const range =
    perMonth?.least === undefined || perMonth.most === undefined
      ? ''
      : ` (${perMonth.least.toFixed(0)} to ${perMonth.most.toFixed(0)})`;
  return [
    `${format(cores)} cores`,
    `${format(memoryGib)} GiB`,
    ...(connections === undefined ? [] : [`up to ${connections} connections to PostgreSQL`]),
    perMonth ? `${perMonth.value.toFixed(0)}${range} a month` : 'no cost without --cpu-price and --memory-price',
  ].join(', ');
}

function errorOf({ error, capacity, steps }: ForecastSummary): string {
  const wrong = steps.filter(({ holds }) => holds.seen !== undefined && holds.seen !== holds.forecast).length;
  const told = steps.filter(({ holds }) => holds.seen !== undefined).length;
  const measured = capacity.measured === undefined ? '' : `, measured ${perSecond(capacity.measured)}`;
  return [
    error === undefined
      ? 'the steps do not show the error of the cost'
      : `cost of an execution within ${percent(error)} at 95 %`,
    ...(told === 0 ? [] : [`${told - wrong} of ${told} steps went as forecast`]),
    `capacity of the recorded deployment ${perSecond(capacity.predicted)}${measured}`,
  ].join('; ');
}
