import { formatMib } from '../../core/formats.js';
import type { PayloadLimit, PayloadTry } from '../../model/reports.js';
import { NONE, PAYLOAD_COLUMNS } from '../columns.js';
import { html, type Html } from '../markup.js';
import { LIMIT_WORDS, TRY_VERDICTS } from '../words.js';
import type { Figures } from './document.js';
import { axis, BASE, categoryAxis, niceCeil, stepShape, type Plot } from './plot.js';
import { maximum } from './series.js';
import { badge, word } from './summary.js';
import { table, type HtmlColumn } from './table.js';

/** A try with its number of clients. */
type Tried = PayloadTry & { clients: number };

/**
 * The payload limit for each number of clients, then every try as a plot and as a table.
 * @param live the run goes on: the limits are those so far, without verdicts
 */
export function payloadSection(limits: PayloadLimit[], figures: Figures, live: boolean): Html {
  const tries = limits.flatMap(({ clients, tries: all }): Tried[] => all.map((one) => ({ ...one, clients })));
  return html`
    <section aria-labelledby="payload-limit">
      <h2 id="payload-limit">Payload limit</h2>
      ${limitTable(limits, live)}
      ${
        tries.length > 0 &&
        html`<div class="pair">${figures.figure(triesPlot(tries))}</div>
          <p class="shapes">
            <span><i class="circle"></i>survived</span>
            <span><i class="cross">✕</i>did not survive</span>
            <span><i class="triangle">△</i>inconclusive</span>
          </p>
          ${tryTable(tries)}`
      }
    </section>
  `;
}

const limitTable = (limits: PayloadLimit[], live: boolean): Html =>
  table({
    label: 'Payload limits by number of clients',
    columns: live ? PAYLOAD_COLUMNS : [...PAYLOAD_COLUMNS, LIMIT_VERDICT],
    rows: limits,
    caption:
      'Survives: the largest payload of one execution that was held while all clients sent at once. In total: over all clients.',
  });

const LIMIT_VERDICT: HtmlColumn<PayloadLimit> = {
  head: 'Verdict',
  isText: true,
  cell: ({ verdict }) => badge(verdict),
};

const OUTCOME_WORDS = { survived: 'survived', broke: 'did not survive', inconclusive: 'inconclusive' } as const;

const tryTable = (tries: Tried[]): Html =>
  table({
    label: 'Tries',
    className: 'tries',
    rowClass: ({ outcome }) => TRY_VERDICTS[outcome].toLowerCase(),
    columns: [
      { head: 'Clients', cell: ({ clients }) => clients },
      { head: 'Payload', cell: ({ payloadMiB }) => formatMib(payloadMiB) },
      { head: 'Result', isText: true, cell: ({ outcome }) => word(OUTCOME_WORDS[outcome]) },
      { head: 'Limit', isText: true, cell: ({ limit }) => (limit ? LIMIT_WORDS[limit] : NONE) },
      { head: 'Details', isText: true, cell: ({ text }) => text },
    ],
    rows: tries,
    caption: 'Tries in the order of the run.',
  });

/** Each try as a point over its number of clients. */
function triesPlot(tries: Tried[]): Plot {
  const nameOf = ({ clients }: Tried) => `${clients}`;
  const names = [...new Set(tries.map(nameOf))];
  const points = tries.map((t) => ({
    value: [nameOf(t), t.payloadMiB],
    ...stepShape(TRY_VERDICTS[t.outcome], 'var(--answered)'),
  }));
  const tip = (name: string) =>
    html`<strong>${name} ${name === '1' ? 'client' : 'clients'}</strong>${tries
        .filter((t) => nameOf(t) === name)
        .map(
          (t) =>
            html`<div class="tip">
              <span>${OUTCOME_WORDS[t.outcome]}</span><span><b>${formatMib(t.payloadMiB)}</b></span>
            </div>`,
        )}`;
  return {
    title: 'Payloads tried',
    alternative: `Payloads tried by number of clients: ${tries.map((t) => `${formatMib(t.payloadMiB)} with ${t.clients} ${OUTCOME_WORDS[t.outcome]}`).join(', ')}.`,
    keys: [],
    units: { x: 'name', y: 'mebibytes' },
    tips: Object.fromEntries(names.map((name) => [name, tip(name)])),
    option: {
      ...BASE,
      xAxis: categoryAxis('clients', names),
      yAxis: axis('MiB per execution', 0, niceCeil(maximum(tries.map((t) => t.payloadMiB)) * 1.08)),
      series: [{ type: 'scatter', name: 'tries', data: points, emphasis: { disabled: true } }],
    },
  };
}
