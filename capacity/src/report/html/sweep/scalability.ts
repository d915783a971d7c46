import type { DimensionValue, SweepRow, SweepRecord } from '../../../model/sweep.js';
import {
  fitScalability,
  uslRate,
  type ScalabilityFit,
  type ScalePoint,
  type UslCoefficients,
} from '../../../stats/scalability.js';
import { configurations } from '../../../plan/configurations.js';
import { matches } from './grid.js';

/** Dimensions that count processes which do the same work. */
const COUNTS = ['workers', 'instances'];
/** A law with three coefficients needs as many numbers of workers. */
const LEAST_POINTS = 3;

/** How capacity grows with workers where everything else is the same. */
export interface Scaling {
  /** The dimension: `workers` or `instances`. */
  dimension: string;
  /** What is the same, as `concurrency 10, cpu 500m`; empty when nothing else varies. */
  fixed: string;
  points: ScalePoint[];
  /** Numbers of workers that are left out, and why. */
  left: string[];
  /** The Universal Scalability Law through the points, or why there is none. */
  fit: ScalabilityFit | { refused: string };
}

/**
 * Fits the law to each series of workers. Nothing where no dimension counts workers with at least 3 values, or where all were
 * driven at one target: then what they can take was not asked.
 */
export function scalings(record: SweepRecord, rows: SweepRow[]): Scaling[] {
  const { dimensions, measure } = record.plan;
  const dimension = COUNTS.find((name) => (dimensions[name]?.length ?? 0) >= LEAST_POINTS);
  if (dimension === undefined || record.target !== undefined || measure.rates.kind === 'closed') return [];
  const others = Object.entries(dimensions).filter(([name, values]) => name !== dimension && values.length > 1);
  const noise = measure.rates.kind === 'search' ? ofBracket(measure.rates.precision) : 0;
  return configurations(Object.fromEntries(others)).map(({ values }) => scaling(dimension, values, rows, noise));
}

/** The relative standard deviation of a rate that lies anywhere between one that held and one so much higher. */
const ofBracket = (precision: number): number => precision / Math.sqrt(12);

function scaling(dimension: string, fixed: Record<string, DimensionValue>, rows: SweepRow[], noise: number): Scaling {
  const series = rows.filter((row) => matches(row, fixed));
  const points = series.flatMap((row): ScalePoint[] =>
    isCapacity(row) ? [{ workers: Number(row.values[dimension]), rate: row.capacity! }] : [],
  );
  return {
    dimension,
    fixed: Object.entries(fixed)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
    points: points.sort((a, b) => a.workers - b.workers),
    left: series.filter((row) => !isCapacity(row)).map((row) => `${String(row.values[dimension])} (${whyLeft(row)})`),
    fit: fitScalability(points, { noise }),
  };
}

/** A configuration that was stopped early has a lower bound, which is no point of a curve. */
const isCapacity = ({ status, capacity }: SweepRow): boolean => status === 'measured' && capacity !== undefined;

const whyLeft = ({ status }: SweepRow): string =>
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

/** So many points draw a smooth curve. */
const CURVE_POINTS = 60;

/** The law between two numbers of workers. */
export function curve(fit: ScalabilityFit, from: number, to: number): [number, number][] {
  const law = coefficients(fit);
  return Array.from({ length: CURVE_POINTS + 1 }, (_, i) => {
    const workers = Number((from + ((to - from) * i) / CURVE_POINTS).toPrecision(6));
    return [workers, uslRate(law, workers)];
  });
}
