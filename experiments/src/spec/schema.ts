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
  /**
   * One of these names what is driven; a dimension `workload` can do it instead. Paths are relative to the file. A workload whose
   * name ends with .json is a file in experiments/workflows.
   */
  workload: z.string().optional(),
  workflow: z.string().optional(),
  webhook: z.string().optional(),
  /** `clients`: closed model; `rate`: arrivals per second; `hold`: a search for the largest payload, held so long. */
  clients: z.number().int().positive().optional(),
  /** Clients for each slot of the workers. */
  clientsPerSlot: z.number().positive().optional(),
  rate: Scalar.optional(),
  hold: z.string().optional(),
  duration: z.string().default('10s'),
  warmup: z.string().default('2s'),
  drain: z.string().default('20s'),
  timeout: z.string().default('30s'),
  executionTime: z.string().optional(),
  /** Seconds that a client pauses after a failed request. */
  pause: z.number().min(0).default(0),
  /** Whether clients keep their connections, or make a new one for each request. */
  connections: z.enum(['kept', 'new']).default('kept'),
  query: z.record(z.string(), Scalar).default({}),
});

const Part = z.strictObject({
  part: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be lower-case letters, digits, dots and hyphens'),
  title: z.string(),
  /** The deployment: the chart's n8n as local processes or on Kubernetes, or a control server. */
  on: z.enum(['processes', 'kubernetes', 'control']),
  /** Version of n8n in the place of that of the charts' images, so that all run the same. */
  n8n: z.string().optional(),
  /** Whether k6 has a core of its own even on two: where its work would take much of what it measures. */
  apart: z.boolean().optional(),
  /** Values of the chart that all its cells share. */
  values: z.record(z.string(), z.unknown()).default({}),
  load: Load,
  dimensions: Dimensions,
  /** Differences of the quick grid: fewer values of a dimension, a shorter step, or more combinations to leave out. */
  quick: z
    .strictObject({
      dimensions: Dimensions.optional(),
      duration: z.string().optional(),
      skip: z.array(Where).default([]),
    })
    .optional(),
  /** Combinations to leave out. */
  skip: z.array(Where).default([]),
  /** Columns of its table. */
  measures: z.array(Measure).min(1),
});

const Plot = z.strictObject({
  title: z.string(),
  kind: z.enum(['bars', 'lines', 'heat', 'memory', 'processes']),
  part: z.union([z.string(), z.array(z.string()).min(1)]),
  /** A line under the title: how to read it. */
  note: z.string().optional(),
  /** Draws the memory limit of the container, and the heap limit where a cell sets one. */
  limits: z.boolean().default(false),
  where: Where.default({}),
  measure: Measure.optional(),
  /** The dimension along x, or `part`, and the one with a series for each value (in a heat map: along y). */
  x: z.string().optional(),
  series: z.string().optional(),
  log: z.boolean().default(false),
});

const Claim = z.strictObject({
  /** A sentence; its result is printed beside it. */
  says: z.string(),
  /** What it answers on the page's first line if it holds; {here}, {of} and {over} stand for what was measured. */
  answer: z.string().optional(),
  measure: Measure,
  /** The cells, by part, dimensions and `webhook` (the version of that node); the claim must hold for each of them. */
  of: Where,
  /** Makes the claim one about the ratio of the two, run by run if there are several runs. */
  over: Where.optional(),
  /** `over` is the largest of its cells; where it lists values of a dimension, the value whose cells have the largest median. */
  best: z.literal(true).optional(),
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
  /** The claim holds also for cells in which requests failed. */
  mayFail: z.boolean().default(false),
  /** The outcomes that the cells may have, instead of a number. */
  is: z.array(z.string()).optional(),
  /** The same ratio, or share, as the origin measured it. */
  origin: z.number().optional(),
  /** Printed on the page that compares all experiments. */
  key: z.boolean().default(false),
});

export const experimentSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  title: z.string(),
  question: z.string(),
  /** The page's second line: what to do. */
  advice: z.string(),
  /** Ends the page's third line, which says how sure the answer is. */
  doubt: z.string(),
  setting: z.string(),
  origin: z.string(),
  today: z.string(),
  chart: z.string(),
  parts: z.array(Part).min(1),
  plots: z.array(Plot).default([]),
  claims: z.array(Claim).min(1, 'is empty; give at least one claim'),
  /** Cells to which the Universal Scalability Law is fitted, over their numbers of workers. */
  scalability: Where.array().default([]),
  /** Chooses the cheapest cell of a part that held its rate with this p99 in seconds. */
  cheapest: z.strictObject({ part: z.string(), p99: z.number().positive() }).array().default([]),
});

/** The contents of an experiment's file, with defaults filled in. */
export type Experiment = z.infer<typeof experimentSchema>;
export type ExperimentPart = Experiment['parts'][number];
export type ExperimentPlot = Experiment['plots'][number];
export type ExperimentClaim = Experiment['claims'][number];
/** One or several values of dimensions that cells must have. */
export type CellFilter = z.infer<typeof Where>;

/** The dimensions of a part on a grid. */
export const dimensionsOf = (part: ExperimentPart, grid: Grid): ExperimentPart['dimensions'] =>
  grid === 'full' ? part.dimensions : { ...part.dimensions, ...part.quick?.dimensions };

/** `quick` leaves out the cells that the experiment's `quick` names; `full` has every cell. */
export type Grid = 'quick' | 'full';
