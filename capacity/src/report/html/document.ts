import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { CLIENT } from './client.js';
import type { Figures } from './figure.js';
import { html, raw, type Html } from './html.js';
import { STYLE } from './style.js';

/** One HTML file that needs no network and no other file: the content, and what its script draws into it. */
export async function htmlDocument(title: string, content: Html, figures: Figures): Promise<string> {
  return page(title, content, figures.data(), [await echarts(), CLIENT]).text;
}

/** A small build would need a bundler; this one has all that the plots use. */
const echarts = (): Promise<string> =>
  readFile(createRequire(import.meta.url).resolve('echarts/dist/echarts.common.min'), 'utf8');

/** The policy lets these scripts run and nothing else: no request leaves the page, and markup in a record stays inert. */
function page(title: string, content: Html, data: Html, scripts: string[]): Html {
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  const policy = `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data:`;
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
          <noscript><p>The plots need JavaScript; the tables hold their numbers.</p></noscript>
        </main>
        ${data} ${scripts.map(scriptElement)}
      </body>
    </html> `;
}

/** Not a template of markup, which a formatter would indent: the policy has the hash of exactly this text. */
const scriptElement = (script: string): Html => raw(`<script>${script}</script>`);
