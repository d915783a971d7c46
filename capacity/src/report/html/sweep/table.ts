import { format } from '../../../core/formats.js';
import type { SweepRow } from '../../../model/sweep.js';
import { html, type Html } from '../html.js';
import { STATUS_WORDS, statusClass, sustained, type SweepReport } from './facts.js';

/** One row a configuration, with what it reserves, what it sustains and why; its columns can be sorted by. */
export function configurationTable(report: SweepReport): Html {
  const { record, conclusion } = report;
  const { currency } = record.plan.prices;
  const dimensions = Object.keys(record.plan.dimensions);
  const numbers = ['Cores', 'GiB', `${currency}/h`, 'Sustains/s', `${currency}/million`];
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Configurations">
      <table class="steps">
        <caption>
          <div>${CAPTION} A million: executions at the sustained rate. A column’s head sorts by it.</div>
        </caption>
        <thead>
          <tr>
            ${head('#', true)}${dimensions.map((name) => head(name))}${numbers.map((name) => head(name))}
            ${head('Status', true)}
          </tr>
        </thead>
        ${conclusion.rows.map((row) => configurationRow(row, dimensions, report))}
      </table>
    </div>
  `;
}

const CAPTION = `Cores and memory are the limits of all pods. Dominated: stopped because something cheaper takes as much, so
  that its rate is the least that it sustains. Ruled out: its answer follows from what was measured. Excluded: the chart or
  arithmetic refuses it. Open: not measured yet. In none of the last three a missing rate is a rate of 0.`;

const head = (name: string, isText = false): Html =>
  html`<th scope="col" class="${isText ? 'text' : ''}"><button type="button" data-sort>${name}</button></th>`;

function configurationRow(row: SweepRow, dimensions: string[], { record, conclusion, runs }: SweepReport): Html {
  const { id, values, cost, capacity, perMillion } = row;
  const number = /^\d+/.exec(id)?.[0] ?? id;
  const run = runs.get(id);
  const isRecommended = conclusion.recommended?.id === id;
  return html`<tbody class="${statusClass(row.status)}" id="configuration-${id}">
    <tr>
      <th scope="row" data-value="${id}">${run ? html`<a href="${encodeURI(run.report)}">${number}</a>` : number}</th>
      ${dimensions.map((name) => html`<td data-value="${record.plan.dimensions[name]!.indexOf(values[name]!)}">${String(values[name])}</td>`)}
      ${cell(cost?.cores, cost && format(cost.cores))}${cell(cost?.memoryGib, cost && format(cost.memoryGib))}
      ${cell(cost?.perHour, cost?.perHour.toFixed(3))}
      ${cell(capacity, sustained(row) ?? (row.status === 'measured' ? 'none' : undefined))}
      ${cell(perMillion, perMillion?.toFixed(2))}
      <td class="text" data-value="${row.status}">
        <span class="${statusClass(row.status) && 'word'}">${STATUS_WORDS[row.status]}</span>
        ${isRecommended && html`<span class="capacity">recommended</span>`}
        ${!isRecommended && row.onFront && html`<span class="capacity">on the front</span>`}
      </td>
    </tr>
    <tr class="reasons">
      <td></td>
      <td colspan="${dimensions.length + 6}" class="text">
        <ul>
          <li>${reason(row)}</li>
        </ul>
      </td>
    </tr>
  </tbody>`;
}

const cell = (value: number | undefined, text: string | undefined): Html =>
  html`<td data-value="${value}">${text ?? '–'}</td>`;

/** Helm's message names the same thing on its first line for every configuration. */
const reason = ({ text }: SweepRow): string => text.replace(/^the chart refuses these values:\n/, '');
