import { format, milliseconds } from '../../core/formats.js';
import type { Slo } from '../../model/plan.js';
import type { Sample } from '../../model/sample.js';
import type { JudgedStep, LoadVerdict, Verdict } from '../../model/verdict.js';
import { median } from 'simple-statistics';
import { most, throughput, type Throughput } from './facts.js';
import { html, type Html } from './html.js';
import { axis, BASE, CROSS, limitLine, logAxis, marks, niceCeil, STEP_WORDS, type Key, type Plot } from './plot.js';

const PERCENTILES = ['p50', 'p95', 'p99'] as const;
/** Shorter latencies are drawn here: a logarithm has no 0, and nobody needs to tell them apart. */
const SHORTEST_SECONDS = 0.001;

/** A step that has an arrival rate, and its value in a series. */
interface Point {
  rate: number;
  value: number;
  verdict: Verdict;
}

/** Whether there is anything to plot against the rate: two rates at least. */
export const hasRates = (load: LoadVerdict): boolean => new Set(load.steps.flatMap((s) => s.step.rate ?? [])).size > 1;

/** Latency percentiles against the arrival rate, with the objectives as lines. */
export function latencyByRate(load: LoadVerdict, slo: Slo): Plot {
  const shown = load.steps.filter((s) => s.step.summary.latency);
  const keys = PERCENTILES.map((p): Key => ({ name: p, colour: `var(--${p})`, dash: 'solid' }));
  const series = PERCENTILES.map((p) =>
    points(shown, ({ step }) => Math.max(SHORTEST_SECONDS, step.summary.latency![p])),
  );
  const objectives = PERCENTILES.filter((p) => slo[p] !== undefined);
  const values = [...series.flat().map((p) => p.value), ...objectives.map((p) => slo[p]!)];
  const silent = load.steps.filter((s) => !s.step.summary.latency);
  return {
    title: 'Latency against arrival rate',
    alternative: `Latency percentiles of ${load.load} against the arrival rate; the table of steps holds the same numbers. ${load.conclusion}.`,
    note:
      `Above the service time, on a logarithmic scale${values.some((v) => v <= SHORTEST_SECONDS) ? '; under 1 ms drawn at 1 ms' : ''}. ${REPEATS}` +
      (silent.length > 0
        ? ` Without an answer, so without a latency: ${silent.map((s) => `step ${s.step.index + 1}`).join(', ')}.`
        : ''),
    keys,
    units: { x: 'perSecond', y: 'duration' },
    tips: tips(load.steps, latencyTip),
    option: {
      ...BASE,
      xAxis: rateAxis(load),
      yAxis: logAxis('latency', values),
      series: [
        rateMarks(
          load,
          objectives.map((p) =>
            limitLine({ yAxis: slo[p]! }, `${p} objective ${milliseconds(slo[p]!)}`, `var(--${p})`),
          ),
        ),
        ...keys.flatMap((key, i) => lineAndPoints(key, series[i]!)),
      ],
    },
  };
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
    alternative: `Requests offered and answered and executions completed per second, for ${load.load}, against the arrival rate; the table of steps holds the same numbers.`,
    note:
      'Answered: of the requests sent in the measured part, however late. Completed: executions that ended within the measured part, by n8n’s own count.' +
      (unread.length > 0 ? ` Not counted: ${unread.map((s) => `step ${s.step.index + 1}`).join(', ')}.` : ''),
    keys,
    units: { x: 'perSecond', y: 'perSecond' },
    tips: tips(load.steps, ({ step }) => throughputTip(rates.get(step)!)),
    option: {
      ...BASE,
      xAxis: rateAxis(load),
      yAxis: axis('per second', 0, niceCeil(most(series.flat().map((p) => p.value)) * 1.05)),
      series: [
        rateMarks(load, []),
        ...keys.flatMap((key, i) => lineAndPoints(key, series[i]!, key.name === 'offered')),
      ],
    },
  };
}

const REPEATS = 'Where a rate was tried again, the line takes the median.';

function points(steps: JudgedStep[], valueOf: (step: JudgedStep) => number | undefined): Point[] {
  return steps.flatMap((s) => {
    const value = valueOf(s);
    return s.step.rate === undefined || value === undefined
      ? []
      : [{ rate: s.step.rate, value, verdict: s.judged.verdict }];
  });
}

/** A line through the median of each rate, in the order of the rates, so that repeats make no zig-zag; each step is a point. */
function lineAndPoints({ name, colour, dash }: Key, all: Point[], onlyLine = false) {
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
  const data = all.map(({ rate, value, verdict }) => ({ value: [rate, value], ...shape(verdict, colour) }));
  return [line, { type: 'scatter' as const, name, data, z: 3, emphasis: { disabled: true } }];
}

/** An INCONCLUSIVE step tells nothing of its rate: it is shown, and the line leaves it out. */
export function medians(all: Point[]): [number, number][] {
  const byRate = new Map<number, number[]>();
  for (const { rate, value, verdict } of all)
    if (verdict !== 'INCONCLUSIVE') byRate.set(rate, [...(byRate.get(rate) ?? []), value]);
  return [...byRate].sort(([a], [b]) => a - b).map(([rate, values]) => [rate, median(values)]);
}

function shape(verdict: Verdict, colour: string) {
  if (verdict === 'PASS')
    return {
      symbol: 'circle',
      symbolSize: 7,
      itemStyle: { color: colour, borderColor: 'var(--surface)', borderWidth: 1 },
    };
  if (verdict === 'FAIL') return { symbol: CROSS, symbolSize: 10, itemStyle: { color: 'var(--fail)' } };
  return {
    symbol: 'triangle',
    symbolSize: 9,
    itemStyle: { color: 'var(--page)', borderColor: 'var(--inconclusive)', borderWidth: 1.5 },
  };
}

const highestRate = (load: LoadVerdict): number => niceCeil(most(load.steps.map((s) => s.step.rate ?? 0)) * 1.05);
const rateAxis = (load: LoadVerdict) => axis('arrival rate', 0, highestRate(load), { side: 'x' });

/** The knee: a line at what was sustained, and a shade over the rates that were not. */
function rateMarks({ capacity, broken, ...load }: LoadVerdict, lines: object[]) {
  const knee =
    capacity === undefined
      ? []
      : [limitLine({ xAxis: capacity }, `sustained ${format(capacity)}/s`, 'var(--pass)', 'solid')];
  const beyond =
    broken === undefined
      ? []
      : [[{ xAxis: broken, itemStyle: { color: 'var(--fail-tint)' } }, { xAxis: highestRate(load) }]];
  return marks([...knee, ...lines], beyond);
}

/** Tooltips by rate: every step at it, with its verdict. */
function tips(steps: JudgedStep[], body: (step: JudgedStep) => Html): Record<string, Html> {
  const byRate = new Map<number, JudgedStep[]>();
  for (const s of steps)
    if (s.step.rate !== undefined) byRate.set(s.step.rate, [...(byRate.get(s.step.rate) ?? []), s]);
  return Object.fromEntries(
    [...byRate].map(([rate, at]) => [
      String(rate),
      html`<strong>${format(rate)}/s</strong>${at.map((s) => stepTip(s, body(s)))}`,
    ]),
  );
}

const stepTip = ({ step, judged }: JudgedStep, body: Html) =>
  html`<div class="tip"><span>step ${step.index + 1}, ${STEP_WORDS[judged.verdict]}</span>${body}</div>`;

function latencyTip({ step }: JudgedStep): Html {
  const { latency } = step.summary;
  if (!latency) return html`<span>no answer</span>`;
  return html`${PERCENTILES.map((p) => html`<span><i style="background:var(--${p})"></i>${p} <b>+${milliseconds(latency[p])}</b></span>`)}`;
}

const throughputTip = (rates: Throughput): Html =>
  html`${(['offered', 'answered', 'completed'] as const).map(
    (name) =>
      html`<span
        ><i style="background:var(--${name})"></i>${name}
        <b>${rates[name] === undefined ? 'not counted' : `${format(rates[name])}/s`}</b></span
      >`,
  )}`;
