import {
  formatChange,
  formatChangeInterval,
  formatHours,
  formatMib,
  toMebibytes,
  formatSeconds,
  formatPercent,
  formatRate,
} from '../../../core/formats.js';
import type { RunRecord } from '../../../model/run.js';
import { changeText, type ChangeEffect, type TrialRecord, type TuneConclusion, type TuneRecord } from '../record.js';
import { NONE } from '../../../report/columns.js';
import { html, type Html } from '../../../report/markup.js';
import { failuresText, loadsWithEffects, loadsText } from './facts.js';
import { FINDING_VERDICTS, FINDING_WORDS } from './words.js';
import { factsTable, givenValues, machineRows, planRows } from '../../../report/html/configuration.js';
import { Figures, renderHtmlDocument } from '../../../report/html/document.js';
import { badge, confidenceParagraph, originParagraph, word } from '../../../report/html/summary.js';
import { table, type HtmlColumn } from '../../../report/html/table.js';
import { effectsPlot } from './effects-plot.js';

/** Input of the page of a run of `tune`. */
export interface TuneReport {
  record: TuneRecord;
  trials: TrialRecord[];
  conclusion: TuneConclusion;
  /** An effect below this share does not matter. */
  matters: number;
  /** The first trial's run: the page shows its versions and its machine. */
  first?: RunRecord;
}

const BADGES = { confirmed: 'PASS', nothing: 'CAPACITY', open: 'INCONCLUSIVE' } as const;
const TITLES = { confirmed: 'Better values', nothing: 'No better values', open: 'Not decided' } as const;

/** The report of a run of `tune`: one HTML file that needs no network and no other file. */
export function renderTuneHtml(report: TuneReport): Promise<string> {
  const { record, conclusion, matters } = report;
  const { outcome, answer, effects } = conclusion;
  const figures = new Figures();
  const load = loadsText(record);
  const content = html`
    <header>
      ${originParagraph(record)}
      <h1>
        ${badge(BADGES[outcome])} <span><b>${load}:</b> ${answer}.</span>
      </h1>
      ${conclusion.advice?.map((text) => html`<p class="conclusion">${text}</p>`)}
      ${conclusion.confidence && confidenceParagraph(conclusion.confidence)}
    </header>
    ${gainSection(conclusion)}
    <section aria-labelledby="effects">
      <h2 id="effects">Effects</h2>
      ${effects.some((e) => e.throughput) && figures.figure(effectsPlot(effects, matters))} ${effectsTable(effects)}
    </section>
    ${leftOutSection(conclusion)} ${trialsSection(report)} ${planSection(report)}
  `;
  return renderHtmlDocument(`${TITLES[outcome]}: ${load}`, content, figures);
}

function gainSection({ gain, values }: TuneConclusion): Html | undefined {
  if (!gain) return undefined;
  const memory = gain.memory && html`, memory ${formatChangeInterval(gain.memory)}`;
  const { latency, smallest, loads = {} } = gain;
  const each = Object.entries(loads).map(([load, ratio]) => `${load} ${formatChangeInterval(ratio)}`);
  return html`
    <section class="recommendation" aria-labelledby="gain">
      <h2 id="gain">All together</h2>
      <p>
        ${formatRate(gain.baseline)} before, ${formatRate(gain.tuned)} with the changes:
        ${formatChangeInterval(gain.throughput)} of throughput${memory}, in fresh deployments of both by turns.
        ${each.length > 0 && html`Of each workload: ${each.join('; ')}.`}
        ${latency && html`At ${formatRate(latency.rate)} for both, the p95 changes by ${formatChangeInterval(latency.ratio)}.`}
        ${smallest !== undefined && html`This number of deployments can confirm a gain of ${formatPercent(smallest)} or more in four of five runs.`}
        ${
          values !== undefined &&
          html`The values are in <a href="values.tuned.yaml">values.tuned.yaml</a>, beside this report. They hold what
            you gave, so check them for secrets before you send them around.`
        }
      </p>
    </section>
  `;
}

const effectsTable = (effects: ChangeEffect[]): Html =>
  table({
    label: 'What each change does',
    className: 'steps',
    columns: [
      { head: '#', cell: ({ change }) => effects.findIndex((e) => e.change === change) + 1 },
      {
        head: 'Setting',
        isText: true,
        cell: ({ change }) => changeText(change),
      },
      { head: 'Finding', isText: true, cell: ({ finding }) => word(FINDING_WORDS[finding]) },
      { head: 'Costs', isText: true, cell: ({ change: { trades } }) => trades },
      {
        head: 'Throughput',
        cell: ({ throughput }) => (throughput ? formatChangeInterval(throughput) : NONE),
        sortValue: ({ throughput }) => throughput?.ratio,
      },
      ...loadsWithEffects(effects).map((load): HtmlColumn<ChangeEffect> => ({
        head: load,
        cell: ({ loads }) => (loads?.[load] ? formatChangeInterval(loads[load]) : NONE),
        sortValue: ({ loads }) => loads?.[load]?.ratio,
      })),
      {
        head: 'Memory',
        cell: ({ memory }) => (memory ? formatChange(memory.ratio) : NONE),
        sortValue: ({ memory }) => memory?.ratio,
      },
      { head: 'p95', cell: ({ p95 }) => (p95 ? formatChange(p95.ratio) : NONE), sortValue: ({ p95 }) => p95?.ratio },
    ],
    rows: effects,
    rowClass: ({ finding }) => FINDING_VERDICTS[finding].toLowerCase(),
    below: (effect) => [effect.change.title, failuresText(effect) ?? []].flat(),
    caption:
      'Each change against the same deployments without it, from all trials of the screening; 95 % intervals in brackets. Memory is the most in use of all instances together, p95 that of clients that each wait for their answer.',
  });

/** The settings that were not tried, by the reason. */
function leftOutSection({ leftOut }: TuneConclusion): Html | undefined {
  if (leftOut.length === 0) return undefined;
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  const settings = (reason: string) => leftOut.filter((l) => l.reason === reason).map(({ setting }) => setting);
  return html`
    <section aria-labelledby="left-out">
      <h2 id="left-out">Not tried</h2>
      <ul>
        ${reasons.map((reason) => html`<li><b>${settings(reason).join(', ')}</b>: ${reason}</li>`)}
      </ul>
      <p>"n8n-capacity tune --list" describes each.</p>
    </section>
  `;
}

const trialsSection = ({ record, trials }: TuneReport): Html => {
  const texts = new Map(record.changes.map((change) => [change.id, changeText(change)]));
  return html`
    <section aria-labelledby="trials">
      <h2 id="trials">Trials</h2>
      ${table<TrialRecord>({
        label: 'Trials',
        className: 'steps',
        columns: [
          { head: '#', cell: ({ index }) => index + 1 },
          { head: 'Stage', isText: true, cell: ({ stage }) => stage },
          { head: 'Throughput', cell: ({ perSecond: rate }) => (rate === undefined ? NONE : formatRate(rate)) },
          {
            head: 'Memory',
            cell: ({ memoryBytes }) => (memoryBytes === undefined ? NONE : formatMib(toMebibytes(memoryBytes))),
          },
          { head: 'p95', cell: ({ p95 }) => (p95 === undefined ? NONE : formatSeconds(p95)) },
        ],
        rows: trials,
        below: ({ changes, failed, disturbed }) => [
          changes.map((id) => texts.get(id) ?? id).join(', ') || 'none: the baseline',
          ...[failed ?? disturbed ?? []].flat(),
        ],
      })}
    </section>
  `;
};

const planSection = ({ record, conclusion: { trials }, first }: TuneReport): Html => html`
  <section aria-labelledby="plan">
    <h2 id="plan">Plan</h2>
    <div class="facts">
      ${factsTable('Tuning', [
        ['Changes', `${record.changes.length}`],
        ['Trials', `${trials.measured} measured${trials.left > 0 ? `, ${trials.left} left` : ''}`],
        ['Budget', formatHours(record.budgetSeconds / 3600)],
        ['Accepted', record.accept.join(', ') || 'nothing but memory'],
        ['Mode', `${record.mode}, ${record.database}`],
        ['Design', `${record.rows.length} trials of a folded screening design, in random order (seed ${record.seed})`],
      ])}
      ${factsTable('Each trial', planRows(record.plan))} ${factsTable('Given values', givenValues(record.plan))}
      ${first && factsTable('Versions and machine', [...machineRows(first), ['Limits', first.deployment.limits.detail]])}
    </div>
  </section>
`;
