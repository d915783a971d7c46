import { closedLoopOf, searchOf } from '../../../plan/kinds.js';
import type { SweepRow, SweepRecord } from '../record.js';
import type { DimensionValue } from '../../../model/dimensions.js';
import {
  fitScalability,
  uslRate,
  type ScalabilityFit,
  type ScalePoint,
  type UslCoefficients,
} from '../../../stats/scalability.js';
import { listConfigurations } from '../plan/configurations.js';
import { hasValues } from './facts.js';

/** Dimensions that are a number of processes. */
const COUNT_DIMENSIONS = ['workers', 'instances'];

/** The law has three coefficients, so it needs three numbers of workers. */
const MIN_POINTS = 3;

/** Capacity by number of workers, with everything else the same. */
export interface ScalingSeries {
  /** The dimension: `workers` or `instances`. */
  dimension: string;
  /** Values of the other dimensions, as `concurrency 10, cpu 500m`; empty if there are none. */
  fixed: string;
  points: ScalePoint[];
  /** Numbers of workers without a point, and why. */
  left: string[];
  /** The Universal Scalability Law fitted to the points, or why it cannot be. */
  fit: ScalabilityFit | { refused: string };
}

/**
 * Fits the law to each series of workers. Empty if no dimension is a number of workers with at least 3 values, and if all were
 * driven at one target, because no capacity was measured then.
 */
export function fitScalings(record: SweepRecord, rows: SweepRow[]): ScalingSeries[] {
  const { dimensions, measure } = record.plan;
  const dimension = COUNT_DIMENSIONS.find((name) => (dimensions[name]?.length ?? 0) >= MIN_POINTS);
  if (dimension === undefined || record.target !== undefined || closedLoopOf(measure.rates)) return [];
  const others = Object.entries(dimensions).filter(([name, values]) => name !== dimension && values.length > 1);
  const search = searchOf(measure.rates);
  const noise = search ? searchDeviation(search.precision) : 0;
  return listConfigurations(Object.fromEntries(others)).map(({ values }) => fitScaling(dimension, values, rows, noise));
}

/** Relative standard deviation of a rate that is known to within the precision of the search. */
const searchDeviation = (precision: number): number => precision / Math.sqrt(12);

function fitScaling(
  dimension: string,
  fixed: Record<string, DimensionValue>,
  rows: SweepRow[],
  noise: number,
): ScalingSeries {
  const series = rows.filter((row) => hasValues(row, fixed));
  const points = series.flatMap((row): ScalePoint[] =>
    isCapacity(row) ? [{ workers: Number(row.values[dimension]), rate: row.capacity! }] : [],
  );
  return {
    dimension,
    fixed: Object.entries(fixed)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
    points: points.sort((a, b) => a.workers - b.workers),
    left: series
      .filter((row) => !isCapacity(row))
      .map((row) => `${String(row.values[dimension])} (${leftOutReason(row)})`),
    fit: fitScalability(points, { noise }),
  };
}

/** A configuration whose search was stopped early has only a lower bound. */
const isCapacity = ({ status, capacity }: SweepRow): boolean => status === 'measured' && capacity !== undefined;

const leftOutReason = ({ status }: SweepRow): string =>
  ({
    dominated: 'stopped early',
    measured: 'sustained no rate',
    inconclusive: 'inconclusive',
    'ruled-out': 'ruled out',
    excluded: 'excluded',
  })[status as string] ?? 'not measured';

/** The coefficients, without their intervals. */
export const coefficients = ({ lambda, sigma, kappa }: ScalabilityFit): UslCoefficients => ({
  lambda: lambda.value,
  sigma: sigma.value,
  kappa: kappa.value,
});

const CURVE_POINTS = 60;

/** The law between two numbers of workers. */
export function curvePoints(fit: ScalabilityFit, from: number, to: number): [number, number][] {
  const law = coefficients(fit);
  return Array.from({ length: CURVE_POINTS + 1 }, (_, i) => {
    const workers = Number((from + ((to - from) * i) / CURVE_POINTS).toPrecision(6));
    return [workers, uslRate(law, workers)];
  });
}
