import { format, milliseconds } from '../../core/formats.js';
import type { PhaseRecord } from '../../model/step.js';
import type { BurstReport } from '../../model/reports.js';
import type { RecordedRun } from '../../record/recorder.js';
import { burstFigures, failureKinds, percentiles } from '../terminal/burst.js';
import { burstPlots } from './burst-plots.js';
import { burstSeconds, type BurstSecond } from './burst-seconds.js';
import type { Figures } from './figure.js';
import { html, type Html } from './html.js';
import { anchor } from './summary.js';
import { thinned } from './thin.js';

/** So many rows hold what the plots show; a reader wants the shape, the records have every second. */
const MOST_ROWS = 60;

/** A burst: its figures, its phases, and how it went over time. */
export function burstSection(report: BurstReport, run: RecordedRun, figures: Figures): Html {
  const id = anchor(run.run.plan.loads[0]!.name);
  const seconds = burstSeconds(run, report);
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">Burst</h2>
      ${figureTable(report)} ${phaseTable(report.phases)}
      <div class="pair">${burstPlots(thinned(seconds), report).map((plot) => figures.figure(plot))}</div>
      ${secondsTable(seconds)}
    </section>
  `;
}

const figureTable = (report: BurstReport): Html => html`
  <div class="scroll" role="region" tabindex="0" aria-label="What the burst measured">
    <table>
      <tbody>
        ${burstFigures(report).map(
          ([name, value]) =>
            html`<tr>
              <th scope="row" class="text">${name}</th>
              <td class="text">${value}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>
`;

const phaseTable = (phases: PhaseRecord[]): Html => html`
  <div class="scroll" role="region" tabindex="0" aria-label="Phases of the burst">
    <table class="phases">
      <caption>
        <div>A request belongs to the phase in which it was sent. Latencies are above the service time.</div>
      </caption>
      <thead>
        <tr>
          <th scope="col" class="text">Phase</th>
          ${['Offered/s', 'From', 'To', 'Answered', 'Failed', 'p50', 'p95', 'p99'].map((h) => html`<th scope="col">${h}</th>`)}
          <th scope="col" class="text">Failures</th>
        </tr>
      </thead>
      <tbody>
        ${phases.map(
          (phase) =>
            html`<tr>
              <th scope="row" class="text">${phase.name}</th>
              ${[format(phase.rate), `${phase.from} s`, `${phase.to} s`, phase.answered, phase.failed, ...percentiles(phase)].map((cell) => html`<td>${cell}</td>`)}
              <td class="text">${failureKinds(phase)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>
`;

function secondsTable(seconds: BurstSecond[]): Html {
  const components = [...new Set(seconds.flatMap(({ ready }) => Object.keys(ready) as (keyof typeof ready)[]))];
  const heads = ['Offered/s', 'Answered/s', 'Completed/s', 'Backlog', 'p50', ...components.map((c) => `${c} pods`)];
  const number = (value: number | undefined) => (value === undefined ? '–' : format(value));
  const cells = (s: BurstSecond) => [
    ...[s.sent, s.answered, s.completed, s.backlog].map(number),
    s.p50 === undefined ? '–' : `+${milliseconds(s.p50)}`,
    ...components.map((component) => number(s.ready[component])),
  ];
  return html`
    <details>
      <summary>The plots as a table</summary>
      <div class="scroll" role="region" tabindex="0" aria-label="The burst over time">
        <table>
          <thead>
            <tr>
              <th scope="col">Second</th>
              ${heads.map((h) => html`<th scope="col">${h}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${thinned(seconds, MOST_ROWS).map(
              (s) =>
                html`<tr>
                  <th scope="row">${s.at}</th>
                  ${cells(s).map((cell) => html`<td>${cell}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  `;
}
