import { exposureChangeText, needsText } from '../../../chart/exposure-text.js';
import { formatMib, toMebibytes, formatSeconds, formatRate, sentence } from '../../../core/formats.js';
import type { RunRecord } from '../../../model/run.js';
import type { Comparison, UpgradeConclusion, UpgradeRecord, UpgradeTrial } from '../record.js';
import { NONE } from '../../../report/columns.js';
import { html, type Html } from '../../../report/markup.js';
import { comparisonColumns, ENVIRONMENT_COLUMNS, survivalText, replacedClauses } from './facts.js';
import { UPGRADE_VERDICTS } from './words.js';
import { factsTable, givenValues, machineRows, planRows } from '../../../report/html/configuration.js';
import { Figures, renderHtmlDocument } from '../../../report/html/document.js';
import { badge, confidenceParagraph, originParagraph } from '../../../report/html/summary.js';
import { table } from '../../../report/html/table.js';
import { comparisonPlot } from './comparison-plot.js';

/** Input of the page of a run of `upgrade`. */
export interface UpgradeReport {
  record: UpgradeRecord;
  trials: UpgradeTrial[];
  conclusion: UpgradeConclusion;
  /** The first trial's run: the page shows its machine. */
  first?: RunRecord;
}

const BADGES = { better: 'PASS', same: 'PASS', worse: 'FAIL', open: 'INCONCLUSIVE' } as const;

/** The report of a run of `upgrade`: one HTML file that needs no network and no other file. */
export function renderUpgradeHtml(report: UpgradeReport): Promise<string> {
  const { record, conclusion } = report;
  const { outcome, answer, comparisons } = conclusion;
  const figures = new Figures();
  const load = record.plan.loads[0]!.name;
  const content = html`
    <header>
      ${originParagraph(record)}
      ${Object.values(conclusion.substitutes ?? {}).map((why) => html`<p class="provisional"><strong>${sentence(why)}</strong></p>`)}
      <h1>
        ${badge(BADGES[outcome])} <span><b>${load}:</b> ${answer}.</span>
      </h1>
      ${conclusion.advice?.map((text) => html`<p class="conclusion">${text}</p>`)}
      ${conclusion.confidence && confidenceParagraph(conclusion.confidence)}
    </header>
    <section aria-labelledby="versions">
      <h2 id="versions">Both versions</h2>
      ${comparisons.some((c) => c.ratio) && figures.figure(comparisonPlot(comparisons))} ${comparisonTable(conclusion)}
    </section>
    ${exposureSection(conclusion)} ${survivalSection(conclusion)} ${environmentSection(conclusion)}
    ${trialsSection(report)} ${planSection(report)}
  `;
  return renderHtmlDocument(`n8n ${record.from} to ${record.to}: ${load}`, content, figures);
}

const comparisonTable = ({ from, to, comparisons, rate }: UpgradeConclusion): Html =>
  table<Comparison>({
    label: 'Both versions',
    className: 'steps',
    columns: comparisonColumns(from, to),
    rows: comparisons,
    rowClass: ({ finding }) => UPGRADE_VERDICTS[finding].toLowerCase(),
    caption: `Means of fresh deployments of both by turns, with 95 % intervals of the change in brackets. Memory is the most in use of all instances together while clients wait for their answers. Start is that of main on a new database that is migrated already.${rate === undefined ? '' : ` p95 is that of random arrivals at ${formatRate(rate)}, half of what the slower version gets through.`}`,
  });

function exposureSection({ to, exposure }: UpgradeConclusion): Html | undefined {
  if (!exposure) return undefined;
  const { closes, stays, opens } = exposure;
  const rows = [
    ...closes.map((advisory) => ({ advisory, change: 'closed' })),
    ...stays.map((advisory) => ({ advisory, change: 'kept' })),
    ...opens.map((advisory) => ({ advisory, change: 'opened' })),
  ];
  return html`
    <section aria-labelledby="vulnerabilities">
      <h2 id="vulnerabilities">Public vulnerabilities</h2>
      <p>n8n ${to} ${exposureChangeText(exposure)}.</p>
      ${
        rows.length > 0 &&
        table<(typeof rows)[number]>({
          label: 'Public vulnerabilities',
          className: 'steps',
          columns: [
            { head: 'Record', isText: true, cell: ({ advisory }) => advisory.id },
            { head: 'Upgrade', isText: true, cell: ({ change }) => change },
            { head: 'What', isText: true, cell: ({ advisory }) => advisory.title },
            { head: 'Severity', isText: true, cell: ({ advisory }) => advisory.severity },
            { head: 'An attacker needs', isText: true, cell: ({ advisory }) => needsText(advisory) },
            { head: 'Fixed in', isText: true, cell: ({ advisory }) => advisory.fixedIn },
          ],
          rows,
        })
      }
    </section>
  `;
}

function survivalSection({ survival }: UpgradeConclusion): Html | undefined {
  if (!survival) return undefined;
  return html`
    <section aria-labelledby="survival">
      <h2 id="survival">The same database</h2>
      <p>${sentence(survivalText(survival))}</p>
    </section>
  `;
}

function environmentSection({ environment }: UpgradeConclusion): Html {
  return html`
    <section aria-labelledby="environment">
      <h2 id="environment">What the chart renders differently</h2>
      ${
        environment.length === 0
          ? html`<p>Nothing.</p>`
          : table({ label: 'Environment', className: 'steps', columns: ENVIRONMENT_COLUMNS, rows: environment })
      }
    </section>
  `;
}

const trialsSection = ({ trials, record }: UpgradeReport): Html => html`
  <section aria-labelledby="trials">
    <h2 id="trials">Trials</h2>
    ${table<UpgradeTrial>({
      label: 'Trials',
      className: 'steps',
      columns: [
        { head: '#', cell: ({ index }) => index + 1 },
        { head: 'n8n', isText: true, cell: ({ side }) => record[side] },
        {
          head: 'Load',
          isText: true,
          cell: ({ rate }) => (rate === undefined ? 'clients that wait' : formatRate(rate)),
        },
        { head: 'Throughput', cell: ({ perSecond: rate }) => (rate === undefined ? NONE : formatRate(rate)) },
        { head: 'p95', cell: ({ p95 }) => (p95 === undefined ? NONE : formatSeconds(p95)) },
        {
          head: 'Memory',
          cell: ({ memoryBytes }) => (memoryBytes === undefined ? NONE : formatMib(toMebibytes(memoryBytes))),
        },
        {
          head: 'Start',
          cell: ({ startSeconds }) => (startSeconds === undefined ? NONE : formatSeconds(startSeconds)),
        },
      ],
      rows: trials,
      below: ({ failed, disturbed }) => [failed ?? disturbed ?? []].flat(),
    })}
  </section>
`;

const planSection = ({ record, conclusion, first }: UpgradeReport): Html => html`
  <section aria-labelledby="plan">
    <h2 id="plan">Plan</h2>
    <div class="facts">
      ${factsTable('Comparison', [
        ['Deployments', `${record.pairs} of each version, for throughput and for latency`],
        [
          'Trials',
          `${conclusion.trials.measured} measured${conclusion.trials.left > 0 ? `, ${conclusion.trials.left} left` : ''}`,
        ],
        ['Executions in the database', `${conclusion.survival?.seeded ?? 0} before the upgrade`],
      ])}
      ${factsTable('Each trial', planRows(record.plan))} ${factsTable('Given values', givenValues(record.plan))}
      ${
        first &&
        factsTable('Versions and machine of the first trial', [
          ...machineRows(first),
          ['Limits', first.deployment.limits.detail],
        ])
      }
    </div>
    ${replacedClauses(conclusion).map((clause) => html`<p>${clause}.</p>`)}
  </section>
`;
