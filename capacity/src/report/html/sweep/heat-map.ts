import { milliseconds } from '../../../core/formats.js';
import type { SweepRow } from '../../../model/sweep.js';
import { most } from '../facts.js';
import { html, type Html } from '../html.js';
import { highestCommonLoad, isJudged, STATUS_WORDS, sustained, varied, type SweepReport } from './facts.js';
import { choices, grids, type Axes, type Grid } from './grid.js';

/** What a heat map shows of a configuration. */
interface Measure {
  title: string;
  note: string;
  /** For the shade; absent where there is no number. */
  value(row: SweepRow): number | undefined;
  text(row: SweepRow): string;
  /** Whether it breaks the objective. */
  isBad(row: SweepRow): boolean;
}

/** The strongest shade, in percent of the accent colour: text on it stays readable in both themes. */
const STRONGEST = 46;

/**
 * Heat maps over two dimensions, one for each value of the others. They are tables with shaded cells: the numbers are what
 * is drawn. A choice offers the other pairs of dimensions. Nothing when no dimension has two values.
 */
export function heatMapSection(report: SweepReport): Html | undefined {
  const names = varied(report.record);
  const measures = [p99Measure(report), rateMeasure(report)].filter((m) => m !== undefined);
  if (names.length === 0 || measures.length === 0) return undefined;
  const pairs = choices(names);
  return html`
    <section aria-labelledby="heat-maps">
      <h2 id="heat-maps">Two dimensions at a time</h2>
      ${pairs.length > 1 && choice(pairs)}
      ${pairs.map(
        (axes, i) =>
          html`<div class="pair" id="axes-${i}" ${i > 0 && html`hidden`}>
            ${measures.map((measure) => heatMap(measure, axes, report))}
          </div>`,
      )}
      <p class="reading">A stronger shade is a larger number; the scale begins at 0 and is that of all cells.</p>
    </section>
  `;
}

const choice = (pairs: Axes[]): Html =>
  html`<p class="choice" hidden>
    <label
      >Dimensions
      <select data-show="axes">
        ${pairs.map(({ across, down }, i) => html`<option value="axes-${i}">${down} × ${across}</option>`)}
      </select></label
    >
  </p>`;

function p99Measure(report: SweepReport): Measure | undefined {
  const common = highestCommonLoad(report);
  if (!common) return undefined;
  const objective = report.record.plan.measure.slo.p99;
  const isBad = ({ id }: SweepRow) => objective !== undefined && (common.p99.get(id) ?? 0) > objective;
  return {
    title: `p99 at ${common.at}`,
    note: `Above the service time, at the highest load that every measured configuration has met.${objective === undefined ? '' : ` ✕: more than the objective of ${milliseconds(objective)}.`}`,
    value: ({ id }) => common.p99.get(id),
    text: (row) => (common.p99.has(row.id) ? `+${milliseconds(common.p99.get(row.id)!)}` : why(row)),
    isBad,
  };
}

/** With a target there is one rate alone, and in the closed model none. */
function rateMeasure({ record, conclusion }: SweepReport): Measure | undefined {
  if (record.target !== undefined || !conclusion.rows.some((row) => row.capacity !== undefined)) return undefined;
  return {
    title: 'Sustained rate per second',
    note: '≥: stopped early, so that it sustains this much at least.',
    value: ({ capacity }) => capacity,
    text: (row) => sustained(row) ?? why(row),
    isBad: () => false,
  };
}

/** What stands where there is no number: never a zero. */
const why = (row: SweepRow): string => (isJudged(row) ? 'none' : STATUS_WORDS[row.status]);

function heatMap(measure: Measure, axes: Axes, { record, conclusion }: SweepReport): Html {
  const { rows } = conclusion;
  const largest = most(rows.flatMap((row) => measure.value(row) ?? []));
  return html`
    <figure>
      <h3>${measure.title}</h3>
      ${grids(rows, record.plan.dimensions, axes).map((grid) => gridTable(grid, axes, measure, largest))}
      <figcaption>${measure.note}</figcaption>
    </figure>
  `;
}

function gridTable({ fixed, across, lines }: Grid, axes: Axes, measure: Measure, largest: number): Html {
  const common = Object.entries(fixed).map(([name, value]) => `${name} ${String(value)}`);
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="${[measure.title, ...common].join(', ')}">
      <table class="heat">
        ${
          common.length > 0 &&
          html`<caption>
            ${common.join(', ')}
          </caption>`
        }
        <thead>
          <tr>
            <td></td>
            <th scope="colgroup" colspan="${across.length}">${axes.across}</th>
          </tr>
          <tr>
            ${axes.down === undefined ? html`<td></td>` : html`<th scope="col" class="text">${axes.down}</th>`}
            ${across.map((value) => html`<th scope="col">${String(value)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${lines.map(
            ({ down, cells }) =>
              html`<tr>
                <th scope="row">${down === undefined ? '' : String(down)}</th>
                ${cells.map((row) => heatCell(row, measure, largest))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

function heatCell(row: SweepRow | undefined, measure: Measure, largest: number): Html {
  if (!row) return html`<td></td>`;
  const value = measure.value(row);
  const tip = `${row.id}: ${row.text}`;
  if (value === undefined) return html`<td class="blank" title="${tip}">${measure.text(row)}</td>`;
  const shade = largest > 0 ? Math.round((value / largest) * STRONGEST) : 0;
  return html`<td style="--shade: ${shade}%" title="${tip}">
    ${measure.isBad(row) && html`<span class="cross">✕</span> `}${measure.text(row)}
  </td>`;
}
