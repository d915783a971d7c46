import { formatNumber, formatOverhead } from '../../core/formats.js';
import type { BurstReport } from '../../model/reports.js';
import type { RecordedRun } from '../../record/recorder.js';
import { burstFacts, FACT_COLUMNS, NONE, PHASE } from '../columns.js';
import { html, type Html } from '../markup.js';
import { burstPlots, burstSeconds, scaledComponents, type BurstSecond } from './burst-plots.js';
import type { Figures } from './document.js';
import { thinOut } from './series.js';
import { anchor } from './summary.js';
import { table, type HtmlColumn } from './table.js';

/** Rows of the table over time; the records have every second. */
const MAX_ROWS = 60;

/** A burst: its results, its phases, and its course over time. */
export function burstSection(report: BurstReport, run: RecordedRun, figures: Figures): Html {
  const id = anchor(run.run.plan.loads[0]!.name);
  const seconds = burstSeconds(run, report);
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">Burst</h2>
      ${table({ label: 'Results of the burst', columns: FACT_COLUMNS, rows: burstFacts(report) })}
      ${table({
        label: 'Phases of the burst',
        className: 'phases',
        columns: [
          PHASE.name,
          PHASE.offered,
          PHASE.from,
          PHASE.to,
          PHASE.answered,
          PHASE.failed,
          ...PHASE.latency,
          PHASE.failures,
        ],
        rows: report.phases,
        caption: 'Requests are counted in the phase in which they were sent. Latencies are above the service time.',
      })}
      <div class="pair">${burstPlots(thinOut(seconds), report).map((plot) => figures.figure(plot))}</div>
      <details>
        <summary>The plots as a table</summary>
        ${table({ label: 'The burst over time', columns: secondColumns(seconds), rows: thinOut(seconds, MAX_ROWS) })}
      </details>
    </section>
  `;
}

function secondColumns(seconds: BurstSecond[]): HtmlColumn<BurstSecond>[] {
  const number = (value: number | undefined) => (value === undefined ? NONE : formatNumber(value));
  return [
    { head: 'Second', cell: ({ at }) => at },
    { head: 'Offered/s', cell: ({ sent }) => number(sent) },
    { head: 'Answered/s', cell: ({ answered }) => number(answered) },
    { head: 'Completed/s', cell: ({ completed }) => number(completed) },
    { head: 'Backlog', cell: ({ backlog }) => number(backlog) },
    { head: 'p50', cell: ({ p50 }) => (p50 === undefined ? NONE : formatOverhead(p50)) },
    ...scaledComponents(seconds).map((component): HtmlColumn<BurstSecond> => ({
      head: `${component} pods`,
      cell: ({ ready }) => number(ready[component]),
    })),
  ];
}
