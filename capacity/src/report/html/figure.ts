import { html, json, type Html } from './html.js';
import type { Plot } from './plot.js';

/** Hands out the ids of a page's plots and remembers what to draw. */
export class Figures {
  private readonly drawings: Record<string, object> = {};

  /** A plot with its key and its text alternative; the page's script draws into it. */
  figure({ title, alternative, note, keys, units, tips, option }: Plot, heading: 3 | 4 = 3): Html {
    const id = `plot-${Object.keys(this.drawings).length + 1}`;
    const tipTexts = tips && Object.fromEntries(Object.entries(tips).map(([x, tip]) => [x, tip.text]));
    this.drawings[id] = { units, option, ...(tipTexts && { tips: tipTexts }) };
    const name = heading === 3 ? html`<h3 id="${id}-title">${title}</h3>` : html`<h4 id="${id}-title">${title}</h4>`;
    const buttons = keys.map(
      (key) =>
        html`<li>
          <button type="button" aria-pressed="true" data-plot="${id}" data-series="${key.name}">
            <i class="${key.dash}" style="color:${key.colour}"></i>${key.name}
          </button>
        </li>`,
    );
    return html`
      <figure aria-labelledby="${id}-title">
        ${name}
        ${
          keys.length > 0 &&
          html`<ul class="keys" aria-label="Series of the plot: ${title}">
            ${buttons}
          </ul>`
        }
        <div class="plot" id="${id}" role="img" aria-label="${alternative}"></div>
        ${note !== undefined && html`<figcaption>${note}</figcaption>`}
      </figure>
    `;
  }

  /** What the page's script reads. */
  data(): Html {
    return html`<script type="application/json" id="plots">
      ${json(this.drawings)}
    </script>`;
  }
}
