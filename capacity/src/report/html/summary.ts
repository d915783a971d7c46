import { format, milliseconds } from '../../core/formats.js';
import type { Recommendation, Confidence, LoadVerdict, RunVerdict, Verdict } from '../../model/verdict.js';
import type { BurstReport, SoakReport } from '../../model/reports.js';
import { confidence } from '../../judge/confidence.js';
import type { RecordedRun } from '../../record/recorder.js';
import { arithmeticBound, arrivals, decidingStep, errorClaim } from './facts.js';
import { html, type Html } from './html.js';

/** Verdict and reason first, then what they rest on, then each load. */
export function summary(run: RecordedRun, verdict: RunVerdict): Html {
  const { run: record } = run;
  return html`
    <header>
      ${originParagraph(record)}
      <h1>${badge(verdict.verdict)} <span>${reason(verdict)}</span></h1>
      ${confidenceParagraph(confidence(record, run.steps))}
    </header>
    <div class="cards">${verdict.loads.map((load) => card(load, run, verdict))}</div>
  `;
}

/** What made a record, and when it began. */
export const originParagraph = ({ tool, startedAt }: { tool: string; startedAt: string }): Html =>
  html`<p class="origin">
    ${tool} <span aria-hidden="true">·</span> <time datetime="${startedAt}">${readable(startedAt)}</time>
  </p>`;

/** How far the result holds where n8n will live, and what that rests on. */
export function confidenceParagraph({ word, text, reasons }: Confidence): Html {
  const [where = ''] = text.split(',');
  return html`<p class="provisional">
    <strong>${sentence(word)}</strong> ${sentence(where)} ${reasons.join(' ')}
    ${word === 'provisional' && 'A run on the cluster where it will live makes it confirmed.'}
  </p>`;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** The block of what to do next. */
export function recommendationBlock({ title, text, values }: Recommendation): Html {
  const block = html`<p class="copy">
      <span>values.yaml</span> <button type="button" data-copy="recommended-values" hidden>Copy</button>
    </p>
    <pre id="recommended-values" tabindex="0">${values ?? ''}</pre>`;
  return html`
    <section class="recommendation" aria-labelledby="recommendation">
      <h2 id="recommendation">${title}</h2>
      <p>${text}</p>
      ${values !== undefined && block}
    </section>
  `;
}

/** A verdict as a word on its colour. */
export const badge = (verdict: Verdict): Html => html`<span class="badge ${verdict.toLowerCase()}">${verdict}</span>`;

/** One sentence: what the loads that decided it conclude; where several pass, how each broke stands on its card. */
function reason({ verdict, loads, soak }: RunVerdict): Html[] {
  const deciding = loads.filter((l) => l.verdict === verdict);
  if (deciding.length === 0 && soak) return [html`<b>drift</b> ${driftReason(soak)}.`];
  const isShort = verdict === 'PASS' && deciding.length > 1;
  const said = (l: LoadVerdict) =>
    isShort && l.capacity !== undefined ? `sustains ${format(l.capacity)}/s` : l.conclusion;
  return deciding.map((l, i) => html`<b>${l.load}</b> ${said(l)}${i < deciding.length - 1 ? '; ' : '.'}`);
}

/** What of a soak decided its verdict, where its load did not. */
const driftReason = ({ verdict, drifts }: SoakReport): string =>
  drifts.find((d) => d.verdict === verdict)?.text ?? 'nothing was measured';

function card(load: LoadVerdict, run: RecordedRun, { loads, burst }: RunVerdict): Html {
  const plan = run.run.plan.loads.find((l) => l.name === load.load)!;
  const deciding = decidingStep(load);
  const bound = arithmeticBound(plan, run.run);
  const latency = deciding?.step.summary.latency;
  const at = deciding && arrivals(deciding.step);
  return html`
    <article class="card">
      <h2><a href="#${anchor(load.load)}">${load.load}</a> ${badge(load.verdict)}</h2>
      <p class="figure">${burst ? burstHeadline(burst) : headline(load)}</p>
      ${loads.length > 1 && html`<p class="conclusion">${load.conclusion}</p>`}
      <dl>
        ${load.broken !== undefined && fact('Breaks at', `${format(load.broken)}/s`)}
        ${deciding && fact(`Errors at ${at}`, errorClaim(deciding.step, run.run.plan.slo.errors))}
        ${latency && fact(`Latency at ${at}`, `p50 +${milliseconds(latency.p50)}, p95 +${milliseconds(latency.p95)}, p99 +${milliseconds(latency.p99)} above the service time`)}
        ${bound && fact('Bound by arithmetic', `${format(bound.rate)}/s (${bound.formula})`)}
      </dl>
    </article>
  `;
}

const burstHeadline = ({ peak }: BurstReport): Html =>
  html`<strong>${peak ? peak.executions : '–'}</strong> <span>executions of backlog at most</span>`;

function headline(load: LoadVerdict): Html {
  if (load.capacity !== undefined) {
    const meaning = load.broken === undefined ? 'sustained; no step broke it' : 'highest sustained arrival rate';
    return html`<strong>${format(load.capacity)}</strong>/s <span>${meaning}</span>`;
  }
  const last = load.steps.at(-1)?.step;
  if (!last) return html`<strong>–</strong> <span>no step has ended</span>`;
  if (last.rate === undefined) {
    const answered = last.summary.answered / ((last.measuredTo - last.measuredFrom) / 1000);
    return html`<strong>${format(answered)}</strong>/s
      <span>answered, with ${arrivals(last)} that each wait for their answer</span>`;
  }
  if (load.broken === undefined) return html`<strong>–</strong> <span>no step could be judged</span>`;
  return html`<strong>none</strong> <span>no rate that was tried was sustained</span>`;
}

/** A line of a card's list. */
export const fact = (name: string, value: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** Where the section of a load begins. */
export const anchor = (load: string): string => `load-${load.replace(/[^A-Za-z0-9_-]/g, '-')}`;

/** `2026-11-20 10:15 UTC`. */
const readable = (time: string): string =>
  new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d+Z$/, ' UTC');
