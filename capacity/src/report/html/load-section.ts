import { telling } from '../../judge/conclusion.js';
import { isOverload, overloadClause } from '../../judge/overload.js';
import { formatNumber, formatHours, formatRate, sentence } from '../../core/formats.js';
import { verdictOfDrift } from '../../judge/profiles/soak.js';
import type { Drift, SoakReport } from '../../model/reports.js';
import type { Sample } from '../../model/sample.js';
import type { JudgedStep, LoadVerdict, Reason, StepVerdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { DRIFT_COLUMNS, PHASE, STEP } from '../columns.js';
import { throughput } from '../facts.js';
import { html, type Html } from '../markup.js';
import type { Figures } from './document.js';
import { hasRates, latencyByRate, throughputByRate } from './rate-plots.js';
import { stepOverTime } from './step-plots.js';
import { anchor, badge, pill, word } from './summary.js';
import { table, type HtmlColumn } from './table.js';

/**
 * A load: its steps as a table, then as plots.
 * @param live the run goes on: no step is marked as the capacity
 */
export function loadSection(load: LoadVerdict, run: RecordedRun, figures: Figures, live: boolean): Html {
  const id = anchor(load.load);
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${load.load}</h2>
      ${load.steps.length === 0 ? html`<p>No step has ended.</p>` : html`${stepTable(load, run.samples, live)}${plots(load, run, figures)}`}
      ${overloadBlock(load, run, figures)}
    </section>
  `;
}

function plots(load: LoadVerdict, run: RecordedRun, figures: Figures): Html {
  if (!hasRates(load))
    return html`<div class="pair">
      ${stepOverTime(load.load, load.steps.at(-1)!.step).map((plot) => figures.figure(plot))}
    </div>`;
  return html`
    <div class="pair">
      ${figures.figure(latencyByRate(load, run.run.plan.slo))}${figures.figure(throughputByRate(load, run.samples))}
    </div>
    <p class="shapes">
      <span><i class="circle"></i>sustained</span>
      <span><i class="cross">✕</i>broken</span>
      <span><i class="triangle">△</i>inconclusive</span>
      ${load.broken !== undefined && html`<span><i class="shade"></i>not sustained, from ${formatRate(load.broken)}</span>`}
    </p>
  `;
}

/** The overload after the steps: in words, by phase, and second by second. */
function overloadBlock(load: LoadVerdict, { steps }: RecordedRun, figures: Figures): Html | undefined {
  const step = steps.find((s) => s.load === load.load && isOverload(s));
  if (!step || !load.overload) return undefined;
  const { name, offered, seconds, answered, failed, latency, failures } = PHASE;
  return html`
    <h3 class="overload">Overload</h3>
    <p>${sentence(overloadClause(load.overload, load.capacity ?? load.overload.rate))}</p>
    ${table({
      label: `Overload of ${load.load}`,
      className: 'phases',
      columns: [name, offered, seconds, answered, failed, ...latency, failures],
      rows: step.phases!,
      caption:
        'Requests are counted in the phase in which they were sent. Latencies are above the service time. Forecast: by a simulation, from the steps before.',
    })}
    <div class="pair">${stepOverTime(load.load, step).map((plot) => figures.figure(plot))}</div>
  `;
}

/** One row for each step, in the order of the run. */
const stepTable = (load: LoadVerdict, samples: Sample[], live: boolean): Html =>
  table({
    label: `Steps of ${load.load}`,
    className: 'steps',
    rowClass: ({ judged }) => judged.verdict.toLowerCase(),
    columns: columns(load, samples, live),
    rows: load.steps,
    below: ({ judged }) => reasonsShown(judged).map((r) => r.text),
    caption:
      'Steps in the order of the run. Executions: completed of accepted, including warm-up and drain. Failed: requests, with the upper bound of their share at 95 % confidence. Latencies are above the service time.',
  });

/** Why a step is not sustained. Of a step that was too short to tell, one reason is enough. */
const reasonsShown = ({ verdict, reasons }: StepVerdict): Reason[] => {
  const shown = telling(reasons);
  return shown.length > 0 || verdict === 'PASS' ? shown : reasons.slice(0, 1);
};

function columns(load: LoadVerdict, samples: Sample[], live: boolean): HtmlColumn<JudgedStep>[] {
  const isCapacity = ({ step, judged }: JudgedStep) =>
    !live && judged.verdict === 'PASS' && step.rate === load.capacity;
  const completed = ({ step }: JudgedStep) => {
    const rate = throughput(step, samples).completed;
    return rate === undefined ? 'unknown' : formatNumber(rate);
  };
  return [
    STEP.number,
    { ...STEP.arrivals, isRowHeader: true },
    { ...STEP.verdict, cell: (s) => html`${word(STEP.verdict.cell(s))} ${isCapacity(s) && pill('capacity')}` },
    STEP.offered,
    STEP.answered,
    { head: 'Completed/s', cell: completed },
    STEP.executions,
    STEP.failed,
    ...STEP.latency,
    STEP.drain,
    ...(load.steps.some(({ step }) => step.forecast) ? [STEP.forecast] : []),
  ];
}

/**
 * Drift of memory, latency and tables over a soak.
 * @param live the run goes on: the table shows what is measured so far, without verdicts
 */
export function driftSection({ drifts, unknown, horizonSeconds }: SoakReport, live: boolean): Html {
  return html`
    <section aria-labelledby="drift">
      <h2 id="drift">Drift</h2>
      ${table({
        label: 'Drift of each quantity',
        className: 'drift',
        columns: [...DRIFT_COLUMNS, ...(live ? [] : DRIFT_VERDICT)],
        rows: drifts,
        caption: `Change per hour under the steady load, without its first quarter, with bounds of which each is wrong in 0.5 %. Judged for ${formatHours(horizonSeconds / 3600)} ahead.`,
      })}
      ${unknown.length > 0 && html`<p>Unknown: ${unknown.join('; ')}.</p>`}
    </section>
  `;
}

/** A summary names the limit that is met or not, so it is part of the verdict. */
const DRIFT_VERDICT: HtmlColumn<Drift>[] = [
  { head: 'Verdict', isText: true, cell: ({ verdict }) => badge(verdictOfDrift(verdict)) },
  { head: 'Summary', isText: true, cell: ({ text }) => text },
];
