import { html, type Html } from '../markup.js';

/** The line of a page that is served while its run goes on. */
export const liveLine = (): Html =>
  html`<p class="live" role="status">
    <strong>Running.</strong> <span id="live">The page shows what is recorded so far.</span>
  </p>`;

/** Its script: shows the progress of the command, and loads the page again after each step. */
export const LIVE_CLIENT = `
'use strict';
const news = new EventSource('events');
const say = (text) => (document.getElementById('live').textContent = text);
news.addEventListener('progress', ({ data }) => say(data));
news.addEventListener('changed', () => location.reload());
news.addEventListener('error', () => {
  news.close();
  document.querySelector('.live strong').textContent = 'Ended.';
  say('This page is from before the end; the report is in the folder of the record.');
});
`;
