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
   * Names the driven workflow or webhook: give one of `workload`, `workflow` and `webhook`, or a dimension `workload`. Paths are
   * relative to the file. A workload whose name ends with .json is a file in experiments/workflows.
   */
  workload: z.string().optional(),
  workflow: z.string().optional(),
  webhook: z.string().optional(),
  /** `clients`: closed model; `rate`: arrivals per second; `hold`: search for the largest payload, held for this duration. */
  clients: z.number().int().positive().optional(),
  /** Clients per slot of the workers. */
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
  /** `kept`: clients keep their connections; `new`: each request opens a connection. */
  connections: z.enum(['kept', 'new']).default('kept'),
  query: z.record(z.string(), Scalar).default({}),
});

const Part = z.strictObject({
  part: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be lower-case letters, digits, dots and hyphens'),
  title: z.string(),
  /** The deployment: the chart's n8n as local processes or on Kubernetes, or a control server. */
  on: z.enum(['processes', 'kubernetes', 'control']),
  /** Version of n8n that replaces the version of each chart's image, so that all charts run the same. */
  n8n: z.string().optional(),
  /** Whether k6 gets its own core even on two cores, because it would take much CPU from what it measures. */
  apart: z.boolean().optional(),
  /** Chart values that all cells of the part share. */
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
  /** Columns of the table. */
  measures: z.array(Measure).min(1),
});

const Plot = z.strictObject({
  title: z.string(),
  kind: z.enum(['bars', 'lines', 'heat', 'memory', 'processes']),
  part: z.union([z.string(), z.array(z.string()).min(1)]),
  /** Line under the title that explains the plot. */
  note: z.string().optional(),
  /** Draws the memory limit of the container, and the heap limit where a cell sets one. */
  limits: z.boolean().default(false),
  where: Where.default({}),
  measure: Measure.optional(),
  /** Dimension along x, or `part`. */
  x: z.string().optional(),
  /** Dimension with one series per value; in a heat map, the dimension along y. */
  series: z.string().optional(),
  log: z.boolean().default(false),
});

const Claim = z.strictObject({
  /** The claim as a sentence. */
  says: z.string(),
  /** Text for the page's first line if the claim holds; {here}, {of} and {over} are replaced by the measured figures. */
  answer: z.string().optional(),
  measure: Measure,
  /** Filter of the cells by part, dimensions and `webhook` (version of the Webhook node). The claim must hold for each cell. */
  of: Where,
  /** Filter of the cells to divide by: the claim is then about the ratio, run by run if there are several runs. */
  over: Where.optional(),
  /**
   * Compares with the largest of the cells of `over`. If `over` lists values of a dimension, it compares with the cells of the
   * value that has the largest median.
   */
  best: z.literal(true).optional(),
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
  /** Whether cells in which requests failed can prove the claim. */
  mayFail: z.boolean().default(false),
  /** Allowed outcomes, instead of bounds of a number. */
  is: z.array(z.string()).optional(),
  /** The ratio or share that the origin measured. */
  origin: z.number().optional(),
  /** Whether the page that compares all experiments shows the claim. */
  key: z.boolean().default(false),
});

export const experimentSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  title: z.string(),
  question: z.string(),
  /** Second line of the page: what to do. */
  advice: z.string(),
  /** End of the page's third line: the limits of the measurement. */
  doubt: z.string(),
  setting: z.string(),
  origin: z.string(),
  today: z.string(),
  chart: z.string(),
  parts: z.array(Part).min(1),
  plots: z.array(Plot).default([]),
  claims: z.array(Claim).min(1, 'is empty; give at least one claim'),
  /** Filters of cells: the Universal Scalability Law is fitted to each group over the number of workers. */
  scalability: Where.array().default([]),
  /** Names the cheapest cell of a part that held its rate with at most this p99, in seconds. */
  cheapest: z.strictObject({ part: z.string(), p99: z.number().positive() }).array().default([]),
});

/** The content of an experiment's file, with defaults. */
export type Experiment = z.infer<typeof experimentSchema>;
export type ExperimentPart = Experiment['parts'][number];
export type ExperimentPlot = Experiment['plots'][number];
export type ExperimentClaim = Experiment['claims'][number];
/** Selects cells: for each named dimension, one or several allowed values. */
export type CellFilter = z.infer<typeof Where>;

/** The dimensions of a part on a grid. */
export const gridDimensions = (part: ExperimentPart, grid: Grid): ExperimentPart['dimensions'] =>
  grid === 'full' ? part.dimensions : { ...part.dimensions, ...part.quick?.dimensions };

/** `quick` applies the `quick` keys of the parts (fewer cells, shorter steps); `full` has every cell. */
export type Grid = 'quick' | 'full';
