import { z } from 'zod';
import { provisionerSchema, type Noise } from '../../model/run.js';
import { planSchema } from '../../model/plan.js';
import { verdictSchema, type Confidence, type Verdict } from '../../model/verdict.js';
import { type Cost, costSchema, pricesSchema } from '../../model/cost.js';
import { type DimensionValue, dimensionValueSchema } from '../../model/dimensions.js';

const amount = z.number().min(0);

const dimensionValues = z.record(z.string(), dimensionValueSchema);

const sweepPlanSchema = z.object({
  /** For titles and folders. */
  name: z.string(),
  /** The question that the sweep answers, in a sentence; for the report. */
  question: z.string().optional(),
  /** Values of each dimension, in the order in which a grid shows them. */
  dimensions: z.record(z.string(), z.array(dimensionValueSchema)),
  /**
   * `front`: a configuration that is not worth its cost is stopped early (with a target: the cheapest that meets it is
   * sought). `all`: every configuration is measured to its end.
   */
  explore: z.enum(['front', 'all']),
  /** Length of the step that confirms a configuration before it is recommended, in seconds. */
  holdSeconds: amount,
  /**
   * Without a target. `runs`: the first configuration that sustains a rate is deployed this many more times, for one step at
   * its capacity; the spread is the noise. `band`: the noise is taken to be this fraction.
   */
  noise: z.union([z.object({ runs: amount }), z.object({ band: amount })]).optional(),
  prices: pricesSchema,
  /** How each configuration is measured, with the values that all share. */
  measure: planSchema,
});

/** A matrix of configurations to measure. */
export type SweepPlan = z.infer<typeof sweepPlanSchema>;

const candidateSchema = z.object({
  id: z.string(),
  values: dimensionValues,
  cost: costSchema,
  /** Values of the dimensions of which more never sustains less. */
  amounts: z.record(z.string(), amount),
  /** The other dimensions; configurations of one kind can be compared by their amounts. */
  kind: z.string(),
  /** Executions per second that its slots allow. */
  bound: amount.optional(),
});

/** One configuration of a sweep. */
export type SweepCandidate = z.infer<typeof candidateSchema>;

/** The conditions of a sweep, beside its plan. A sweep is resumed only under the same conditions. */
const conditionsSchema = z.object({
  /** SHA-256 of the values that were given, merged, and of the manifests. */
  values: z.string(),
  /** Versions of n8n of the configurations. */
  n8n: z.array(z.string()),
  /** Cores and processor of the machine that sends the load, and that runs local processes. */
  machine: z.string(),
});

export const sweepSchema = z.object({
  tool: z.string(),
  startedAt: z.string(),
  plan: sweepPlanSchema,
  /** Where its configurations run; undefined: local processes. */
  provisioner: provisionerSchema.optional(),
  conditions: conditionsSchema,
  /** Executions per second that a configuration must sustain; undefined where capacities are sought. */
  target: z.number().gt(0).optional(),
  candidates: z.array(candidateSchema),
  /** Configurations that the chart refuses, or whose slots allow less than the target (`bound`, in executions per second). */
  excluded: z.array(
    z.object({ id: z.string(), values: dimensionValues, reason: z.string(), bound: amount.optional() }),
  ),
});

/** `sweep.json`: the request, written before anything is measured. */
export type SweepRecord = z.infer<typeof sweepSchema>;

export const outcomeSchema = z.object({
  id: z.string(),
  /**
   * `measure`: as the plan says. `hold`: the longer step at the target, before values are given. `noise`: a repeated run of one
   * configuration, which shows how much runs differ.
   */
  purpose: z.enum(['measure', 'hold', 'noise']),
  verdict: verdictSchema,
  /** Highest rate that it sustained, or that its clients got answered within the SLO, in executions per second; 0: none. */
  capacity: amount,
  /** One sentence. */
  conclusion: z.string(),
  /** The rate that it had to sustain to be worth its cost, where it was stopped because it did not. */
  challenge: amount.optional(),
  /** Time under load including warm-ups, in seconds; `seconds` is the whole time. */
  loadSeconds: amount,
  seconds: amount,
});

/** A line of `outcomes.ndjson`: the result of measuring a configuration. */
export type SweepOutcome = z.infer<typeof outcomeSchema>;

/** The answer of a sweep for one configuration. */
export interface SweepRow {
  id: string;
  values: Record<string, DimensionValue>;
  status:
    | 'meets'
    | 'misses'
    | 'measured'
    /** Stopped: something cheaper takes as much. */
    | 'dominated'
    | 'inconclusive'
    /** Not measured, and need not be. */
    | 'ruled-out'
    /** The chart or arithmetic rules it out. */
    | 'excluded'
    /** Not measured yet. */
    | 'open';
  cost?: Cost;
  /** Executions per second. */
  capacity?: number;
  /** Cost of a million executions at that rate, in the prices' currency. */
  perMillion?: number;
  /** No configuration that costs as much or less sustains more. */
  onFront: boolean;
  text: string;
}

/** The answer of a sweep, from its records alone. */
export interface SweepConclusion {
  name: string;
  verdict: Verdict;
  /** One sentence. */
  answer: string;
  rows: SweepRow[];
  /** The cheapest configuration that met the target and held there for longer, and the file of its values. */
  cheapest?: { id: string; values: string };
  /** Whether the answer is provisional, and why; undefined while nothing is measured. */
  confidence?: Confidence;
  /** Rates within it are ties; undefined if not measured. */
  noise?: Noise;
  /** Path of the HTML report. */
  report: string;
}
