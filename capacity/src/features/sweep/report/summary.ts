import { formatNumber, formatRate } from '../../../core/formats.js';
import type { SweepRow } from '../record.js';
import { describeConfiguration } from '../plan/configurations.js';
import { html, type Html } from '../../../report/markup.js';
import { STATUS_WORDS } from './words.js';
import { badge, confidenceParagraph, fact, originParagraph } from '../../../report/html/summary.js';
import type { SweepReport } from './facts.js';

/** The verdict and the answer, then the configurations that matter most. */
export function sweepSummary(report: SweepReport): Html {
  const { record, conclusion } = report;
  return html`
    <header>
      ${originParagraph(record)}
      <h1>
        ${badge(conclusion.verdict)} <span><b>${conclusion.name}:</b> ${conclusion.answer}.</span>
      </h1>
      ${record.plan.question !== undefined && html`<p class="question">${record.plan.question}</p>`}
      ${conclusion.confidence && confidenceParagraph(conclusion.confidence)}
    </header>
    <div class="cards">${chooseConfigurations(report).map((c) => card(c, report))}</div>
  `;
}

interface Chosen {
  title: string;
  row: SweepRow;
}

/** With a target the cheapest that meets it; else that with the highest rate and that with the lowest cost per execution. */
function chooseConfigurations({ record, conclusion }: SweepReport): Chosen[] {
  const { rows, cheapest: held } = conclusion;
  const least = (of: SweepRow[], by: (row: SweepRow) => number): SweepRow | undefined =>
    [...of].sort((a, b) => by(a) - by(b))[0];
  if (record.target !== undefined) {
    const met = rows.filter((r) => r.status === 'meets');
    const row = rows.find((r) => r.id === held?.id) ?? least(met, (r) => r.cost!.perHour);
    return row ? [{ title: held ? 'Cheapest that held' : 'Cheapest that meets the target', row }] : [];
  }
  const front = rows.filter((r) => r.onFront);
  const most = least(front, (r) => -r.capacity!);
  const cheapest = least(front, (r) => r.perMillion!);
  if (!most || !cheapest) return [];
  if (most.id === cheapest.id) return [{ title: 'Highest rate, lowest cost per execution', row: most }];
  return [
    { title: 'Highest rate', row: most },
    { title: 'Lowest cost per execution', row: cheapest },
  ];
}

function card({ title, row }: Chosen, { record, runs }: SweepReport): Html {
  const { currency } = record.plan.prices;
  const { cost, capacity, perMillion } = row;
  const run = runs.get(row.id);
  const name = describeConfiguration(row);
  return html`
    <article class="card">
      <h2>${title}</h2>
      <p class="figure">
        <strong>${capacity === undefined ? '–' : formatNumber(capacity)}</strong>/s <span>sustained</span>
      </p>
      <p class="conclusion">${run ? html`<a href="${encodeURI(run.report)}">${name}</a>` : name}</p>
      <dl>
        ${cost && fact('Reserves', `${formatNumber(cost.cores)} cores, ${formatNumber(cost.memoryGib)} GiB`)}
        ${cost && fact('Cost', `${cost.perHour.toFixed(3)} ${currency} per hour${perMillion === undefined ? '' : `, ${perMillion.toFixed(2)} ${currency} per million executions`}`)}
        ${record.target !== undefined && fact('Target', `${formatRate(record.target)}, including headroom`)}
      </dl>
    </article>
  `;
}

/** `12 configurations: 7 measured, 5 ruled out`. */
export function countsText(rows: SweepRow[]): string {
  const byStatus = new Map<SweepRow['status'], number>();
  for (const { status } of rows) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  return `${rows.length} configurations: ${[...byStatus].map(([status, n]) => `${n} ${STATUS_WORDS[status]}`).join(', ')}`;
}
