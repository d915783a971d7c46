import { formatPercent } from '../../core/formats.js';
import type { RecordedRun } from '../../record/recorder.js';
import { NONE } from '../columns.js';
import { html, type Html } from '../markup.js';
import type { Figures } from './document.js';
import { axis, BASE, categoryAxis, limitLine, marks, niceCeil, type Plot } from './plot.js';
import { maximum } from './series.js';
import { measureSpreads, type ProcessShare, type Spread } from './spread.js';
import { table } from './table.js';

/** How evenly the processes of a component shared its work; undefined if each component has one process. */
export function spreadSection(run: RecordedRun, figures: Figures): Html | undefined {
  const all = measureSpreads(run);
  if (all.length === 0) return undefined;
  return html`
    <h3 class="component">Spread over processes</h3>
    ${spreadTable(all)}
    <div class="pair">${all.map((spread) => figures.figure(spreadPlot(spread), 4))}</div>
  `;
}

type Line = Record<'name' | 'executions' | 'executionShare' | 'cpu' | 'cpuShare', string>;

const spreadTable = (all: Spread[]): Html =>
  table({
    label: 'Executions and CPU time of each process',
    columns: [
      { head: 'Process', isText: true, cell: ({ name }) => name },
      { head: 'Executions', cell: ({ executions }) => executions },
      { head: 'Share', cell: ({ executionShare }) => executionShare },
      { head: 'CPU seconds', cell: ({ cpu }) => cpu },
      { head: 'Share', cell: ({ cpuShare }) => cpuShare },
    ],
    rows: all.flatMap(spreadLines),
    caption:
      'Over the whole run; shares are those of the component. Executions are counted by the process that starts them. Workers count none, so compare their CPU time. Fairness is Jain’s index: 1 if all processes did the same, 1/n if one of n did everything.',
  });

/** A line for each process, then the fairness of the component. */
function spreadLines({ component, processes, executionsIndex, cpuIndex }: Spread): Line[] {
  const executions = processes.reduce((sum, p) => sum + (p.executions ?? 0), 0);
  const cpu = processes.reduce((sum, p) => sum + p.cpuSeconds, 0);
  return [
    ...processes.map((p) => ({
      name: p.name,
      executions: p.executions === undefined ? NONE : `${p.executions}`,
      executionShare: share(p.executions, executions),
      cpu: p.cpuSeconds.toFixed(1),
      cpuShare: share(p.cpuSeconds, cpu),
    })),
    {
      name: `${component}: fairness`,
      executions: executionsIndex?.toFixed(3) ?? NONE,
      executionShare: '',
      cpu: cpuIndex?.toFixed(3) ?? NONE,
      cpuShare: '',
    },
  ];
}

const share = (part: number | undefined, whole: number): string =>
  part === undefined || whole === 0 ? NONE : formatPercent(part / whole);

/** Executions where they are counted, else CPU time; a line marks the equal share. */
export function spreadPlot({ component, processes, executionsIndex, cpuIndex }: Spread): Plot {
  const isCounted = executionsIndex !== undefined;
  const index = isCounted ? executionsIndex : cpuIndex;
  const what = isCounted ? 'Executions' : 'CPU seconds';
  const value = (p: ProcessShare) => (isCounted ? p.executions! : Number(p.cpuSeconds.toFixed(1)));
  const values = processes.map(value);
  const equal = values.reduce((a, b) => a + b, 0) / values.length;
  const labels = shortNames(processes.map((p) => p.name));
  const fairness = index === undefined ? 'no work was counted' : `fairness index ${index.toFixed(3)}`;
  return {
    title: `${what} by process: ${component}`,
    alternative: `${what} by process of ${component}, ${fairness}: ${processes.map((p) => `${p.name} ${value(p)}`).join(', ')}.`,
    note: `${index === undefined ? 'No work was counted' : `Jain’s ${fairness}`}. The dashed line is the equal share.`,
    keys: [],
    units: { x: 'name', y: 'count' },
    option: {
      ...BASE,
      xAxis: categoryAxis(component, labels),
      yAxis: axis(isCounted ? 'executions' : what, 0, niceCeil(maximum(values) * 1.1)),
      series: [
        marks([limitLine({ yAxis: equal }, '', 'var(--muted)')], []),
        {
          type: 'bar',
          name: isCounted ? 'executions' : what,
          data: processes.map((p, i) => [labels[i]!, value(p)]),
          barMaxWidth: 48,
          itemStyle: { color: 'var(--series-1)' },
          emphasis: { disabled: true },
        },
      ],
    },
  };
}

/** Names without the words that all of them begin with. */
function shortNames(names: string[]): string[] {
  const words = names.map((name) => name.split('-'));
  let same = 0;
  while (words.every((w) => w.length > same + 1 && w[same] === words[0]![same])) same++;
  return words.map((w) => w.slice(same).join('-'));
}
