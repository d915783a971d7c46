import { knownExposure, exposureText, measuredVersion } from '../../chart/exposure-text.js';
import {
  formatDateTime,
  formatNumber,
  formatMib,
  formatOverhead,
  formatRate,
  capitalized,
  sentence,
} from '../../core/formats.js';
import { confidence } from '../../judge/confidence.js';
import { answeredRate, upperEnd } from '../../judge/sustained.js';
import type { BurstReport, PayloadLimit, SoakReport } from '../../model/reports.js';
import type { RunRecord } from '../../model/run.js';
import {
  isGood,
  type Answer,
  type Confidence,
  type LoadAnswer,
  type LoadVerdict,
  type Recommendation,
  type RunVerdict,
} from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { arithmeticBound, arrivals, decidingStep, errorClaim } from '../facts.js';
import { html, type Html, type Part } from '../markup.js';
import { LIMIT_WORDS } from '../words.js';
import type { Figures } from './document.js';
import { hasRates, latencyAtAGlance } from './rate-plots.js';
import { explainedWord } from './terms.js';

/** Shown instead of a verdict while the run goes on: later steps may change it. */
export const RUNNING = 'RUNNING';

/**
 * The verdict and its reason, the confidence in it, then a card with a plot for each load.
 * @param live the run goes on: there is no verdict yet
 */
export function summary(
  run: RecordedRun,
  verdict: RunVerdict,
  answers: LoadAnswer[],
  figures: Figures,
  live: boolean,
): Html {
  const { run: record } = run;
  const { payloadLimits } = verdict;
  const shown = (answer: Answer) => badge(live ? RUNNING : answer);
  const cards = payloadLimits
    ? payloadLimits.map((limit) => payloadCard(limit, shown(limit.verdict), live))
    : verdict.loads.map((load, i) => loadCard(load, shown(load.verdict), run, verdict, answers[i]!, figures));
  return html`
    <header>
      ${originParagraph(record)} ${measuredParagraph(record)}
      <h1>${shown(verdict.verdict)} <span>${live && 'So far: '}${reason(verdict, answers, live)}</span></h1>
      ${confidenceParagraph(confidence(record, run.steps))} ${exposureParagraph(record)}
    </header>
    <div class="cards">${cards}</div>
  `;
}

/** The command that made a record, and when it began. */
export const originParagraph = ({ tool, startedAt }: { tool: string; startedAt: string }): Html =>
  html`<p class="origin">
    ${tool} <span aria-hidden="true">·</span> <time datetime="${startedAt}">${formatDateTime(startedAt)}</time>
  </p>`;

/** A note that another patch of n8n was measured than the values name; undefined if it was not. */
export const measuredParagraph = (record: RunRecord): Html | undefined => {
  const { why } = measuredVersion(record);
  return why === undefined ? undefined : html`<p class="provisional"><strong>${sentence(why)}</strong></p>`;
};

/** Public vulnerabilities of the n8n of the values; undefined where its version is unknown. */
export const exposureParagraph = (record: RunRecord): Html | undefined => {
  const exposure = knownExposure(record);
  return exposure && html`<p class="provisional">${sentence(exposureText(exposure))}</p>`;
};

/** Whether the result is provisional, and why. */
export function confidenceParagraph({ word: name, text, reasons }: Confidence): Html {
  const [where = ''] = text.split(',');
  return html`<p class="provisional">
    <strong>${explainedWord(capitalized(name))}.</strong> ${sentence(where)} ${reasons.join(' ')}
    ${name === 'provisional' && 'Confirm it with a run on the cluster that n8n will run on.'}
  </p>`;
}

/** What to do next. */
export function recommendationBlock({ title, text, values }: Recommendation): Html {
  const block = html`<p class="copy">
      <span>values.yaml</span> <button type="button" data-copy="values-to-copy" hidden>Copy</button>
    </p>
    <pre id="values-to-copy" tabindex="0">${values ?? ''}</pre>`;
  return html`
    <section class="recommendation" aria-labelledby="recommendation">
      <h2 id="recommendation">${title}</h2>
      <p>${text}</p>
      ${values !== undefined && block}
    </section>
  `;
}

/** A verdict, or RUNNING, on its colour. */
export const badge = (verdict: Answer | typeof RUNNING): Html =>
  html`<span class="badge ${verdict.toLowerCase()}">${verdict}</span>`;

/** A verdict in a table, in the colour and with the sign of its row. */
export const word = (text: string): Html => html`<span class="word">${text}</span>`;

/** A mark on a row. */
export const pill = (text: string): Html => html`<span class="capacity">${text}</span>`;

/** The conclusions of the loads that decided the verdict, as one sentence. Before a verdict: of all loads. */
function reason(verdict: RunVerdict, answers: LoadAnswer[], live: boolean): Part[] {
  const { soak, payloadLimits } = verdict;
  if (payloadLimits) return [html`<b>Largest payload:</b> ${payloadLimits.map(largestPayload).join('; ')}.`];
  const deciding = live ? verdict.loads : verdict.loads.filter((l) => l.verdict === verdict.verdict);
  if (deciding.length === 0 && soak) return [html`<b>drift:</b> ${driftReason(soak)}.`];
  const isShort = isGood(verdict.verdict) && deciding.length > 1;
  const conclusion = (l: LoadVerdict) =>
    isShort && l.capacity !== undefined
      ? formatRate(l.capacity)
      : answers.find((answer) => answer.load === l.load)!.headline;
  return deciding.map((l, i) => html`<b>${l.load}</b> ${conclusion(l)}${i < deciding.length - 1 ? '; ' : '.'}`);
}

const largestPayload = ({ clients, survivedMiB }: PayloadLimit): string =>
  `${survivedMiB === undefined ? 'unknown' : formatMib(survivedMiB)} with ${clientsText(clients)}`;

const clientsText = (n: number): string => `${n} ${n === 1 ? 'client' : 'clients'}`;

/** The drift that decided the verdict of a soak, where its load did not. */
const driftReason = ({ verdict, drifts }: SoakReport): string =>
  drifts.find((d) => d.verdict === verdict)?.text ?? 'nothing was measured';

function loadCard(
  load: LoadVerdict,
  shown: Html,
  run: RecordedRun,
  { loads, burst }: RunVerdict,
  { headline: answer, details }: LoadAnswer,
  figures: Figures,
): Html {
  const plan = run.run.plan.loads.find((l) => l.name === load.load)!;
  const deciding = decidingStep(load);
  const bound = arithmeticBound(plan, run.run);
  const latency = deciding?.step.summary.latency;
  const at = deciding && arrivals(deciding.step);
  return html`
    <article class="card">
      <h2><a href="#${anchor(load.load)}">${load.load}</a> ${shown}</h2>
      <p class="figure">${burst ? burstHeadline(burst) : headline(load)}</p>
      ${hasRates(load) && figures.figure(latencyAtAGlance(load, run.run.plan.slo))}
      ${loads.length > 1 && html`<p class="conclusion">${answer}.</p>`}
      ${details.map((detail) => html`<p class="conclusion">${detail}</p>`)}
      <dl>
        ${load.broken !== undefined && fact('Not sustained at', formatRate(load.broken))}
        ${load.saturated && fact('Saturated at', `${formatRate(load.saturated.rate)}, with ${arrivals(load.saturated.step.step)}`)}
        ${deciding && fact(`Errors at ${at}`, errorClaim(deciding.step, run.run.plan.slo.errors))}
        ${latency && fact(`Latency at ${at}`, `p50 ${formatOverhead(latency.p50)}, p95 ${formatOverhead(latency.p95)}, p99 ${formatOverhead(latency.p99)} above the service time`)}
        ${bound && fact('Upper limit by arithmetic', `${formatRate(bound.rate)} (${bound.formula})`)}
      </dl>
    </article>
  `;
}

const figure = (value: string, meaning: string, unit = ''): Html =>
  html`<strong>${value}</strong>${unit} <span>${explainedWord(meaning)}</span>`;

const burstHeadline = ({ peak }: BurstReport): Html =>
  figure(peak ? `${peak.executions}` : '–', 'executions in the highest backlog');

function headline(load: LoadVerdict): Html {
  if (load.capacity !== undefined)
    return figure(formatNumber(load.capacity), capacityMeaning(load.capacity, upperEnd(load)), '/s');
  const last = load.steps.at(-1)?.step;
  if (!last) return figure('–', 'no step has ended');
  if (last.rate === undefined)
    return figure(formatNumber(answeredRate(last)), `answered, with ${arrivals(last)} in a closed loop`, '/s');
  if (load.broken === undefined) return figure('–', 'no step could be judged');
  return figure('none', 'no tested rate was sustained');
}

/** Ratio of the upper bound to the capacity. Above it, the search found a rate that holds but not the highest one. */
const MAX_CAPACITY_GAP = 1.25;

function capacityMeaning(capacity: number, upper: number | undefined): string {
  if (upper === undefined) return 'sustained; no step broke it';
  return upper <= MAX_CAPACITY_GAP * capacity
    ? 'highest sustained arrival rate'
    : `sustained; the capacity is at most ${formatRate(upper)}`;
}

function payloadCard(found: PayloadLimit, shown: Html, live: boolean): Html {
  const { clients, survivedMiB, brokeMiB, limit, text, tries } = found;
  const goesOn = live && found.verdict === 'INCONCLUSIVE';
  const [value, unit, meaning] =
    survivedMiB === undefined
      ? (['–', '', tries.length === 0 ? 'no try has ended' : 'no payload survived'] as const)
      : ([formatNumber(survivedMiB), ' MiB', 'largest payload that survives'] as const);
  return html`
    <article class="card">
      <h2><a href="#payload-limit">${clientsText(clients)}</a> ${shown}</h2>
      <p class="figure">${figure(value, meaning, unit)}</p>
      ${!goesOn && html`<p class="conclusion">${text}</p>`}
      <dl>
        ${survivedMiB !== undefined && clients > 1 && fact('All clients together', formatMib(survivedMiB * clients))}
        ${brokeMiB !== undefined && fact('Does not survive', formatMib(brokeMiB))}
        ${fact('Limit', limit ? LIMIT_WORDS[limit] : 'unknown')}
      </dl>
    </article>
  `;
}

/** A line of a card's list. */
export const fact = (name: string, value: string): Html =>
  html`<div>
    <dt>${explainedWord(name)}</dt>
    <dd>${value}</dd>
  </div>`;

/** Id of the section of a load. */
export const anchor = (load: string): string => `load-${load.replace(/[^A-Za-z0-9_-]/g, '-')}`;
