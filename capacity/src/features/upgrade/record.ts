import { z } from 'zod';
import type { ExposureChange } from '../../model/advisories.js';
import { planSchema } from '../../model/plan.js';
import { provisionerSchema } from '../../model/run.js';
import { figuresSchema } from '../trial/record.js';
import type { Ratio } from '../../stats/ratio.js';
import type { Confidence } from '../../model/verdict.js';

const amount = z.number().min(0);

/** The version that is deployed now, and the one to upgrade to. */
export const SIDES = ['from', 'to'] as const;
const sideSchema = z.enum(SIDES);
export type Side = z.infer<typeof sideSchema>;

const environmentChangeSchema = z.object({
  /** Component of the pods, as `main`. */
  component: z.string(),
  /** Variable, or `arguments` of n8n. */
  name: z.string(),
  /** Undefined where that version's deployment does not have it. */
  from: z.string().optional(),
  to: z.string().optional(),
});

/** A variable that the chart gives to only one of the versions, or with another value. */
export type EnvironmentChange = z.infer<typeof environmentChangeSchema>;

export const upgradeSchema = z.object({
  tool: z.string(),
  startedAt: z.string(),
  provisioner: provisionerSchema,
  from: z.string(),
  to: z.string(),
  /** The plan of every throughput trial. */
  plan: planSchema,
  /** Fresh deployments of each version, for the throughput and again for the latency. */
  pairs: z.number().int().min(3),
  /** Executions in the database that is upgraded. */
  executions: z.number().int().min(0),
  environment: z.array(environmentChangeSchema),
  /** Why another patch of a version is measured (model/run.ts, `askedWhy`). Undefined if none is, and in older records. */
  substitutes: z.object({ from: z.string().optional(), to: z.string().optional() }).optional(),
});

/** `upgrade.json`: the versions to compare. Written before anything is measured. */
export type UpgradeRecord = z.infer<typeof upgradeSchema>;

/** `throughput`: clients that wait for their answers. `latency`: the same arrival rate for both versions. */
export const STAGES = ['throughput', 'latency'] as const;

export const upgradeTrialSchema = figuresSchema.extend({
  /** In the order of measuring, from 0. */
  index: z.number().int().min(0),
  stage: z.enum(STAGES),
  side: sideSchema,
  /** Arrivals per second of a trial of the latency. */
  rate: amount.optional(),
  tookSeconds: amount,
});

/** One fresh deployment of one version, measured once. */
export type UpgradeTrial = z.infer<typeof upgradeTrialSchema>;

const rowsSchema = z.record(z.string(), z.number());

export const survivalSchema = z.object({
  /** Executions that were put into the database. */
  seeded: z.number().int().min(0).optional(),
  /** Rows of n8n's tables of executions before the upgrade and after it; undefined where they were not counted. */
  before: rowsSchema.optional(),
  after: rowsSchema.optional(),
  /** Seconds until the new main served requests, including its migrations. */
  seconds: amount.optional(),
  /** Why it did not work, and which version: the old one, before it was upgraded, or the new one. Older records have no side. */
  failed: z.string().optional(),
  side: sideSchema.optional(),
  /** Why the new version did not work in a first try; a second one did. */
  failedOnce: z.string().optional(),
  /** Why the upgrade cannot be tried here. */
  skipped: z.string().optional(),
});

/** `survival.json`: the result of an upgrade on the same database. */
export type Survival = z.infer<typeof survivalSchema>;

/** A compared quantity. */
export type Quantity = 'throughput' | 'p95' | 'memory' | 'start';

/**
 * The finding on a quantity of the new version. `better`, `worse`: the whole interval is on that side. `same`: any difference
 * is too small to matter. `open`: undecided.
 */
export type UpgradeFinding = 'better' | 'worse' | 'same' | 'open';

/** A quantity of both versions. */
export interface Comparison {
  quantity: Quantity;
  finding: UpgradeFinding;
  /** New ÷ old. */
  ratio?: Ratio;
  /** Geometric means; undefined where no trial gave the figure. */
  from?: number;
  to?: number;
}

/** The answer of a run of `upgrade`, from its records alone. */
export interface UpgradeConclusion {
  /**
   * `worse`: a quantity is worse, or rows are lost. `same`: everything is a tie. `open`: not measured to the end, or not
   * decided.
   */
  outcome: 'better' | 'same' | 'worse' | 'open';
  /** One sentence without a full stop. */
  answer: string;
  from: string;
  to: string;
  comparisons: Comparison[];
  /** The rate of the latency, in arrivals per second. */
  rate?: number;
  environment: EnvironmentChange[];
  /** Public vulnerabilities that the upgrade closes and opens; undefined if one of the versions cannot be parsed. */
  exposure?: ExposureChange;
  /** Why another patch of a version was measured. */
  substitutes?: Partial<Record<Side, string>>;
  survival?: Survival;
  /** Replaced dependencies of each version (model/run.ts); undefined if none is known. */
  replaced?: Partial<Record<Side, Record<string, string>>>;
  /** Trials measured so far, and those that are left. */
  trials: { measured: number; left: number };
  confidence?: Confidence;
  /** What to change in the custom workflow, each as sentences. */
  advice?: string[];
  folder: string;
  report: string;
}
