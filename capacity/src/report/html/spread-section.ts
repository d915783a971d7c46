import { percent } from '../../core/formats.js';
import type { RecordedRun } from '../../record/recorder.js';
import { most } from './facts.js';
import type { Figures } from './figure.js';
import { html, type Html } from './html.js';
import { axis, BASE, categoryAxis, limitLine, marks, niceCeil, type Plot } from './plot.js';
import { spreads, type ProcessShare, type Spread } from './spread.js';

/** How evenly the processes of a component shared its work. Nothing where each component has one process. */
export function spreadSection(run: RecordedRun, figures: Figures): Html | undefined {
  const all = spreads(run);
  if (all.length === 0) return undefined;
  return html`
    <h3 class="component">Spread over processes</h3>
    ${spreadTable(all)}
    <div class="pair">${all.map((spread) => figures.figure(spreadPlot(spread), 4))}</div>
  `;
}

function spreadTable(all: Spread[]): Html {
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Executions and CPU time of each process">
      <table>
        <caption>
          <div>
            Over the whole run. Executions are counted where they are started; workers do not count what they work off,
            so that their CPU time tells. Shares are those of the component. Fairness: Jain’s index, 1 when all
            processes have done the same, 1/n when one of n has done everything.
          </div>
        </caption>
        <thead>
          <tr>
            <th scope="col" class="text">Process</th>
            ${['Executions', 'Share', 'CPU seconds', 'Share'].map((h) => html`<th scope="col">${h}</th>`)}
          </tr>
        </thead>
        ${all.map(rows)}
      </table>
    </div>
  `;
}

function rows({ component, processes, executionsIndex, cpuIndex }: Spread): Html {
  const executions = processes.reduce((sum, p) => sum + (p.executions ?? 0), 0);
  const cpu = processes.reduce((sum, p) => sum + p.cpuSeconds, 0);
  return html`<tbody>
    ${processes.map(
      (p) =>
        html`<tr>
          <th scope="row">${p.name}</th>
          <td>${p.executions ?? '–'}</td>
          <td>${share(p.executions, executions)}</td>
          <td>${p.cpuSeconds.toFixed(1)}</td>
          <td>${share(p.cpuSeconds, cpu)}</td>
        </tr>`,
    )}
    <tr>
      <th scope="row">${component}: fairness</th>
      <td>${executionsIndex?.toFixed(3) ?? '–'}</td>
      <td></td>
      <td>${cpuIndex?.toFixed(3) ?? '–'}</td>
      <td></td>
    </tr>
  </tbody>`;
}

const share = (part: number | undefined, whole: number): string =>
  part === undefined || whole === 0 ? '–' : percent(Number((part / whole).toPrecision(3)));

/** Executions where they are counted, else CPU time; the line is an equal share. */
export function spreadPlot({ component, processes, executionsIndex, cpuIndex }: Spread): Plot {
  const isCounted = executionsIndex !== undefined;
  const index = isCounted ? executionsIndex : cpuIndex;
  const what = isCounted ? 'Executions' : 'CPU seconds';
  const value = (p: ProcessShare) => (isCounted ? p.executions! : Number(p.cpuSeconds.toFixed(1)));
  const values = processes.map(value);
  const equal = values.reduce((a, b) => a + b, 0) / values.length;
  const labels = shortNames(processes.map((p) => p.name));
  const text = index === undefined ? 'nothing was shared' : `fairness index ${index.toFixed(3)}`;
  return {
    title: `${what} by process: ${component}`,
    alternative: `${what} by process of ${component}, ${text}: ${processes.map((p) => `${p.name} ${value(p)}`).join(', ')}.`,
    note: `Jain’s ${text}. The line is an equal share.`,
    keys: [],
    units: { x: 'name', y: 'count' },
    option: {
      ...BASE,
      xAxis: categoryAxis(component, labels),
      yAxis: axis(isCounted ? 'executions' : what, 0, niceCeil(most(values) * 1.1)),
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

/** Names without the words that all begin with; an axis has no room for more. */
function shortNames(names: string[]): string[] {
  const words = names.map((name) => name.split('-'));
  let same = 0;
  while (words.every((w) => w.length > same + 1 && w[same] === words[0]![same])) same++;
  return words.map((w) => w.slice(same).join('-'));
}
