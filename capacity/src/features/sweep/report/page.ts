import { formatPercent, formatRate } from '../../../core/formats.js';
import type { Recommendation } from '../../../model/verdict.js';
import { redacted } from '../../../plan/redact.js';
import type { Fact } from '../../../report/columns.js';
import { html, type Html } from '../../../report/markup.js';
import { factsTable, givenValues, machineRows, objectives, planRows } from '../../../report/html/configuration.js';
import { Figures, renderHtmlDocument } from '../../../report/html/document.js';
import { recommendationBlock } from '../../../report/html/summary.js';
import { latencyByCost, paretoPlot } from './cost-plots.js';
import type { SweepReport } from './facts.js';
import { heatMapSection } from './heat-map.js';
import { scalabilitySection } from './scalability-section.js';
import { countsText, sweepSummary } from './summary.js';
import { configurationTable } from './table.js';

/**
 * The report of a sweep: one HTML file that needs no network and no other file. It links to the reports of its runs.
 * @param recommendation the values to copy; undefined if no configuration is recommended
 */
export async function renderSweepHtml(report: SweepReport, recommendation?: Recommendation): Promise<string> {
  const figures = new Figures();
  const { name, verdict } = report.conclusion;
  const content = html`
    ${sweepSummary(report)} ${recommendation && recommendationBlock(recommendation)}
    ${configurationsSection(report, figures)} ${heatMapSection(report)} ${scalabilitySection(report, figures)}
    ${planSection(report)}
  `;
  return renderHtmlDocument(`${verdict}: ${name}`, content, figures);
}

function configurationsSection(report: SweepReport, figures: Figures): Html {
  const plots = [paretoPlot(report), latencyByCost(report)].filter((plot) => plot !== undefined);
  return html`
    <section aria-labelledby="configurations">
      <h2 id="configurations">Configurations</h2>
      <p class="reading">${countsText(report.conclusion.rows)}.</p>
      ${configurationTable(report)}
      <div class="pair">${plots.map((plot) => figures.figure(plot))}</div>
    </section>
  `;
}

const noiseRow = ({ noise }: SweepReport['conclusion']): Fact[] =>
  noise
    ? [['Tie', `rates within ${formatPercent(noise.rate)}: the noise of ${noise.runs} runs of one configuration`]]
    : [];

function planSection({ record, conclusion, runs }: SweepReport): Html {
  const { plan, target } = record;
  const { dimensions, prices, explore, measure } = plan;
  const shared = { ...measure.values, set: measure.values.set.map((assignment) => redacted(assignment)) };
  const [first] = runs.values();
  const explored = {
    front: 'configurations that are not worth their cost are stopped early or not measured',
    all: 'every configuration is measured to the end',
  };
  return html`
    <section aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <div class="facts">
        ${factsTable('Sweep', [
          ...Object.entries(dimensions).map(([name, values]): Fact => [name, values.map(String).join(', ')]),
          ['Configurations', countsText(conclusion.rows)],
          ['Exploration', explored[explore]],
          ['Target', target === undefined ? 'none' : `${formatRate(target)}, including headroom`],
          ...noiseRow(conclusion),
          ['Price of a core', `${prices.cpuHour} ${prices.currency} per hour`],
          ['Price of a GiB', `${prices.memoryGibHour} ${prices.currency} per hour`],
        ])}
        ${factsTable('Objectives', objectives(measure.slo))} ${factsTable('Each run', planRows(measure))}
        ${factsTable('Shared values', givenValues({ ...measure, values: shared }))}
        ${
          first &&
          factsTable('Versions and machine', [
            ...machineRows(first.run),
            ['Limits', first.run.deployment.limits.detail],
          ])
        }
      </div>
    </section>
  `;
}
