import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assetsFolder } from '../../core/paths.js';
import { html, json, raw, type Html } from '../markup.js';
import { CLIENT } from './client.js';
import { LIVE_CLIENT, liveLine } from './live.js';
import type { Plot } from './plot.js';
import { termList } from './terms.js';
import { STYLE } from './style.js';

/** The plots of a page: gives each an id and keeps what the page's script draws. */
export class Figures {
  private readonly drawings: Record<string, Pick<Plot, 'units' | 'option'> & { tips?: Record<string, string> }> = {};

  /** A plot with its key and its text alternative. */
  figure({ title, alternative, note, keys, units, tips, height, option }: Plot, heading: 3 | 4 = 3): Html {
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
        <div
          class="plot"
          id="${id}"
          role="img"
          aria-label="${alternative}"
          style="${height === undefined ? '' : `height:${height}px`}"
        ></div>
        ${note !== undefined && html`<figcaption>${note}</figcaption>`}
      </figure>
    `;
  }

  /** Whether a plot is drawn item by item, which the common build of ECharts cannot. */
  get hasCustom(): boolean {
    return Object.values(this.drawings).some(({ option }) =>
      [option.series ?? []].flat().some((s) => s.type === 'custom'),
    );
  }

  /** Input of the page's script. */
  data(): Html {
    return html`<script type="application/json" id="plots">
      ${json(this.drawings)}
    </script>`;
  }
}

/**
 * One HTML file that needs no network and no other file: the content, and the plots that its script draws.
 * @param live the page is served while its run goes on, and loads itself again when there is more to show
 */
export async function renderHtmlDocument(
  title: string,
  content: Html,
  figures: Figures,
  live = false,
): Promise<string> {
  const scripts = [await readEcharts(figures.hasCustom), CLIENT, ...(live ? [LIVE_CLIENT] : [])];
  const whole = html`${live && liveLine()}${content}${termList(content)}`;
  return page(title, whole, figures.data(), scripts, live).text;
}

/** A page without plots, served before a run has a record. */
export const renderWaitingPage = (title: string): string =>
  page(title, html`${liveLine()}`, html``, [LIVE_CLIENT], true).text;

/** The common build of ECharts, or the whole one; `make build` puts both beside the tool. */
const readEcharts = (whole: boolean): Promise<string> =>
  readFile(join(assetsFolder, `echarts${whole ? '' : '.common'}.min.js`), 'utf8');

/**
 * The content security policy allows only these scripts: the page sends no request but, while its run goes on, for news of it;
 * and markup in a record stays inert.
 */
function page(title: string, content: Html, data: Html, scripts: string[], live: boolean): Html {
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  const policy = `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data:${live ? "; connect-src 'self'" : ''}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          ${content}
          <noscript><p>The plots need JavaScript. The tables show the same numbers.</p></noscript>
        </main>
        <div id="explanation" role="tooltip" popover="manual"></div>
        ${data} ${scripts.map(scriptElement)}
      </body>
    </html> `;
}

/** Not a template, because a formatter would indent it: the policy holds the hash of exactly this text. */
const scriptElement = (script: string): Html => raw(`<script>${script}</script>`);
