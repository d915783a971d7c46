import type { Drift, SoakReport } from '../../model/reports.js';
import { verdictOfDrift } from '../../judge/profiles/soak.js';
import { limitText, perHour } from '../terminal/drift.js';
import { html, type Html } from './html.js';
import { badge } from './summary.js';

/** What a soak says of memory, latency and tables. */
export function driftSection({ drifts, unknown }: SoakReport): Html {
  return html`
    <section aria-labelledby="drift">
      <h2 id="drift">Drift</h2>
      <p class="reading">
        Change an hour under the steady load, the first quarter of it discarded; p is how likely chance alone makes such
        a trend.
      </p>
      <div class="scroll" role="region" tabindex="0" aria-label="Drift of each quantity">
        <table class="drift">
          <thead>
            <tr>
              <th scope="col" class="text">What</th>
              <th scope="col" class="text">Of</th>
              <th scope="col">An hour</th>
              <th scope="col">p</th>
              <th scope="col">At its limit in</th>
              <th scope="col" class="text">Verdict</th>
              <th scope="col" class="text">In words</th>
            </tr>
          </thead>
          <tbody>
            ${drifts.map(row)}
          </tbody>
        </table>
      </div>
      ${unknown.length > 0 && html`<p>Unknown: ${unknown.join('; ')}.</p>`}
    </section>
  `;
}

function row(drift: Drift): Html {
  const { of, name, pValue, verdict, text } = drift;
  const seen = verdict !== 'too-short';
  return html`<tr>
    <th scope="row" class="text">${of}</th>
    <td class="text">${name}</td>
    <td>${seen ? perHour(drift) : '–'}</td>
    <td>${seen ? pValue.toPrecision(2) : '–'}</td>
    <td>${limitText(drift)}</td>
    <td class="text">${badge(verdictOfDrift(verdict))}</td>
    <td class="text">${text}</td>
  </tr>`;
}
