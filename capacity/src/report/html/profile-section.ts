import { formatNumber, formatPercent, formatRate } from '../../core/formats.js';
import type { Frame, HotFunction, ProfileRecord } from '../../model/profile.js';
import { html, type Html } from '../markup.js';
import type { Figures } from './document.js';
import { BASE, type Key, type Plot } from './plot.js';
import { anchor } from './summary.js';
import { table } from './table.js';

/** Where the main thread of n8n spent its time: a flame graph and the functions that took most. */
export function profileSection(profile: ProfileRecord, figures: Figures): Html {
  const { load, rate, broke, instance, idle, seconds, intervalMicros, functions, file } = profile;
  const id = `profile-${anchor(load)}`;
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">CPU profile of ${load}</h2>
      <p class="reading">
        ${instance} at ${formatRate(rate)},
        ${broke ? 'the lowest rate that it did not sustain' : 'the highest rate that was tried and that no process died at'},
        for ${formatNumber(seconds)} s, a sample each ${formatNumber(intervalMicros / 1000)} ms. Its main thread was
        idle for ${formatPercent(idle)} of the time. ${overhead(profile)} For Chrome's developer tools: ${file}.
      </p>
      ${figures.figure(flamePlot(profile))} ${functions.length > 0 && functionTable(functions, load)}
    </section>
  `;
}

function overhead({ cpuMillisPerRequest: { profiled, unprofiled } }: ProfileRecord): string {
  const why = 'The profiler costs CPU, so this load is no step and counts towards no verdict';
  if (profiled === undefined || unprofiled === undefined) return `${why}.`;
  return `${why}: a request took ${formatNumber(profiled)} ms of CPU with it and ${formatNumber(unprofiled)} ms without.`;
}

/** Kinds of code, by package. */
const KINDS: (Key & { has: (of: string) => boolean })[] = [
  { name: 'n8n', colour: 'var(--flame-1)', dash: 'solid', has: (of) => /^(@n8n\/|n8n$|n8n-)/.test(of) },
  { name: 'Node', colour: 'var(--flame-2)', dash: 'solid', has: (of) => of === 'node' },
  { name: 'V8', colour: 'var(--flame-3)', dash: 'solid', has: (of) => of === 'V8' },
  { name: 'other packages', colour: 'var(--flame-4)', dash: 'solid', has: () => true },
];

const ROW_PX = 17;
const AROUND_PX = 24;

function flamePlot({ frames, functions, load }: ProfileRecord): Plot {
  const depth = frames.reduce((most, frame) => Math.max(most, frame.depth), 0) + 1;
  const top = functions.slice(0, 3).map((f) => `${f.name} of ${f.package} ${formatPercent(f.self)}`);
  const kindOf = (frame: Frame) => KINDS.find((kind) => kind.has(frame.package))!;
  const hidden = { show: false };
  const axisOf = (max: number) => ({
    type: 'value' as const,
    min: 0,
    max,
    axisLabel: hidden,
    axisLine: hidden,
    axisTick: hidden,
    splitLine: hidden,
  });
  const series = KINDS.map((kind) => ({
    type: 'custom' as const,
    name: kind.name,
    itemStyle: { color: kind.colour },
    encode: { x: [1, 2], y: 0 },
    data: frames
      .filter((frame) => kindOf(frame) === kind)
      .map(({ depth: at, from, to, name, package: of }) => ({ name, package: of, value: [at, from, to] })),
  }));
  return {
    title: 'Flame graph of the main thread',
    alternative: `Calls of the main thread of n8n under ${load}, as wide as the time they took. Most was taken by ${top.join(', ')}.`,
    note: 'Each row is called by the row below. A frame is as wide as its share of the time in which the thread worked, with all that it called. Click a frame to widen it, and one of the lowest row to see all.',
    keys: KINDS.map(({ name, colour, dash }) => ({ name, colour, dash })),
    units: { x: 'share', y: 'count' },
    height: depth * ROW_PX + AROUND_PX,
    option: {
      ...BASE,
      grid: { left: 0, right: 0, top: 4, bottom: 4 },
      tooltip: { ...BASE.tooltip, trigger: 'item' },
      xAxis: axisOf(1),
      yAxis: axisOf(depth),
      series,
    },
  };
}

const functionTable = (functions: HotFunction[], load: string): Html =>
  table<HotFunction>({
    label: `Functions that took most of the CPU under ${load}`,
    columns: [
      { head: 'Function', isText: true, isRowHeader: true, cell: ({ name }) => name },
      { head: 'Package', isText: true, cell: ({ package: of }) => of },
      { head: 'Itself', cell: ({ self }) => formatPercent(self) },
      { head: 'With what it called', cell: ({ total }) => formatPercent(total) },
    ],
    rows: functions,
    caption: 'Shares of the time in which the main thread worked. V8: garbage collection and native code.',
  });
