import { z } from 'zod';
import { MEASURES } from '../judge/measures.js';

const Value = z.union([z.string(), z.number(), z.boolean()]);
const Scalar = z.union([z.string(), z.number()]).transform(String);
const Dimensions = z.record(z.string(), z.array(Value).min(1));
const Where = z.record(z.string(), z.union([Value, z.array(Value)]));
const Measure = z.enum(Object.keys(MEASURES) as [string, ...string[]], {
  error: `must be one of ${Object.keys(MEASURES).join(', ')}`,
});

const Load = z.strictObject({
  /** One of these says what is driven; a dimension of the same name may, too. Paths are relative to the file. */
  workload: z.string().optional(),
  workflow: z.string().optional(),
  webhook: z.string().optional(),
  /** Closed model: so many clients; or arrivals per second; or the largest payload for one client (`hold`: how long). */
  clients: z.number().int().positive().optional(),
  /** So many clients for each slot of the workers. */
  clientsPerSlot: z.number().positive().optional(),
  rate: Scalar.optional(),
  hold: z.string().optional(),
  duration: z.string().default('10s'),
  warmup: z.string().default('2s'),
  drain: z.string().default('20s'),
  timeout: z.string().default('30s'),
  executionTime: z.string().optional(),
  /** Seconds that a client pauses after a request that failed. */
  pause: z.number().min(0).default(0),
  /** Whether clients keep their connections, or make one for each request. */
  connections: z.enum(['kept', 'new']).default('kept'),
  query: z.record(z.string(), Scalar).default({}),
});

const Part = z.strictObject({
  part: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be lower-case letters, digits, dots and hyphens'),
  title: z.string(),
  /** What is measured: the chart's n8n as local processes or on Kubernetes, or a control server. */
  on: z.enum(['processes', 'kubernetes', 'control']),
  /** Values of the chart that all of its cells share. */
  values: z.record(z.string(), z.unknown()).default({}),
  load: Load,
  dimensions: Dimensions,
  /** What differs in the quick grid: fewer values of a dimension, or a shorter step. */
  quick: z.strictObject({ dimensions: Dimensions.optional(), duration: z.string().optional() }).optional(),
  /** Combinations that are left out. */
  skip: z.array(Where).default([]),
  /** Columns of its table. */
  measures: z.array(Measure).min(1),
});

const Plot = z.strictObject({
  title: z.string(),
  kind: z.enum(['bars', 'lines', 'heat', 'memory', 'processes']),
  part: z.string(),
  where: Where.default({}),
  measure: Measure.optional(),
  /** Dimension along x, and that of which each value is a series (of a heat map: the one down). */
  x: z.string().optional(),
  series: z.string().optional(),
  log: z.boolean().default(false),
});

const Claim = z.strictObject({
  /** A sentence; what was measured stands beside it. */
  says: z.string(),
  measure: Measure,
  /** Which cells; every one of them must hold. */
  of: Where,
  /** With it the claim is about the ratio of the two, run by run where there are several. */
  over: Where.optional(),
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
  /** Requests may have failed in its cells: that is what it is about. */
  mayFail: z.boolean().default(false),
  /** What the cells' outcome must be, instead of a number. */
  is: z.array(z.string()).optional(),
  /** The same ratio, or share, as the origin's team found it. */
  origin: z.number().optional(),
  /** For the page that compares all experiments. */
  key: z.boolean().default(false),
});

export const experimentSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  title: z.string(),
  question: z.string(),
  setting: z.string(),
  origin: z.string(),
  today: z.string(),
  chart: z.string(),
  parts: z.array(Part).min(1),
  plots: z.array(Plot).default([]),
  claims: z.array(Claim).min(1, 'is empty; an experiment that cannot fail says nothing'),
  /** Cells to which the Universal Scalability Law is fitted, over their numbers of workers. */
  scalability: Where.array().default([]),
  /** Chooses the cheapest cell of a part that meets an objective. */
  recommend: z
    .strictObject({ part: z.string(), p99: z.number().positive(), errors: z.number().min(0).max(1) })
    .array()
    .default([]),
});

/** An experiment as its file has it, the defaults filled in. */
export type Experiment = z.infer<typeof experimentSchema>;
export type ExperimentPart = Experiment['parts'][number];
export type ExperimentPlot = Experiment['plots'][number];
export type ExperimentClaim = Experiment['claims'][number];
/** Values of dimensions, one or several, that cells must have. */
export type CellFilter = z.infer<typeof Where>;

/** The dimensions of a part on a grid. */
export const dimensionsOf = (part: ExperimentPart, grid: Grid): ExperimentPart['dimensions'] =>
  grid === 'full' ? part.dimensions : { ...part.dimensions, ...part.quick?.dimensions };

/** `quick` takes under 15 minutes on two cores; `full` is all that the experiment asks. */
export type Grid = 'quick' | 'full';
