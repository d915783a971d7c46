import { formatClock, toMebibytes, formatMib, formatPercent } from '../../core/formats.js';
import type { InstanceEvent } from '../../model/events.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { RunVerdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { NONE } from '../columns.js';
import { html, type Html } from '../markup.js';
import { databaseSection } from './database-section.js';
import type { Figures } from './document.js';
import { insideSection } from './inside-section.js';
import { allEvents, thinOutSamples, instanceSeries, maximum, plotOrigin, presentValues } from './series.js';
import { spreadSection } from './spread-section.js';
import { table } from './table.js';
import { componentPlots, queuePlot, requestsPlot } from './time-plots.js';

/** Memory, CPU and events of each process, then requests, the queue, the database and the spread of work. */
export function processSection(run: RecordedRun, verdict: RunVerdict, figures: Figures): Html {
  const events = allEvents(run);
  const plotted = thinOutSamples(run);
  const waiting = [
    { name: 'requests', plot: requestsPlot(plotted, verdict) },
    { name: 'queue', plot: queuePlot(plotted, verdict) },
  ];
  return html`
    <section aria-labelledby="processes">
      <h2 id="processes">Processes over time</h2>
      ${useTable(run)} ${insideSection(run)} ${events.length > 0 && eventTable(events, plotOrigin(run))}
      <p class="reading">
        Shaded: the measured part of each step, with its number; ✕ marks a broken step. Vertical lines are deaths and
        failed probes, ▲ a restart.
      </p>
      ${componentPlots(plotted, verdict).map(
        ({ component, memory, cpu }) =>
          html`<h3 class="component">${component}</h3>
            <div class="pair">${figures.figure(memory, 4)}${figures.figure(cpu, 4)}</div>`,
      )}
      ${waiting.map(
        ({ name, plot }) =>
          plot &&
          html`<h3 class="component">${name}</h3>
            ${figures.figure(plot, 4)}`,
      )}
      ${databaseSection(run, verdict, figures)} ${spreadSection(run, figures)}
    </section>
  `;
}

/** Use of one instance over the run; values that were not observed are undefined. */
interface Use {
  name: string;
  peakMiB?: number;
  limitMiB?: number;
  peakHeapMiB?: number;
  heapMiB?: number;
  meanCores?: number;
  peakCores?: number;
  limitCores?: number;
}

function instanceUse({ name, limits, heapMiB }: DeploymentRecord['instances'][number], run: RecordedRun): Use {
  const series = instanceSeries(name, run.samples, plotOrigin(run));
  const [rss, heap, cores] = [presentValues(series.rssMiB), presentValues(series.heapMiB), presentValues(series.cores)];
  return {
    name,
    ...(rss.length > 0 && { peakMiB: maximum(rss) }),
    ...(limits.memoryBytes && { limitMiB: toMebibytes(limits.memoryBytes) }),
    ...(heap.length > 0 && { peakHeapMiB: maximum(heap) }),
    ...(heapMiB !== undefined && { heapMiB }),
    ...(cores.length > 0 && { meanCores: cores.reduce((a, b) => a + b, 0) / cores.length, peakCores: maximum(cores) }),
    ...(limits.cpuMillis && { limitCores: limits.cpuMillis / 1000 }),
  };
}

const orNone = (value: number | undefined, text: (value: number) => string) =>
  value === undefined ? NONE : text(value);
const cores = (value: number) => value.toFixed(2);

const useTable = (run: RecordedRun): Html =>
  table({
    label: 'Memory and CPU of each process',
    columns: [
      { head: 'Instance', isText: true, cell: ({ name }) => name },
      { head: 'Peak memory', cell: ({ peakMiB }) => orNone(peakMiB, formatMib) },
      { head: 'Memory limit', cell: ({ limitMiB }) => orNone(limitMiB, formatMib) },
      {
        head: 'Peak of limit',
        cell: ({ peakMiB, limitMiB }) =>
          orNone(peakMiB && limitMiB && Math.round((peakMiB / limitMiB) * 100) / 100, formatPercent),
      },
      { head: 'Peak heap', cell: ({ peakHeapMiB }) => orNone(peakHeapMiB, formatMib) },
      { head: 'Heap limit', cell: ({ heapMiB }) => orNone(heapMiB, formatMib) },
      { head: 'Mean CPU', cell: ({ meanCores }) => orNone(meanCores, cores) },
      { head: 'Peak CPU', cell: ({ peakCores }) => orNone(peakCores, cores) },
      { head: 'CPU limit', cell: ({ limitCores }) => orNone(limitCores, cores) },
    ],
    rows: run.run.deployment.instances.map((i) => instanceUse(i, run)),
    caption:
      'Over the whole run. Memory is the sum of the resident sets of a process and its children; pages that they share count more than once. CPU is in cores; its peak is the highest value between two samples.',
  });

const eventTable = (events: InstanceEvent[], origin: number): Html =>
  table({
    label: 'Deaths, restarts and failed probes',
    className: 'events',
    rowClass: ({ kind }) => (kind === 'restarted' ? '' : 'fail'),
    columns: [
      { head: 'Time', cell: ({ at }) => formatClock(at - origin) },
      { head: 'Instance', isText: true, isRowHeader: true, cell: ({ instance }) => instance },
      { head: 'Event', isText: true, cell: ({ kind }) => kind.replace('-', ' ') },
      { head: 'Reason', isText: true, cell: ({ reason }) => reason ?? NONE },
      { head: 'Details', isText: true, cell: ({ detail }) => detail },
    ],
    rows: events,
    caption: 'Deaths, restarts and failed probes, by the time since the run began.',
  });
