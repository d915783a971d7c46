import { sentence } from '../../../core/formats.js';
import { outcomeOfLoad, type CompareConclusion, type LoadComparison } from '../judge/compare.js';
import type { ComparisonOutcome } from '../judge/compare-latency.js';
import type { Slo } from '../../../model/plan.js';
import type { Answer, RunVerdict } from '../../../model/verdict.js';
import {
  DIFFERENCE_COLUMNS,
  failureReasons,
  LOAD_COLUMNS,
  NO_DIFFERENCE,
  noiseLine,
  NOTHING_COMPARED,
  OUTCOME_OF_B,
} from './facts.js';
import { html, type Html } from '../../../report/markup.js';
import { Figures, renderHtmlDocument } from '../../../report/html/document.js';
import { hasRates } from '../../../report/html/rate-plots.js';
import { anchor, badge } from '../../../report/html/summary.js';
import { table } from '../../../report/html/table.js';
import { plotAnsweredRates, plotLatencies, type Pair } from './plots.js';

/** Input of the page of a comparison. */
export interface CompareReport {
  conclusion: CompareConclusion;
  /** Verdicts of both runs. */
  verdicts: [a: RunVerdict, b: RunVerdict];
  /** The objectives of A. */
  slo: Slo;
}

const BADGES: Record<ComparisonOutcome, Answer> = {
  better: 'PASS',
  tie: 'PASS',
  worse: 'FAIL',
  unknown: 'INCONCLUSIVE',
};

/** Two runs side by side: one HTML file that needs no network and no other file. */
export function renderCompareHtml(report: CompareReport): Promise<string> {
  const { conclusion } = report;
  const { a, b, outcome } = conclusion;
  const figures = new Figures();
  const answer = outcome ? OUTCOME_OF_B[outcome] : NOTHING_COMPARED;
  const content = html`
    <header>
      <p class="origin">n8n-capacity compare</p>
      <h1>${badge(outcome ? BADGES[outcome] : 'INCONCLUSIVE')} <span>${sentence(answer)}</span></h1>
      <p class="provisional"><strong>A</strong> ${a} <strong>B</strong> ${b}</p>
      <p class="provisional">${noiseLine(conclusion.noise)} ${conclusion.warnings.map(sentence).join(' ')}</p>
    </header>
    ${loadsSection(conclusion)} ${sharedLoads(report).map((pair) => plotsSection(pair, report.slo, figures))}
    ${differencesSection(conclusion)}
  `;
  return renderHtmlDocument(sentence(answer), content, figures);
}

const loadsSection = ({ loads, notComparable }: CompareConclusion): Html => html`
  <section aria-labelledby="loads">
    <h2 id="loads">Both runs</h2>
    ${
      loads.length > 0 &&
      table<LoadComparison>({
        label: 'Both runs',
        className: 'steps',
        columns: LOAD_COLUMNS,
        rows: loads,
        rowClass: (load) => BADGES[outcomeOfLoad(load)].toLowerCase(),
        caption:
          'Rates that differ by less than the share in \u201cTie within\u201d are a tie. The p95 is compared at the highest rate that both sustained, with its 95 % interval in brackets.',
      })
    }
    ${failureReasons(loads).map(({ load, reason }) => html`<p><b>${load}</b>: ${reason}.</p>`)}
    ${notComparable.map(({ load, reason }) => html`<p><b>${load}</b> cannot be compared: ${reason}.</p>`)}
  </section>
`;

/** Loads of both runs that have rates to plot against. */
const sharedLoads = ({ verdicts: [a, b] }: CompareReport): Pair[] =>
  a.loads.flatMap((inA) => {
    const inB = b.loads.find(({ load }) => load === inA.load);
    return inB && hasRates(inA) && hasRates(inB) ? [[inA, inB] satisfies Pair] : [];
  });

const plotsSection = (pair: Pair, slo: Slo, figures: Figures): Html => html`
  <section aria-labelledby="${anchor(pair[0].load)}">
    <h2 id="${anchor(pair[0].load)}">${pair[0].load}</h2>
    <div class="pair">${figures.figure(plotLatencies(pair, slo))}${figures.figure(plotAnsweredRates(pair))}</div>
  </section>
`;

const differencesSection = ({ differences }: CompareConclusion): Html => html`
  <section aria-labelledby="differences">
    <h2 id="differences">What differs in their setups</h2>
    ${
      differences.length === 0
        ? html`<p>${NO_DIFFERENCE}</p>`
        : table({
            label: 'Differences of the setups',
            className: 'steps',
            columns: DIFFERENCE_COLUMNS,
            rows: differences,
          })
    }
  </section>
`;
