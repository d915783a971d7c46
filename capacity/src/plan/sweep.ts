import type { Prices, SweepPlan } from '../model/sweep.js';
import { UsageError } from '../core/errors.js';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { didYouMean } from '../core/did-you-mean.js';
import { STEP_DEFAULTS } from './defaults.js';
import { planFromOptions } from './validate.js';
import { duration, percentage } from './quantities.js';
import type { Plan } from '../model/plan.js';
import { yamlFile } from './values.js';

/** On-demand prices of a general-purpose machine in a large cloud, rounded: they order configurations, no more. */
export const DEFAULT_PRICES: Prices = { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' };

const Scalar = z.union([z.string(), z.number()]).transform(String);
const List = z.union([Scalar.transform((one) => [one]), z.array(Scalar)]);
const Value = z.union([z.string(), z.number(), z.boolean()]);
/** A minute or two on local processes; the band is then 3.9 standard deviations of a run (t·√2). */
const NOISE_RUNS = 5;
const RUNS = 'must be 2 to 20';
const Noise = z.union([Scalar, z.strictObject({ runs: z.number().int().min(2, RUNS).max(20, RUNS) })], {
  error: 'must be {runs: 2 to 20}, or a percentage that is taken for it, as 5%',
});
const times = ['duration', 'warmup', 'drain', 'timeout', 'soak'] as const;

const PlanFile = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens'),
  question: z.string().optional(),
  values: z.strictObject({ files: z.array(z.string()).default([]), set: z.array(z.string()).default([]) }).optional(),
  dimensions: z
    .record(z.string(), z.array(Value).min(1, 'is empty; write the values to measure, as [1, 2]'))
    .refine((d) => Object.keys(d).length > 0, 'names none'),
  explore: z.enum(['front', 'all']).default('front'),
  workload: List.optional(),
  mix: z.string().optional(),
  query: z.record(z.string(), Scalar).default({}),
  target: Scalar.optional(),
  perDay: Scalar.optional(),
  peak: Scalar.optional(),
  headroom: Scalar.optional(),
  rates: List.optional(),
  clients: Scalar.optional(),
  precision: Scalar.optional(),
  slo: z.strictObject({ p50: Scalar, p95: Scalar, p99: Scalar, errors: Scalar }).partial().optional(),
  noise: Noise.optional(),
  step: z.strictObject(Object.fromEntries(times.map((t) => [t, Scalar.optional()]))).optional(),
  prices: z
    .strictObject({ cpuHour: z.number().min(0), memoryGibHour: z.number().min(0), currency: z.string().min(1) })
    .partial()
    .optional(),
});
type PlanFile = z.infer<typeof PlanFile>;

/** A soak is so much longer than a step, and at least so long, in seconds (chosen). */
const SOAK = { factor: 5, least: 60 };

/** Over so many configurations a sweep is asked for twice. */
export const MANY = 200;

/**
 * Reads a plan file; paths in it are relative to it. Everything is checked before anything starts.
 * @throws UsageError that names the file, the key, what is allowed and the nearest known key
 */
export function readSweepPlan(file: string): SweepPlan {
  const content = yamlFile(file, file, 'give the path of a plan');
  const parsed = PlanFile.safeParse(content);
  if (!parsed.success) throw new UsageError(`${file}: ${complaint(parsed.error, content)}`);
  const plan = parsed.data;
  for (const [name, values] of Object.entries(plan.dimensions)) {
    const [twice] = values.filter((value, i) => values.indexOf(value) !== i);
    if (twice !== undefined) throw new UsageError(`${file}: dimensions.${name}: ${String(twice)} stands there twice.`);
  }
  const measure = measurePlan(plan, file);
  const noise = noisePlan(plan, measure, file);
  const soak = plan.step?.soak;
  if (measure.loads.length !== 1)
    throw new UsageError(`${file}: workload: a sweep drives one load; name one, as webhook-wait, or a mix.`);
  return {
    name: plan.name,
    ...(plan.question && { question: plan.question }),
    dimensions: plan.dimensions,
    explore: plan.explore,
    prices: { ...DEFAULT_PRICES, ...definedOf(plan.prices ?? {}) },
    measure,
    ...(noise && { noise }),
    soakSeconds:
      soak === undefined
        ? Math.max(SOAK.least, SOAK.factor * measure.stepSeconds)
        : duration(soak, `${file}: step.soak`),
  };
}

/** With a target configurations meet it or not, and cost what they cost: no two rates are compared. A mix has no closed model. */
function noisePlan(plan: PlanFile, { rates }: Plan, file: string): SweepPlan['noise'] {
  const { noise } = plan;
  if (rates.kind === 'target') {
    if (noise === undefined) return undefined;
    throw new UsageError(`${file}: noise: is about rates that are compared, and with a target none is; leave it out.`);
  }
  if (typeof noise === 'string') return { band: percentage(noise, `${file}: noise`) };
  if (plan.mix !== undefined && noise !== undefined)
    throw new UsageError(
      `${file}: noise: cannot be measured of a mix; write a percentage that is taken for it, as 5%.`,
    );
  return plan.mix === undefined ? (noise ?? { runs: NOISE_RUNS }) : undefined;
}

/** The part that `validate` knows too, by the code that reads its flags. */
function measurePlan(plan: PlanFile, file: string): Plan {
  const { step = {}, slo } = plan;
  const beside = (path: string) => resolve(dirname(file), path);
  const { target, perDay, peak, headroom, clients, precision } = plan;
  try {
    return planFromOptions({
      values: (plan.values?.files ?? []).map(beside),
      set: plan.values?.set ?? [],
      ...(plan.workload && { workload: plan.workload }),
      ...(plan.mix !== undefined && { mix: beside(plan.mix) }),
      query: Object.entries(plan.query).map(([name, value]) => `${name}=${value}`),
      ...definedOf({ target, perDay, peak, headroom, clients, precision }),
      ...(plan.rates && { rates: plan.rates.join(',') }),
      ...(slo && {
        slo: Object.entries(definedOf(slo))
          .map(([key, value]) => `${key}=${value}`)
          .join(','),
      }),
      ...(step.duration !== undefined && { stepDuration: step.duration }),
      warmup: step.warmup ?? STEP_DEFAULTS.warmup,
      drain: step.drain ?? STEP_DEFAULTS.drain,
      timeout: step.timeout ?? STEP_DEFAULTS.timeout,
    });
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${file}: ${withKeys(error.message)}`);
    throw error;
  }
}

/** Flags of `validate` by the keys that a plan has for them. */
const KEYS: Record<string, string> = {
  '--step-duration': 'step.duration',
  '--warmup': 'step.warmup',
  '--drain': 'step.drain',
  '--timeout': 'step.timeout',
  '--per-day': 'perDay',
  '--set': 'values.set',
  '-f': 'values.files',
};
const withKeys = (message: string) =>
  message.replace(/(^|\s|\()(-f|--[a-z-]+)(?=[\s:,;.)]|$)/g, (_, before: string, flag: string) => {
    return before + (KEYS[flag] ?? flag.replace(/^--/, ''));
  });

/** What people call the types of YAML. */
const NOUNS: Record<string, string> = {
  array: 'a list, as [1, 2]',
  object: 'a section of keys',
  record: 'a section of keys',
  string: 'text',
  number: 'a number',
};

function complaint(error: z.ZodError, content: unknown): string {
  const issue = error.issues[0]!;
  const where = issue.path.join('.') || 'the plan';
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const known = knownKeys(issue.path.map(String));
    return `unknown key "${[...issue.path, key].join('.')}"${didYouMean(key, known)} Known here: ${known.join(', ')}.`;
  }
  if (issue.code !== 'invalid_type') return `${where}: ${issue.message}.`;
  const allowed = NOUNS[issue.expected] ?? issue.expected;
  const given = valueAt(content, issue.path) ?? undefined;
  return given === undefined
    ? `${where}: is missing; it must be ${allowed}. "n8n-capacity sweep --help" shows a plan.`
    : `${where}: ${JSON.stringify(given)} is not allowed; write ${allowed}.`;
}

function valueAt(content: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], content);
}

function knownKeys([section]: string[]): string[] {
  if (section === undefined) return Object.keys(PlanFile.shape);
  const sections: Record<string, string[]> = {
    values: ['files', 'set'],
    slo: ['p50', 'p95', 'p99', 'errors'],
    step: [...times],
    prices: Object.keys(DEFAULT_PRICES),
  };
  return sections[section] ?? [];
}

function definedOf<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
