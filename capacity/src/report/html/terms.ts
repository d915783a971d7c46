import { html, type Html } from '../markup.js';

/** Explanations of the terms in a report, by the term as shown. docs/glossary.md explains the same terms at more length. */
export const TERMS: Record<string, string> = {
  Arrivals: 'How many requests arrive per second, or how many clients ask in a closed loop.',
  Verdict: 'Sustained: errors, latencies, memory and backlog met the objectives, and every accepted execution ended.',
  'Offered/s': 'Requests that were due per second, also those that could not be sent.',
  'Answered/s': 'Correct answers per second to requests of the measured part, however late they came.',
  'Completed/s': 'Executions that ended per second, counted by n8n.',
  Executions: 'Executions that ended, of those that n8n accepted, including warm-up and drain.',
  Failed: 'Requests without a correct answer.',
  p50: 'The latency that half of the requests did not exceed, above the service time.',
  p95: 'The latency that 95 % of the requests did not exceed, above the service time.',
  p99: 'The latency that 99 % of the requests did not exceed, above the service time.',
  Drain: 'The time after a step in which no load is sent and accepted executions may end.',
  'Forecast p95': 'What a simulation expected of this step, from the steps before it.',
  Backlog: 'Executions that n8n has accepted and not yet ended.',
  'Not sustained at': 'The lowest arrival rate that was not sustained.',
  'Saturated at': 'The load beyond which more of it brings no more throughput.',
  'highest sustained arrival rate': 'The capacity: the highest arrival rate that this deployment sustains.',
  Provisional:
    'The load generator shared cores with n8n, or limits were not enforced, so the figure may differ elsewhere.',
  Confirmed: 'Limits were enforced, and the load generator had cores of its own in every step.',
};

const termId = (word: string): string => `term-${word.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;

/** Attributes of a button whose word has an explanation; nothing for other words. */
export const explanationAttributes = (word: string): Html | undefined =>
  Object.hasOwn(TERMS, word) ? html`data-term="${word}" aria-describedby="${termId(word)}"` : undefined;

/** A word; where it has an explanation, that shows when a reader points at it or moves the focus to it. */
export function explainedWord(word: string): Html | string {
  const attributes = explanationAttributes(word);
  return attributes ? html`<button type="button" class="term" ${attributes}>${word}</button>` : word;
}

/** A list of the terms that `content` uses, for the end of the page; undefined if it uses none. */
export function termList(content: Html): Html | undefined {
  const used = Object.entries(TERMS).filter(([word]) => content.text.includes(html`data-term="${word}"`.text));
  if (used.length === 0) return undefined;
  return html`
    <section aria-labelledby="terms">
      <h2 id="terms">Terms</h2>
      <dl class="terms">
        ${used.map(
          ([word, text]) =>
            html`<div>
              <dt>${word}</dt>
              <dd id="${termId(word)}">${text}</dd>
            </div>`,
        )}
      </dl>
    </section>
  `;
}
