import { formatNumber, formatHours, formatRate } from '../../../core/formats.js';
import type { ConfirmConclusion, ConfirmedLoad, ConfirmRecord, ConfirmTry } from '../record.js';
import type { RunRecord } from '../../../model/run.js';
import { isGood, type Verdict } from '../../../model/verdict.js';
import { html, type Html } from '../../../report/markup.js';
import { OUTCOME_VERDICTS, OUTCOME_WORDS } from './words.js';
import { factsTable, givenValues, machineRows, objectives, planRows } from '../../../report/html/configuration.js';
import { triesPlot } from './plot.js';
import { Figures, renderHtmlDocument } from '../../../report/html/document.js';
import { anchor, badge, confidenceParagraph, fact, originParagraph, word } from '../../../report/html/summary.js';
import { table } from '../../../report/html/table.js';

/** A run of a confirmation; a soak has no deployment number. */
export interface RunLink {
  load: string;
  deployment?: number;
  /** Path of its report from the folder of the confirmation. */
  report: string;
}

/** Input of the page of a confirmation. */
export interface ConfirmReport {
  record: ConfirmRecord;
  conclusion: ConfirmConclusion;
  /** The runs that have ended. */
  runs: RunLink[];
  /** The first run: the page shows its versions and its machine. Undefined until a run has ended. */
  first?: RunRecord;
}

/** The report of a confirmation: one HTML file that needs no network and no other file. It links to the reports of its runs. */
export function renderConfirmHtml(report: ConfirmReport): Promise<string> {
  const figures = new Figures();
  const { record, conclusion } = report;
  const { verdict, loads } = conclusion;
  const content = html`
    <header>
      ${originParagraph(record)}
      <h1>${badge(verdict)} <span>${answerText(conclusion)}</span></h1>
      ${conclusion.confidence && confidenceParagraph(conclusion.confidence)}
    </header>
    <div class="cards">${loads.map((load) => loadCard(load, record))}</div>
    ${conclusion.recommended !== undefined && recommendedSection()}
    ${loads.map((load) => loadSection(load, report, figures))} ${planSection(report)}
  `;
  return renderHtmlDocument(`${verdict}: ${loads.map((l) => l.load).join(', ')}`, content, figures);
}

/** The loads that decided the verdict. */
function answerText({ verdict, loads }: ConfirmConclusion): Html {
  const deciding = loads.filter((l) => l.verdict === verdict);
  const answer = isGood(verdict) ? 'confirmed' : verdict === 'FAIL' ? 'not confirmed' : 'not decided';
  return html`${deciding.map((l) => html`<b>${l.load}</b> at ${formatRate(l.target)} is ${answer}. `)}`;
}

function loadCard(
  { load, verdict, target, withHeadroom, soak, tries, conclusion }: ConfirmedLoad,
  record: ConfirmRecord,
): Html {
  const broken = tries.find((t) => t.outcome === 'broken');
  return html`
    <article class="card">
      <h2><a href="#${anchor(load)}">${load}</a> ${badge(verdict)}</h2>
      <p class="figure"><strong>${formatNumber(target)}</strong>/s <span>arrivals to confirm</span></p>
      <p class="conclusion">${conclusion}.</p>
      <dl>
        ${fact('With headroom', `${formatRate(withHeadroom)} (× ${formatNumber(record.headroom)})`)}
        ${fact('Fresh deployments', `${record.deployments} planned, ${new Set(tries.map((t) => t.deployment)).size} driven`)}
        ${broken && fact('Broke at', `${formatRate(broken.rate)}, in deployment ${broken.deployment}`)}
        ${fact('Soak', soak ? `${soak.verdict}, ${formatHours(soak.seconds / 3600)}` : 'none')}
      </dl>
    </article>
  `;
}

/** The values stay out of the page: a report is sent around, and values may hold secrets. */
const recommendedSection = (): Html => html`
  <section class="recommendation" aria-labelledby="recommendation">
    <h2 id="recommendation">Recommended values</h2>
    <p>
      They are in <a href="values.recommended.yaml">values.recommended.yaml</a>, beside this report. They hold what you
      gave, so check them for secrets before you send them around.
    </p>
  </section>
`;

/** A row of the table: a try of a deployment, or the soak. */
interface Row {
  run: string;
  report?: string;
  rate: number;
  verdict: Verdict;
  outcome: string;
  why: string;
}

function loadSection(load: ConfirmedLoad, { record, runs }: ConfirmReport, figures: Figures): Html {
  const rows = tableRows(load, runs);
  return html`
    <section aria-labelledby="${anchor(load.load)}">
      <h2 id="${anchor(load.load)}">${load.load}</h2>
      ${rows.length > 0 && figures.figure(triesPlot(load, record))}
      ${
        rows.length > 0 &&
        table({
          label: `Tries of ${load.load}`,
          columns: [
            {
              head: 'Run',
              isText: true,
              cell: ({ run, report }) => (report ? html`<a href="${report}">${run}</a>` : run),
            },
            { head: 'Arrivals', cell: ({ rate }) => formatRate(rate) },
            { head: 'Outcome', isText: true, cell: ({ outcome }) => word(outcome) },
          ],
          rows,
          rowClass: ({ verdict }) => verdict.toLowerCase(),
          below: ({ why }) => (why === '' ? [] : [why]),
        })
      }
    </section>
  `;
}

function tableRows({ load, tries, soak, withHeadroom }: ConfirmedLoad, runs: RunLink[]): Row[] {
  const reportOf = (deployment?: number) =>
    runs.find((run) => run.load === load && run.deployment === deployment)?.report;
  const reportLink = (deployment?: number) => {
    const report = reportOf(deployment);
    return report === undefined ? {} : { report };
  };
  return [
    ...tries.map(({ deployment, rate, outcome, why = '' }: ConfirmTry): Row => ({
      run: `deployment ${deployment}`,
      ...reportLink(deployment),
      rate,
      verdict: OUTCOME_VERDICTS[outcome],
      outcome: OUTCOME_WORDS[outcome],
      why,
    })),
    ...(soak
      ? [
          {
            run: `soak of ${formatHours(soak.seconds / 3600)}`,
            ...reportLink(),
            rate: withHeadroom,
            verdict: soak.verdict,
            outcome: soak.verdict,
            why: soak.conclusion,
          },
        ]
      : []),
  ];
}

function planSection({ record, first }: ConfirmReport): Html {
  const { plan } = record;
  return html`
    <section aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <div class="facts">
        ${factsTable('Confirmation', [
          ['Of', record.of],
          ['Fresh deployments', `${record.deployments} for each load`],
          ['Headroom', `× ${formatNumber(record.headroom)}`],
          ['Length of the soak', formatHours(record.soakSeconds / 3600)],
          ['Executions in the database', `${plan.seedExecutions ?? 0} before the load`],
        ])}
        ${factsTable('Objectives', objectives(plan.slo))} ${factsTable('Each run', planRows(plan))}
        ${factsTable('Given values', givenValues(plan))}
        ${first && factsTable('Versions and machine', [...machineRows(first), ['Limits', first.deployment.limits.detail]])}
      </div>
    </section>
  `;
}
