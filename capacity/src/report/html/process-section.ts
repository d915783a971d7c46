import { percent } from '../../core/formats.js';
import type { InstanceEvent } from '../../model/events.js';
import type { RunVerdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { databaseSection } from './database-section.js';
import { eventsOf, instanceSeries, most, originOf, present } from './facts.js';
import type { Figures } from './figure.js';
import { html, type Html } from './html.js';
import { spreadSection } from './spread-section.js';
import { forPlots } from './thin.js';
import { componentPlots, queuePlot } from './time-plots.js';

/** Memory and CPU of each process, what happened to them, and the queue. */
export function processSection(run: RecordedRun, verdict: RunVerdict, figures: Figures): Html {
  const events = eventsOf(run);
  const plotted = forPlots(run);
  const queue = queuePlot(plotted, verdict);
  return html`
    <section aria-labelledby="processes">
      <h2 id="processes">Processes over time</h2>
      ${useTable(run)} ${events.length > 0 && eventTable(events, originOf(run))}
      <p class="reading">
        Shaded: the measured part of each step, with its number; ✕ marks one that broke. A vertical line is a death or a
        failed probe, ▲ a restart.
      </p>
      ${componentPlots(plotted, verdict).map(
        ({ component, memory, cpu }) =>
          html`<h3 class="component">${component}</h3>
            <div class="pair">${figures.figure(memory, 4)}${figures.figure(cpu, 4)}</div>`,
      )}
      ${
        queue &&
        html`<h3 class="component">queue</h3>
          ${figures.figure(queue, 4)}`
      }
      ${databaseSection(run, verdict, figures)} ${spreadSection(run, figures)}
    </section>
  `;
}

function useTable(run: RecordedRun): Html {
  const heads = [
    'Peak memory',
    'Memory limit',
    'Peak of limit',
    'Peak heap',
    'Heap limit',
    'Mean CPU',
    'Peak CPU',
    'CPU limit',
  ];
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Memory and CPU of each process">
      <table>
        <caption>
          <div>
            Over the whole run. Memory is the resident set of a process and its children, added up: pages they share
            count more than once. CPU in cores; the peak is that of one second.
          </div>
        </caption>
        <thead>
          <tr>
            <th scope="col" class="text">Instance</th>
            ${heads.map((h) => html`<th scope="col">${h}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${run.run.deployment.instances.map((i) => useRow(i, run))}
        </tbody>
      </table>
    </div>
  `;
}

function useRow(
  { name, limits, heapMiB }: RecordedRun['run']['deployment']['instances'][number],
  run: RecordedRun,
): Html {
  const series = instanceSeries(name, run.samples, originOf(run));
  const [rss, heap, cores] = [present(series.rssMiB), present(series.heapMiB), present(series.cores)];
  const peak = (values: number[]) => (values.length === 0 ? undefined : most(values));
  const limitMiB = limits.memoryBytes && limits.memoryBytes / 2 ** 20;
  const share = limitMiB && rss.length > 0 ? percent(Math.round((peak(rss)! / limitMiB) * 100) / 100) : '–';
  const mib = (value: number | undefined) => html`<td>${value === undefined ? '–' : `${Math.round(value)} MiB`}</td>`;
  const core = (value: number | undefined) => html`<td>${value === undefined ? '–' : value.toFixed(2)}</td>`;
  const mean = cores.length === 0 ? undefined : cores.reduce((a, b) => a + b, 0) / cores.length;
  return html`<tr>
    <th scope="row">${name}</th>
    ${mib(peak(rss))}${mib(limitMiB)}
    <td>${share}</td>
    ${mib(peak(heap))}${mib(heapMiB)}${core(mean)}${core(peak(cores))}${core(limits.cpuMillis && limits.cpuMillis / 1000)}
  </tr>`;
}

function eventTable(events: InstanceEvent[], origin: number): Html {
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Deaths, restarts and failed probes">
      <table class="events">
        <caption>
          Deaths, restarts and failed probes.
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            ${['Instance', 'What', 'Reason', 'Detail'].map((h) => html`<th scope="col" class="text">${h}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${events.map(
            (e) =>
              html`<tr class="${e.kind === 'restarted' ? '' : 'fail'}">
                <td>${clock(e.at - origin)}</td>
                <th scope="row" class="text">${e.instance}</th>
                <td class="text">${e.kind}</td>
                <td class="text">${e.reason ?? '–'}</td>
                <td class="text">${e.detail}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** `m:ss` since the first sample, as on the axes of the plots. */
const clock = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms / 1000) % 60)).padStart(2, '0')}`;
