import { percent } from '../../../core/formats.js';
import type { Recommendation } from '../../../model/verdict.js';
import { redacted } from '../../../plan/redact.js';
import { factsTable, givenValues, objectives, planRows, type Row } from '../configuration.js';
import { htmlDocument } from '../document.js';
import { Figures } from '../figure.js';
import { html, type Html } from '../html.js';
import { recommendationBlock } from '../summary.js';
import { latencyByCost, paretoPlot } from './cost-plots.js';
import type { SweepReport } from './facts.js';
import { heatMapSection } from './heat-map.js';
import { scalabilitySection } from './scalability-section.js';
import { counts, sweepSummary } from './summary.js';
import { configurationTable } from './table.js';

/**
 * The report of a sweep: one HTML file that needs no network and no other file. It links to the report of each run beside
 * it, and is whole without them.
 * @param recommendation the values to copy; left out when no configuration is recommended
 */
export async function renderSweepHtml(report: SweepReport, recommendation?: Recommendation): Promise<string> {
  const figures = new Figures();
  const { name, verdict } = report.conclusion;
  const content = html`
    ${sweepSummary(report)} ${recommendation && recommendationBlock(recommendation)}
    ${configurationsSection(report, figures)} ${heatMapSection(report)} ${scalabilitySection(report, figures)}
    ${planSection(report)}
  `;
  return htmlDocument(`${verdict}: ${name}`, content, figures);
}

function configurationsSection(report: SweepReport, figures: Figures): Html {
  const plots = [paretoPlot(report), latencyByCost(report)].filter((plot) => plot !== undefined);
  return html`
    <section aria-labelledby="configurations">
      <h2 id="configurations">Configurations</h2>
      <p class="reading">${counts(report.conclusion.rows)}.</p>
      ${configurationTable(report)}
      <div class="pair">${plots.map((plot) => figures.figure(plot))}</div>
    </section>
  `;
}

const noiseRow = ({ noise }: SweepReport['conclusion']): Row[] =>
  noise ? [['A tie', `within ${percent(noise.rate)}, the noise of ${noise.runs} runs of one configuration`]] : [];

function planSection({ record, conclusion, runs }: SweepReport): Html {
  const { plan, target } = record;
  const { dimensions, prices, explore, measure } = plan;
  const shared = { ...measure.values, set: measure.values.set.map(redacted) };
  const [first] = runs.values();
  const explored = {
    front: 'what is not worth its cost is stopped early or not measured',
    all: 'every configuration is measured to its end',
  };
  return html`
    <section aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <div class="facts">
        ${factsTable('Sweep', [
          ...Object.entries(dimensions).map(([name, values]): Row => [name, values.map(String).join(', ')]),
          ['Configurations', counts(conclusion.rows)],
          ['Explored', explored[explore]],
          ['Target', target === undefined ? 'none' : `${target}/s, headroom included`],
          ...noiseRow(conclusion),
          ['A core', `${prices.cpuHour} ${prices.currency} an hour`],
          ['A GiB of memory', `${prices.memoryGibHour} ${prices.currency} an hour`],
        ])}
        ${factsTable('Objectives', objectives(measure.slo))} ${factsTable('Each run', planRows(measure))}
        ${factsTable('Values that all share', givenValues({ ...measure, values: shared }))}
        ${
          first &&
          factsTable('Versions and machine', [
            ...Object.entries(first.run.versions).map(([name, version]): Row => [name, version]),
            ['Cores', `${first.run.machine.cpus}`],
            ['Memory', `${(first.run.machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`],
            ['Limits', first.run.deployment.limits.detail],
          ])
        }
      </div>
    </section>
  `;
}
