import { format, milliseconds, percent } from '../../core/formats.js';
import type { JudgedStep, LoadVerdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { arrivals, throughput } from './facts.js';
import type { Figures } from './figure.js';
import { html, type Html } from './html.js';
import { STEP_WORDS } from './plot.js';
import { hasRates, latencyByRate, throughputByRate } from './rate-plots.js';
import { anchor } from './summary.js';
import { stepOverTime } from './step-plots.js';

/** A load: its steps as a table, then as plots. */
export function loadSection(load: LoadVerdict, run: RecordedRun, figures: Figures): Html {
  const id = anchor(load.load);
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${load.load}</h2>
      ${load.steps.length === 0 ? html`<p>No step has ended.</p>` : html`${stepTable(load, run)}${plots(load, run, figures)}`}
    </section>
  `;
}

function plots(load: LoadVerdict, run: RecordedRun, figures: Figures): Html {
  if (!hasRates(load))
    return html`<div class="pair">${stepOverTime(load, load.steps.at(-1)!).map((plot) => figures.figure(plot))}</div>`;
  return html`
    <div class="pair">
      ${figures.figure(latencyByRate(load, run.run.plan.slo))}${figures.figure(throughputByRate(load, run.samples))}
    </div>
    ${SHAPES}
  `;
}

const SHAPES = html`<p class="shapes">
  <span><i class="circle"></i>sustained</span>
  <span><i class="cross">✕</i>broken</span>
  <span><i class="triangle">△</i>inconclusive</span>
  <span><i class="shade"></i>rates that did not hold</span>
</p>`;

/** One row a step, in the order in which they were run. */
export function stepTable(load: LoadVerdict, run: RecordedRun): Html {
  const heads = ['Offered/s', 'Answered/s', 'Completed/s', 'Executions', 'Failed', 'p50', 'p95', 'p99', 'Drain'];
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Steps of ${load.load}">
      <table class="steps">
        <caption>
          <div>
            Steps in the order in which they were run. Executions: completed of accepted, warm-up and drain included.
            Failed: requests, with the upper bound of their rate at 95 % confidence. Latencies are above the service
            time.
          </div>
        </caption>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Arrivals</th>
            <th scope="col" class="text">Verdict</th>
            ${heads.map((h) => html`<th scope="col">${h}</th>`)}
          </tr>
        </thead>
        ${load.steps.map((step) => row(step, load, run))}
      </table>
    </div>
  `;
}

function row({ step, judged }: JudgedStep, load: LoadVerdict, run: RecordedRun): Html {
  const { summary, executions } = step;
  const rates = throughput(step, run.samples);
  const latency = (key: 'p50' | 'p95' | 'p99') =>
    html`<td>${summary.latency ? `+${milliseconds(summary.latency[key])}` : '–'}</td>`;
  const isCapacity = judged.verdict === 'PASS' && step.rate === load.capacity;
  return html`<tbody class="${judged.verdict.toLowerCase()}">
    <tr>
      <td>${step.index + 1}</td>
      <th scope="row">${arrivals(step)}</th>
      <td class="text">
        <span class="word">${STEP_WORDS[judged.verdict]}</span>
        ${isCapacity && html`<span class="capacity">capacity</span>`}
      </td>
      <td>${format(rates.offered)}</td>
      <td>${format(rates.answered)}</td>
      <td>${rates.completed === undefined ? 'unknown' : format(rates.completed)}</td>
      <td>${executions ? `${executions.completed} of ${executions.accepted}` : 'unknown'}</td>
      <td>${summary.failed} <small>≤ ${percent(judged.errorRateUpperBound)}</small></td>
      ${latency('p50')}${latency('p95')}${latency('p99')}
      <td>${executions ? milliseconds(executions.drainSeconds) : '–'}</td>
    </tr>
    ${reasons(judged.reasons)}
  </tbody>`;
}

const reasons = (all: { text: string }[]): Html | undefined =>
  all.length === 0
    ? undefined
    : html`<tr class="reasons">
        <td></td>
        <td colspan="11" class="text">
          <ul>
            ${all.map((r) => html`<li>${r.text}</li>`)}
          </ul>
        </td>
      </tr>`;
