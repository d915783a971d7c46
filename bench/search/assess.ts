import { percentile } from '../../capacity/src/stats/intervals.js';
import { planFor, validateVirtually } from './run.js';
import { broken, targets, type Target } from './targets.js';

/** What the search must reach in the median, and how often it may be wrong about errors. */
export const PRECISION = 0.05;
export const MOST_STEPS = 12;
export const MOST_FALSE_PASS = 0.05;
export const RUNS = 100;

/** The searches of one target over all seeds. */
export interface Searches {
  target: string;
  /** True capacities, per second. */
  capacity: { least: number; most: number };
  /** Medians: found ÷ true capacity, and its distance from 1. */
  ratio: number;
  error: number;
  /** Share of the runs that came within the precision. */
  within: number;
  steps: { median: number; most: number };
  met: boolean;
}

/** How often a target with twice the errors that the objective allows was given a PASS. */
export interface FalsePasses {
  asked: string;
  share: number;
  met: boolean;
}

/** Every figure of the benchmark; the same for the same number of runs. */
export function assess(runs: number) {
  const seeds = Array.from({ length: runs }, (_, i) => i + 1);
  const searches = targets(1000).map((_, i) => search((scale) => targets(scale)[i]!, seeds));
  const falsePasses = [
    falsePass('search', { precision: '5%' }, seeds),
    falsePass('--target 12/s', { target: '12/s', headroom: '1.3' }, seeds),
  ];
  return { searches, falsePasses, met: [...searches, ...falsePasses].every((figure) => figure.met) };
}

function search(targetOf: (scale: number) => Target, seeds: number[]): Searches {
  const runs = seeds.map((seed) => {
    const target = targetOf(scale(seed));
    const { capacity = 0, steps } = validateVirtually(target, planFor(target, { precision: '5%' }), seed);
    return { capacity: target.capacity, ratio: capacity / target.capacity, steps: steps.length };
  });
  const errors = runs.map((r) => Math.abs(r.ratio - 1));
  const capacities = runs.map((r) => r.capacity);
  const steps = runs.map((r) => r.steps);
  const [error, stepsMedian] = [median(errors), median(steps)];
  return {
    target: targetOf(1000).name,
    capacity: { least: Math.min(...capacities), most: Math.max(...capacities) },
    ratio: median(runs.map((r) => r.ratio)),
    error,
    within: errors.filter((e) => e <= PRECISION).length / runs.length,
    steps: { median: stepsMedian, most: Math.max(...steps) },
    met: error <= PRECISION && stepsMedian <= MOST_STEPS,
  };
}

function falsePass(asked: string, options: Parameters<typeof planFor>[1], seeds: number[]): FalsePasses {
  const passed = seeds.filter((seed) => {
    const target = broken(scale(seed));
    return validateVirtually(target, planFor(target, options), seed).verdict === 'PASS';
  });
  const share = passed.length / seeds.length;
  return { asked, share, met: share <= MOST_FALSE_PASS };
}

/** 20 to 80 a second, spread evenly in logarithms by the golden ratio: no capacity is one that the search tries first. */
const scale = (seed: number) => 20 * 4 ** ((seed * 0.6180339887) % 1);

const median = (values: number[]) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
