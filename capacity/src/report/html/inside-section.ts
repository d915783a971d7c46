import { formatSeconds, formatPercent } from '../../core/formats.js';
import { insideBetween, type InsideUse } from '../../observe/inside.js';
import { usageBetween } from '../../observe/usage.js';
import type { StepRecord } from '../../model/step.js';
import type { RecordedRun } from '../../record/recorder.js';
import { NONE } from '../columns.js';
import { arrivals } from '../facts.js';
import { html, type Html } from '../markup.js';
import { table, type HtmlColumn } from './table.js';

/** The activity of n8n's processes and the use of the machine's cores in each step. A table without data is left out. */
export function insideSection(run: RecordedRun): Html {
  const inside = run.steps.flatMap((step) => insideRows(step, run));
  const machine = run.steps.filter((step) => step.machine);
  return html`
    ${inside.length > 0 && foldedSection('Inside the processes, step by step', insideTable(inside))}
    ${machine.length > 0 && foldedSection('Cores of the machine, step by step', machineTable(machine))}
  `;
}

const foldedSection = (title: string, content: Html): Html =>
  html`<details>
    <summary>${title}</summary>
    ${content}
  </details>`;

interface Row extends InsideUse {
  step: StepRecord;
  name: string;
  cores?: number;
}

function insideRows(step: StepRecord, { run, samples }: RecordedRun): Row[] {
  const { measuredFrom: from, measuredTo: to } = step;
  const usage = usageBetween(samples, from, to);
  const n8n = run.deployment.instances.filter(({ component }) => component !== 'postgresql' && component !== 'redis');
  return n8n.flatMap(({ name }) => {
    const use = insideBetween(samples, name, from, to);
    const cores = usage.get(name)?.meanCores;
    return Object.keys(use).length > 0 ? [{ ...use, step, name, ...(cores && { cores }) }] : [];
  });
}

const orNone = (value: number | undefined, text: (value: number) => string): string =>
  value === undefined ? NONE : text(value);
const twoDecimals = (value: number): string => value.toFixed(2);

const STEP_COLUMNS: HtmlColumn<{ step: StepRecord }>[] = [
  { head: '#', cell: ({ step }) => step.index + 1 },
  { head: 'Arrivals', isRowHeader: true, cell: ({ step }) => arrivals(step) },
];

const insideTable = (rows: Row[]): Html =>
  table<Row>({
    label: 'What the processes of n8n did in each step',
    className: 'steps',
    columns: [
      ...STEP_COLUMNS,
      { head: 'Instance', isText: true, cell: ({ name }) => name },
      { head: 'Cores', cell: ({ cores }) => orNone(cores, twoDecimals) },
      { head: 'Main thread', cell: ({ threadCores }) => orNone(threadCores, formatPercent) },
      { head: 'Garbage collection', cell: ({ gc }) => orNone(gc, formatPercent) },
      { head: 'Isolates/s', cell: ({ isolates }) => orNone(isolates, twoDecimals) },
      { head: 'Building isolates', cell: ({ coldIsolates }) => orNone(coldIsolates, formatPercent) },
      { head: 'Wait for a connection', cell: ({ connectionWait }) => orNone(connectionWait, formatSeconds) },
    ],
    rows,
    caption:
      'Means over the measured part of each step. Cores: the process and its children. Main thread: share of the time in which the thread that runs the JavaScript worked; unknown outside of this machine. The rest is what n8n counts of itself: garbage collection (the least it took), isolates that evaluate expressions, time for which the event loop waited while one was built, and mean wait for a connection to the database.',
  });

const machineTable = (steps: StepRecord[]): Html =>
  table({
    label: 'Cores of the machine in each step',
    className: 'steps',
    columns: [
      ...STEP_COLUMNS,
      { head: 'Cores', cell: ({ step }) => step.machine!.cores },
      { head: 'Busy', cell: ({ step }) => twoDecimals(step.machine!.busyCores) },
      { head: 'Other processes', cell: ({ step }) => twoDecimals(step.machine!.otherCores) },
      { head: 'Taken from n8n', cell: ({ step }) => twoDecimals(step.machine!.takenCores) },
    ],
    rows: steps.map((step) => ({ step })),
    caption:
      'Means over the measured part of each step, in cores. Other processes: all but n8n, its databases, k6 and this tool. Taken: used by others while hardly any core was idle; a step that fails meanwhile is INCONCLUSIVE.',
  });
