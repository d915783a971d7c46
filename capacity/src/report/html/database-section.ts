import { median } from 'simple-statistics';
import type { StepRecord } from '../../model/step.js';
import type { Sample } from '../../model/sample.js';
import type { RunVerdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { NONE } from '../columns.js';
import { arrivals } from '../facts.js';
import { html, type Html } from '../markup.js';
import { databasePlots, countPendingRequests, transactionRates } from './database-plots.js';
import type { Figures } from './document.js';
import { thinOutSamples, maximum } from './series.js';
import { table, type HtmlColumn } from './table.js';

/** PostgreSQL over time; undefined for another database. */
export function databaseSection(run: RecordedRun, verdict: RunVerdict, figures: Figures): Html | undefined {
  if (run.run.deployment.database !== 'postgresdb') return undefined;
  const plots = databasePlots(thinOutSamples(run), verdict);
  return html`
    <h3 class="component">PostgreSQL over time</h3>
    ${
      plots
        ? html`${stepTable(run)}
            <div class="pair">${plots.map((plot) => figures.figure(plot, 4))}</div>`
        : html`<p class="reading">PostgreSQL statistics are unavailable.</p>`
    }
  `;
}

/** A step with its samples. */
interface Observed {
  step: StepRecord;
  samples: Sample[];
}

const stepTable = ({ steps, samples }: RecordedRun): Html =>
  table({
    label: 'Transactions and connections in each step',
    className: 'steps',
    columns: COLUMNS,
    rows: steps.map((step): Observed => ({
      step,
      samples: samples.filter((s) => s.at >= step.measuredFrom && s.at <= step.measuredTo),
    })),
    caption:
      "Medians over the measured part of each step; the highest value where something waits. Transactions are those of all clients and of PostgreSQL's own maintenance. Waiting for a connection: requests within n8n, which reports them since version 2.30.",
  });

type Database = NonNullable<Sample['database']>;

const of = (samples: Sample[], value: (database: Database) => number): number[] =>
  samples.flatMap(({ database }) => (database ? [value(database)] : []));
const middle = (values: number[]) => (values.length === 0 ? NONE : Math.round(median(values)));
const highest = (values: number[]) => (values.length === 0 ? NONE : maximum(values));
/** Connections that wait within PostgreSQL, for anything but their client. */
const waiting = ({ waiting: { Client: _, ...own } }: Database) => Object.values(own).reduce((a, b) => a + b, 0);

const COLUMNS: HtmlColumn<Observed>[] = [
  { head: '#', cell: ({ step }) => step.index + 1 },
  { head: 'Arrivals', isRowHeader: true, cell: ({ step }) => arrivals(step) },
  {
    head: 'Transactions/s',
    cell: ({ step, samples }) => middle(transactionRates(samples, step.measuredFrom).flatMap(([, rate]) => rate ?? [])),
  },
  { head: 'Active', cell: ({ samples }) => middle(of(samples, (d) => d.connections.active)) },
  { head: 'In transaction', cell: ({ samples }) => middle(of(samples, (d) => d.connections.inTransaction)) },
  { head: 'Idle', cell: ({ samples }) => middle(of(samples, (d) => d.connections.idle)) },
  { head: 'Waiting in PostgreSQL', cell: ({ samples }) => highest(of(samples, waiting)) },
  {
    head: 'Waiting for a connection',
    cell: ({ samples }) => highest(samples.flatMap((s) => countPendingRequests(s) ?? [])),
  },
];
