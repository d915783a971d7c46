import { formatSeconds, formatOverhead, formatRate } from '../../core/formats.js';
import { PERCENTILES, type Percentile, type Slo } from '../../model/plan.js';
import type { Sample } from '../../model/sample.js';
import type { JudgedStep, LoadVerdict, Verdict } from '../../model/verdict.js';
import { median } from 'simple-statistics';
import { throughput, type Throughput } from '../facts.js';
import { html, type Html } from '../markup.js';
import { stepWord } from '../words.js';
import { axis, BASE, limitLine, logAxis, marks, niceCeil, stepShape, type Key, type Plot } from './plot.js';
import { maximum } from './series.js';

/** Shorter latencies are drawn at this value: a logarithm has no 0. */
export const SHORTEST_SECONDS = 0.001;

/** The value of a step in a series. */
export interface Point {
  rate: number;
  value: number;
  verdict: Verdict;
}

/** Whether the load has at least two rates to plot against. */
export const hasRates = (load: LoadVerdict): boolean => new Set(load.steps.flatMap((s) => s.step.rate ?? [])).size > 1;

/** Latency percentiles against the arrival rate, with the objectives as lines. */
export function latencyByRate(load: LoadVerdict, slo: Slo): Plot {
  const silent = load.steps.filter((s) => !s.step.summary.latency);
  const { values, option } = latencyPlot(load, slo, PERCENTILES);
  return {
    title: 'Latency against arrival rate',
    alternative: `Latency percentiles of ${load.load} against the arrival rate; the table of steps shows the same numbers. ${load.conclusion}.`,
    note:
      `Above the service time, on a logarithmic scale${values.some((v) => v <= SHORTEST_SECONDS) ? '; values under 1 ms are drawn at 1 ms' : ''}. Where a rate was repeated, the line shows the median.` +
      (silent.length > 0 ? ` No answers, so no latency: ${stepNames(silent)}.` : ''),
    keys: latencyKeys(PERCENTILES),
    units: { x: 'perSecond', y: 'duration' },
    tips: tooltipsByRate(load.steps, latencyTip),
    option,
  };
}

/** Height of the plot in a card, in pixels: the card's answer stays in the first screen. */
const GLANCE_HEIGHT = 170;

/** One percentile against the arrival rate: the lowest one with an objective, or the 95th. */
export function latencyAtAGlance(load: LoadVerdict, slo: Slo): Plot {
  const percentile = PERCENTILES.find((p) => slo[p] !== undefined) ?? 'p95';
  return {
    title: `${percentile} against arrival rate`,
    alternative: `The ${percentile} of ${load.load} above its service time, against the arrival rate; the table of steps shows the same numbers.`,
    keys: [],
    units: { x: 'perSecond', y: 'duration' },
    tips: tooltipsByRate(load.steps, latencyTip),
    height: GLANCE_HEIGHT,
    option: latencyPlot(load, slo, [percentile]).option,
  };
}

const latencyKeys = (percentiles: readonly Percentile[]): Key[] =>
  percentiles.map((p) => ({ name: p, colour: `var(--${p})`, dash: 'solid' }));

function latencyPlot(load: LoadVerdict, slo: Slo, percentiles: readonly Percentile[]) {
  const shown = load.steps.filter((s) => s.step.summary.latency);
  const series = percentiles.map((p) =>
    points(shown, ({ step }) => Math.max(SHORTEST_SECONDS, step.summary.latency![p])),
  );
  const objectives = percentiles.filter((p) => slo[p] !== undefined);
  const values = [...series.flat().map((p) => p.value), ...objectives.map((p) => slo[p]!)];
  const lines = objectives.map((p) =>
    limitLine({ yAxis: slo[p]! }, `${p} objective ${formatSeconds(slo[p]!)}`, `var(--${p})`),
  );
  const option = {
    ...BASE,
    xAxis: rateAxis(load),
    yAxis: logAxis('latency', values),
    series: [rateMarks(load, lines), ...latencyKeys(percentiles).flatMap((key, i) => lineAndPoints(key, series[i]!))],
  };
  return { values, option };
}

/** Offered, answered and completed per second against the arrival rate. */
export function throughputByRate(load: LoadVerdict, samples: Sample[]): Plot {
  const rates = new Map(load.steps.map(({ step }) => [step, throughput(step, samples)]));
  const keys: Key[] = [
    { name: 'offered', colour: 'var(--offered)', dash: 'dotted' },
    { name: 'answered', colour: 'var(--answered)', dash: 'solid' },
    { name: 'completed', colour: 'var(--completed)', dash: 'dashed' },
  ];
  const series = keys.map(({ name }) => points(load.steps, ({ step }) => rates.get(step)![name as keyof Throughput]));
  const unread = load.steps.filter(({ step }) => rates.get(step)!.completed === undefined);
  return {
    title: 'Throughput against arrival rate',
    alternative: `Requests offered and answered and executions completed per second, for ${load.load}, against the arrival rate; the table of steps shows the same numbers.`,
    note:
      'Answered: requests that were sent in the measured part, however late the answer came. Completed: executions that ended within the measured part, counted by n8n.' +
      (unread.length > 0 ? ` Not counted: ${stepNames(unread)}.` : ''),
    keys,
    units: { x: 'perSecond', y: 'perSecond' },
    tips: tooltipsByRate(load.steps, ({ step }) => throughputTip(rates.get(step)!)),
    option: {
      ...BASE,
      xAxis: rateAxis(load),
      yAxis: axis('per second', 0, niceCeil(maximum(series.flat().map((p) => p.value)) * 1.05)),
      series: [
        rateMarks(load, []),
        ...keys.flatMap((key, i) => lineAndPoints(key, series[i]!, key.name === 'offered')),
      ],
    },
  };
}

const stepNames = (steps: JudgedStep[]): string => steps.map((s) => `step ${s.step.index + 1}`).join(', ');

/** A value of each step at its rate; steps without one, or without a rate, are left out. */
export function points(steps: JudgedStep[], valueOf: (step: JudgedStep) => number | undefined): Point[] {
  return steps.flatMap((s) => {
    const value = valueOf(s);
    return s.step.rate === undefined || value === undefined
      ? []
      : [{ rate: s.step.rate, value, verdict: s.judged.verdict }];
  });
}

/** Each step as a point, and a line through the median of each rate, in the order of the rates. */
export function lineAndPoints({ name, colour, dash }: Key, all: Point[], onlyLine = false) {
  const lineStyle = { color: colour, width: 2, type: dash };
  const line = {
    type: 'line' as const,
    name,
    data: medians(all),
    symbol: 'none',
    lineStyle,
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  };
  if (onlyLine) return [line];
  const data = all.map(({ rate, value, verdict }) => ({ value: [rate, value], ...stepShape(verdict, colour) }));
  return [line, { type: 'scatter' as const, name, data, z: 3, emphasis: { disabled: true } }];
}

/** Medians by rate, without INCONCLUSIVE steps: these have a point but say nothing about their rate. */
export function medians(all: Point[]): [number, number][] {
  const byRate = new Map<number, number[]>();
  for (const { rate, value, verdict } of all)
    if (verdict !== 'INCONCLUSIVE') byRate.set(rate, [...(byRate.get(rate) ?? []), value]);
  return [...byRate].sort(([a], [b]) => a - b).map(([rate, values]) => [rate, median(values)]);
}

const highestRate = (load: LoadVerdict): number => niceCeil(maximum(load.steps.map((s) => s.step.rate ?? 0)) * 1.05);
const rateAxis = (load: LoadVerdict) => axis('arrival rate', 0, highestRate(load), { side: 'x' });

/** A line at the capacity, and a shade over the rates that were not sustained. */
function rateMarks({ capacity, broken, ...load }: LoadVerdict, lines: object[]) {
  const knee =
    capacity === undefined
      ? []
      : [limitLine({ xAxis: capacity }, `sustained ${formatRate(capacity)}`, 'var(--pass)', 'solid')];
  const beyond =
    broken === undefined
      ? []
      : [[{ xAxis: broken, itemStyle: { color: 'var(--fail-tint)' } }, { xAxis: highestRate(load) }]];
  return marks([...knee, ...lines], beyond);
}

/** Tooltips by rate: its steps with their verdicts. */
function tooltipsByRate(steps: JudgedStep[], body: (step: JudgedStep) => Html): Record<string, Html> {
  const byRate = new Map<number, JudgedStep[]>();
  for (const s of steps)
    if (s.step.rate !== undefined) byRate.set(s.step.rate, [...(byRate.get(s.step.rate) ?? []), s]);
  return Object.fromEntries(
    [...byRate].map(([rate, at]) => [
      String(rate),
      html`<strong>${formatRate(rate)}</strong>${at.map((s) => stepTip(s, body(s)))}`,
    ]),
  );
}

const stepTip = (step: JudgedStep, body: Html) =>
  html`<div class="tip"><span>step ${step.step.index + 1}, ${stepWord(step)}</span>${body}</div>`;

function latencyTip({ step }: JudgedStep): Html {
  const { latency } = step.summary;
  if (!latency) return html`<span>no answer</span>`;
  return html`${PERCENTILES.map((p) => html`<span><i style="background:var(--${p})"></i>${p} <b>${formatOverhead(latency[p])}</b></span>`)}`;
}

const throughputTip = (rates: Throughput): Html =>
  html`${(['offered', 'answered', 'completed'] as const).map(
    (name) =>
      html`<span
        ><i style="background:var(--${name})"></i>${name}
        <b>${rates[name] === undefined ? 'not counted' : formatRate(rates[name])}</b></span
      >`,
  )}`;
