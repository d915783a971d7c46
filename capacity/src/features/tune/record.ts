import { validRange } from 'semver';
import { z } from 'zod';
import { overridesSchema, planSchema } from '../../model/plan.js';
import { provisionerSchema } from '../../model/run.js';
import { figuresSchema } from '../trial/record.js';
import type { Ratio } from '../../stats/ratio.js';
import type { Confidence } from '../../model/verdict.js';

const amount = z.number().min(0);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** What a setting may cost beside throughput. Only the first two are tried unless the user accepts the others. */
export const TRADES = ['nothing', 'memory', 'features', 'observability', 'durability', 'safety'] as const;
const tradeSchema = z.enum(TRADES);
export type Trade = z.infer<typeof tradeSchema>;

export const settingSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]+$/),
    /** What it does with another value than that of the chart; a sentence without a full stop. */
    title: z.string(),
    /** Path in the chart's values. */
    value: z.string().optional(),
    /** Variable of n8n, of Node or of a client library, where the chart has no value for it. */
    env: z.string().optional(),
    /** For the deployments of other charts alone: a variable of n8n, or a part of the deployment, such as `workers`. */
    other: z.string().optional(),
    /** Values to try instead of the chart's. */
    candidates: z.array(scalar).default([]),
    /** Candidates that are more, or less, than what is set now; undefined: all that differ from it. */
    side: z.enum(['more', 'less']).optional(),
    /** The chart's default is not tried where the user has another value. */
    oneWay: z.boolean().optional(),
    /** Another value or variable that it cannot be set beside: the chart refuses both. */
    excludes: z.string().optional(),
    /** Values of the chart that go with a candidate. */
    with: z.record(z.string(), scalar).default({}),
    modes: z.array(z.enum(['regular', 'queue'])).default(['regular', 'queue']),
    /** Where only one database has it. */
    database: z.enum(['sqlite', 'postgresql']).optional(),
    /** Versions of n8n, as a range of semver. */
    n8n: z.string().refine((range) => validRange(range) !== null, 'must be a range of versions'),
    trades: tradeSchema,
    /** Where it was read. */
    source: z.string(),
    /** To keep in mind. */
    note: z.string().optional(),
    /** Why it cannot be tried. */
    cannot: z.string().optional(),
  })
  .refine(
    (s) => s.cannot !== undefined || [s.value, s.env, s.other].filter((name) => name !== undefined).length === 1,
    {
      message: 'must have a value, an env or an other, or say why it cannot be tried',
    },
  )
  .refine((s) => s.cannot !== undefined || s.candidates.length > 0, { message: 'needs a candidate' });

/** A setting of n8n, PostgreSQL, Redis or Node that may change what a deployment takes. */
export type Setting = z.infer<typeof settingSchema>;

const changeSchema = z.object({
  /** `setting=value`. */
  id: z.string(),
  /** Id of the setting in capacity/tune/settings.yaml. */
  setting: z.string(),
  /** What it does, in a sentence without a full stop. */
  title: z.string(),
  trades: tradeSchema,
  /** The chart's value or n8n's variable that it sets: two changes of the same one exclude each other. */
  name: z.string(),
  /** Changes of one group exclude each other; undefined: those of the same name. */
  group: z.string().optional(),
  to: scalar,
  /** Chart values by path. */
  values: z.record(z.string(), scalar),
  /** A variable for every container of n8n. */
  env: z.object({ name: z.string(), value: z.string() }).optional(),
  /** What it changes in the deployment of another chart. */
  overrides: overridesSchema.optional(),
});

/** A setting with a value other than the one that is deployed. */
export type Change = z.infer<typeof changeSchema>;

/** What a change sets, as `expressionEngine.poolSize=2` or `N8N_LOG_LEVEL=warn`. */
export const changeText = ({ name, to }: Pick<Change, 'name' | 'to'>): string => `${name}=${String(to)}`;

const leftOutSchema = z.object({ setting: z.string(), title: z.string(), reason: z.string() });

/** A setting that is not tried, and why. */
export type LeftOut = z.infer<typeof leftOutSchema>;

export const tuneSchema = z.object({
  tool: z.string(),
  startedAt: z.string(),
  provisioner: provisionerSchema,
  /** What every trial shares. Its values are those of the baseline. */
  plan: planSchema,
  n8n: z.string(),
  mode: z.enum(['regular', 'queue']),
  database: z.string(),
  /** Of the order of the trials. */
  seed: z.number().int(),
  budgetSeconds: amount,
  accept: z.array(tradeSchema),
  /** Ids of the settings that were asked for. */
  settings: z.array(z.string()),
  changes: z.array(changeSchema).min(1),
  /** The trials of the screening in the order of measuring: the changes of each, by id. */
  rows: z.array(z.array(z.string())),
  /** Pairs of changes that the chart refuses together, by id; none in records before 0.2. */
  conflicts: z.array(z.tuple([z.string(), z.string()])).default([]),
  /** The most trials of the confirmation; fewer where the budget ends before. */
  confirmations: z.number().int().min(1),
  leftOut: z.array(leftOutSchema),
});

/** `tune.json`: the changes to try. Written before anything is measured. */
export type TuneRecord = z.infer<typeof tuneSchema>;

const stageSchema = z.enum(['screening', 'confirmation', 'latency']);
export type Stage = z.infer<typeof stageSchema>;

export const trialSchema = figuresSchema.extend({
  /** In the order of measuring, from 0. */
  index: z.number().int().min(0),
  stage: stageSchema,
  /** Which of the planned trials of its stage it is, from 0. One that fails may be measured again with fewer changes. */
  row: z.number().int().min(0),
  /** Ids of the changes that were deployed; none is the baseline. */
  changes: z.array(z.string()),
  /** Arrivals per second of a trial of the latency; the others have clients that wait for their answers. */
  rate: amount.optional(),
  tookSeconds: amount,
});

/** One fresh deployment, measured once. */
export type TrialRecord = z.infer<typeof trialSchema>;

/**
 * The finding on a change's effect on the throughput. `more`, `less`: the whole interval is on that side. `none`: the effect is
 * too small to matter. `noGain`: no gain that matters, and a loss is possible. `open`: undecided. `fails`: every trial with it
 * failed.
 */
export type Finding = 'more' | 'less' | 'none' | 'noGain' | 'open' | 'fails';

/** The effect of a change. */
export interface ChangeEffect {
  change: Change;
  finding: Finding;
  throughput?: Ratio;
  /** The throughput of each load, by its name, where several were driven; that above is their geometric mean. */
  loads?: Record<string, Ratio>;
  memory?: Ratio;
  p95?: Ratio;
  /** Whether it gives more even as the best of all changes that were tried, of which some are better by chance. */
  isSure: boolean;
  /** Of the trials with it, those that failed, and why the first one did; undefined where none did. */
  failures?: { failed: number; trials: number; why: string };
  /** More than one trial with it failed, and all that failed had its setting changed. */
  isSuspect: boolean;
}

/** The effect of all chosen changes together. */
export interface Gain {
  throughput: Ratio;
  /** The throughput of each load, as in an effect. */
  loads?: Record<string, Ratio>;
  memory?: Ratio;
  /** p95 of the overhead at the same arrival rate for both; undefined where the time did not allow it. */
  latency?: { rate: number; ratio: Ratio };
  /** Executions per second, geometric means. */
  baseline: number;
  tuned: number;
  /**
   * The smallest gain of throughput that this number of trials confirms in four of five runs, as a share; undefined if unknown.
   */
  smallest?: number;
}

/** The answer of a run of `tune`, from its records alone. */
export interface TuneConclusion {
  /** `confirmed`: values that are better. `nothing`: no change is. `open`: not measured to the end, or not decided. */
  outcome: 'confirmed' | 'nothing' | 'open';
  /** One sentence without a full stop. */
  answer: string;
  /** The most useful first. */
  effects: ChangeEffect[];
  leftOut: LeftOut[];
  /** Ids of the changes that were tried together. */
  chosen: string[];
  /** These against the baseline, in fresh deployments of both by turns. */
  gain?: Gain;
  /** Trials measured so far, and those that are left. */
  trials: { measured: number; left: number };
  confidence?: Confidence;
  /** What to change in the custom workflow, each as sentences. */
  advice?: string[];
  folder: string;
  report: string;
  /** The values file; undefined unless confirmed. */
  values?: string;
}
