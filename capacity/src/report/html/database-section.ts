import type { StepRecord } from '../../model/step.js';
import type { Sample } from '../../model/sample.js';
import type { RunVerdict } from '../../model/verdict.js';
import { median } from 'simple-statistics';
import type { RecordedRun } from '../../record/recorder.js';
import { databasePlots, pendingOf, transactionRates } from './database-plots.js';
import { arrivals, most } from './facts.js';
import type { Figures } from './figure.js';
import { html, type Html } from './html.js';
import { forPlots } from './thin.js';

/** What PostgreSQL did: nothing for another database, a word where it was not seen. */
export function databaseSection(run: RecordedRun, verdict: RunVerdict, figures: Figures): Html | undefined {
  if (run.run.deployment.database !== 'postgresdb') return undefined;
  const plots = databasePlots(forPlots(run), verdict);
  return html`
    <h3 class="component">PostgreSQL over time</h3>
    ${
      plots
        ? html`${stepsTable(run)}
            <div class="pair">${plots.map((plot) => figures.figure(plot, 4))}</div>`
        : html`<p class="reading">Its transactions and connections were not seen: it could not be asked.</p>`
    }
  `;
}

const HEADS = ['Transactions/s', 'Active', 'In transaction', 'Idle', 'Wait in PostgreSQL', 'Wait for a connection'];

function stepsTable({ steps, samples }: RecordedRun): Html {
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Transactions and connections of each step">
      <table>
        <caption>
          <div>
            Medians over the measured part of each step; what waits, at most. Transactions are those of all clients and
            of PostgreSQL's own upkeep. Waiting for a connection are requests within n8n, which shows them since 2.30.
          </div>
        </caption>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Arrivals</th>
            ${HEADS.map((head) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${steps.map((step) => stepRow(step, samples))}
        </tbody>
      </table>
    </div>
  `;
}

function stepRow(step: StepRecord, samples: Sample[]): Html {
  const within = samples.filter((s) => s.at >= step.measuredFrom && s.at <= step.measuredTo);
  const looks = within.flatMap((s) => s.database ?? []);
  const middle = (values: number[]) => (values.length === 0 ? '–' : Math.round(median(values)));
  const peak = (values: number[]) => (values.length === 0 ? '–' : most(values));
  const cells = [
    middle(transactionRates(within, step.measuredFrom).flatMap(([, rate]) => rate ?? [])),
    middle(looks.map((l) => l.connections.active)),
    middle(looks.map((l) => l.connections.inTransaction)),
    middle(looks.map((l) => l.connections.idle)),
    peak(looks.map(({ waiting: { Client: _, ...own } }) => Object.values(own).reduce((a, b) => a + b, 0))),
    peak(within.flatMap((s) => pendingOf(s) ?? [])),
  ];
  return html`<tr>
    <th scope="row">${step.index + 1}</th>
    <td>${arrivals(step)}</td>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}
