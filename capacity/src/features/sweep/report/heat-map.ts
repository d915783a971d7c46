import { formatSeconds, formatOverhead } from '../../../core/formats.js';
import type { SweepRow } from '../record.js';
import type { DimensionValue } from '../../../model/dimensions.js';
import { listConfigurations } from '../plan/configurations.js';
import { sustainedText } from './columns.js';
import { html, type Html } from '../../../report/markup.js';
import { STATUS_WORDS } from './words.js';
import { maximum } from '../../../report/html/series.js';
import { scrolling } from '../../../report/html/table.js';
import { highestCommonLoad, isJudged, hasValues, variedDimensions, type SweepReport } from './facts.js';

/** The two dimensions of a grid; a sweep with one dimension has no `down`. */
export interface Axes {
  across: string;
  down?: string;
}

/** Configurations that differ only in the two dimensions. */
export interface Grid {
  /** Their values of the other dimensions. */
  fixed: Record<string, DimensionValue>;
  across: DimensionValue[];
  lines: { down?: DimensionValue; cells: (SweepRow | undefined)[] }[];
}

/** Every pair of dimensions; `names` has the dimensions with most values first. */
export function axisPairs(names: string[]): Axes[] {
  if (names.length === 1) return [{ across: names[0]! }];
  return names.flatMap((down, i) => names.slice(i + 1).map((across) => ({ across, down })));
}

/** One grid for each combination of the other dimensions' values. */
export function makeGrids(
  rows: SweepRow[],
  dimensions: Record<string, DimensionValue[]>,
  { across, down }: Axes,
): Grid[] {
  const others = Object.entries(dimensions).filter(
    ([name, values]) => name !== across && name !== down && values.length > 1,
  );
  const downs = down === undefined ? [undefined] : dimensions[down]!;
  return listConfigurations(Object.fromEntries(others)).map(({ values: fixed }) => ({
    fixed,
    across: dimensions[across]!,
    lines: downs.map((value) => ({
      ...(value !== undefined && { down: value }),
      cells: dimensions[across]!.map((acrossValue) =>
        rows.find((row) =>
          hasValues(row, { ...fixed, [across]: acrossValue, ...(down !== undefined && { [down]: value! }) }),
        ),
      ),
    })),
  }));
}

/** The quantity of a heat map. */
interface Measure {
  title: string;
  note: string;
  /** For the shade; undefined where there is no number. */
  value(row: SweepRow): number | undefined;
  text(row: SweepRow): string;
  /** Whether it breaks the objective. */
  isBad(row: SweepRow): boolean;
}

/** The strongest shade, in percent of the accent colour: text on it stays readable in both themes. */
const MAX_SHADE_PERCENT = 46;

/**
 * Heat maps over two dimensions, one for each value of the others, as tables with shaded cells. A select offers the other
 * pairs of dimensions. Undefined if no dimension has two values.
 */
export function heatMapSection(report: SweepReport): Html | undefined {
  const names = variedDimensions(report.record);
  const measures = [p99Measure(report), rateMeasure(report)].filter((m) => m !== undefined);
  if (names.length === 0 || measures.length === 0) return undefined;
  const pairs = axisPairs(names);
  return html`
    <section aria-labelledby="heat-maps">
      <h2 id="heat-maps">Two dimensions at a time</h2>
      ${pairs.length > 1 && axisPairSelect(pairs)}
      ${pairs.map(
        (axes, i) =>
          html`<div class="pair" id="axes-${i}" ${i > 0 && html`hidden`}>
            ${measures.map((measure) => heatMap(measure, axes, report))}
          </div>`,
      )}
      <p class="reading">A darker cell is a larger number. All cells share one scale, which begins at 0.</p>
    </section>
  `;
}

const axisPairSelect = (pairs: Axes[]): Html =>
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
    note: `Above the service time, at the highest load that was driven on every measured configuration.${objective === undefined ? '' : ` ✕: above the objective of ${formatSeconds(objective)}.`}`,
    value: ({ id }) => common.p99.get(id),
    text: (row) => (common.p99.has(row.id) ? formatOverhead(common.p99.get(row.id)!) : missingWord(row)),
    isBad,
  };
}

/** Undefined with a target, which is the only rate then, and in the closed model, which has none. */
function rateMeasure({ record, conclusion }: SweepReport): Measure | undefined {
  if (record.target !== undefined || !conclusion.rows.some((row) => row.capacity !== undefined)) return undefined;
  return {
    title: 'Sustained rate per second',
    note: '≥: the search was stopped early; the configuration sustains at least this rate.',
    value: ({ capacity }) => capacity,
    text: (row) => (row.capacity === undefined ? missingWord(row) : sustainedText(row)),
    isBad: () => false,
  };
}

/** The word for a missing number, which is not a 0. */
const missingWord = (row: SweepRow): string => (isJudged(row) ? 'none' : STATUS_WORDS[row.status]);

function heatMap(measure: Measure, axes: Axes, { record, conclusion }: SweepReport): Html {
  const { rows } = conclusion;
  const largest = maximum(rows.flatMap((row) => measure.value(row) ?? []));
  return html`
    <figure>
      <h3>${measure.title}</h3>
      ${makeGrids(rows, record.plan.dimensions, axes).map((grid) => gridTable(grid, axes, measure, largest))}
      <figcaption>${measure.note}</figcaption>
    </figure>
  `;
}

function gridTable({ fixed, across, lines }: Grid, axes: Axes, measure: Measure, largest: number): Html {
  const common = Object.entries(fixed).map(([name, value]) => `${name} ${String(value)}`);
  return scrolling(
    [measure.title, ...common].join(', '),
    html`<table class="heat">
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
    </table>`,
  );
}

function heatCell(row: SweepRow | undefined, measure: Measure, largest: number): Html {
  if (!row) return html`<td></td>`;
  const value = measure.value(row);
  const tip = `${row.id}: ${row.text}`;
  if (value === undefined) return html`<td class="blank" title="${tip}">${measure.text(row)}</td>`;
  const shade = largest > 0 ? Math.round((value / largest) * MAX_SHADE_PERCENT) : 0;
  return html`<td style="--shade: ${shade}%" title="${tip}">
    ${measure.isBad(row) && html`<span class="cross">✕</span> `}${measure.text(row)}
  </td>`;
}
