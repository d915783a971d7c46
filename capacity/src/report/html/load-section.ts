import { format, type JudgedStep, type LoadVerdict } from '../../judge/run.js';
import { milliseconds, percent } from '../../judge/step.js';
import type { RecordedRun } from '../../record/recorder.js';
import { arrivals, throughput } from './facts.js';
import type { Figures } from './figure.js';
import { html, type Html } from './html.js';
import { STEP_WORDS } from './plot.js';
import { hasRates, latencyByRate, throughputByRate } from './rate-plots.js';
import { anchor } from './summary.js';
import { stepOverTime } from './time-plots.js';

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
  if (!hasRates(load)) return html`<div class="pair">${stepOverTime(load, load.steps.at(-1)!).map((plot) => figures.figure(plot))}</div>`;
  return html`
    <div class="pair">${figures.figure(latencyByRate(load, run.run.plan.slo))}${figures.figure(throughputByRate(load, run.samples))}</div>
    ${SHAPES}
  `;
}

const SHAPES = html`<p class="shapes">
  <span><i class="circle"></i>sustained</span><span><i class="cross">✕</i>broken</span><span><i class="triangle">△</i>invalid</span><span><i class="shade"></i>rates that did not hold</span>
</p>`;

/** One row a step, in the order in which they were run. */
export function stepTable(load: LoadVerdict, run: RecordedRun): Html {
  const heads = ['Offered/s', 'Answered/s', 'Completed/s', 'Completed', 'Failed', 'p50', 'p95', 'p99', 'Drain'];
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Steps of ${load.load}">
      <table class="steps">
        <caption>Steps in the order in which they were run. Latencies are above the service time; failed requests with their upper bound at 95 % confidence; completed includes the warm-up.</caption>
        <thead>
          <tr><th scope="col">#</th><th scope="col">Arrivals</th>${heads.map((h) => html`<th scope="col">${h}</th>`)}<th scope="col" class="text">Verdict</th></tr>
        </thead>
        <tbody>${load.steps.map((step) => row(step, load, run))}</tbody>
      </table>
    </div>
  `;
}

function row({ step, judged }: JudgedStep, load: LoadVerdict, run: RecordedRun): Html {
  const { summary, executions } = step;
  const rates = throughput(step, run.samples);
  const latency = (key: 'p50' | 'p95' | 'p99') => html`<td>${summary.latency ? `+${milliseconds(summary.latency[key])}` : '–'}</td>`;
  const isCapacity = judged.verdict === 'PASS' && step.rate === load.capacity;
  return html`<tr class="${judged.verdict.toLowerCase()}">
    <td>${step.index + 1}</td>
    <th scope="row">${arrivals(step)}</th>
    <td>${format(rates.offered)}</td>
    <td>${format(rates.answered)}</td>
    <td>${rates.completed === undefined ? 'unknown' : format(rates.completed)}</td>
    <td>${executions ? `${executions.completed} of ${executions.accepted}` : 'unknown'}</td>
    <td>${summary.failed} <small>≤ ${percent(judged.errorRateUpperBound)}</small></td>
    ${latency('p50')}${latency('p95')}${latency('p99')}
    <td>${executions ? milliseconds(executions.drainSeconds) : '–'}</td>
    <td class="text"><span class="word">${STEP_WORDS[judged.verdict]}</span>${isCapacity && html` <span class="capacity">capacity</span>`}${reasons(judged.reasons)}</td>
  </tr>`;
}

const reasons = (all: { text: string }[]): Html | undefined => (all.length === 0 ? undefined : html`<ul>${all.map((r) => html`<li>${r.text}</li>`)}</ul>`);
