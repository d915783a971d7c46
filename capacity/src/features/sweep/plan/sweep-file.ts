import { z } from 'zod';
import { didYouMean } from '../../../core/did-you-mean.js';
import { runAllChecks, checkEach, throwIfProblems } from '../../../core/all-of.js';
import { UsageError } from '../../../core/errors.js';
import { translateDimensions, nestValues } from '../../../plan/dimensions.js';
import { foreignSettings } from '../../../plan/overrides.js';
import { refuseUnknownKeys } from '../../../plan/values.js';

const Scalar = z.union([z.string(), z.number()]).transform(String);
const List = z.union([Scalar.transform((one) => [one]), z.array(Scalar)]);
const Value = z.union([z.string(), z.number(), z.boolean()]);

const Strings = z.array(z.string());

const RUNS = 'must be 2 to 20';
const Noise = z.union([Scalar, z.strictObject({ runs: z.number().int().min(2, RUNS).max(20, RUNS) })], {
  error: 'must be {runs: 2 to 20} to measure it, or an assumed percentage such as 5%',
});

const Section = {
  values: z
    .strictObject({
      profile: z.string(),
      files: Strings,
      set: Strings,
      setString: Strings,
      setFile: Strings,
      setJson: Strings,
    })
    .partial(),
  slo: z.strictObject({ p50: Scalar, p95: Scalar, p99: Scalar, errors: Scalar }).partial(),
  step: z.strictObject({ duration: Scalar, warmup: Scalar, drain: Scalar, timeout: Scalar, hold: Scalar }).partial(),
  prices: z
    .strictObject({ cpuHour: z.number().min(0), memoryGibHour: z.number().min(0), currency: z.string().min(1) })
    .partial(),
};

const SweepFile = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens'),
  question: z.string().optional(),
  values: Section.values.optional(),
  manifests: z.string().optional(),
  chart: z.string().optional(),
  n8n: Scalar.optional(),
  dimensions: z
    .record(z.string(), z.array(Value).min(1, 'is empty; write the values to measure, such as [1, 2]'))
    .refine((d) => Object.keys(d).length > 0, 'is empty; write a dimension, such as workers: [1, 2]'),
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
  slo: Section.slo.optional(),
  noise: Noise.optional(),
  step: Section.step.optional(),
  prices: Section.prices.optional(),
});
/** The content of a plan file: its structure is checked, its quantities are still text. */
export type SweepFile = z.infer<typeof SweepFile>;

/**
 * The content of a plan file, once its structure is checked.
 * @throws UsageError with all problems: the key, what is allowed and the nearest known key, without the file
 */
export function checkSweepFile(content: unknown): SweepFile {
  const { data } = runAllChecks({
    data: () => parseStructure(content),
    dimensions: () => refuseUnknownDimensions(content),
  });
  throwIfProblems(
    Object.entries(data.dimensions).flatMap(([name, values]) => {
      const [twice] = values.filter((value, i) => values.indexOf(value) !== i);
      return twice === undefined ? [] : [`dimensions.${name}: ${String(twice)} is given twice; give each value once.`];
    }),
  );
  return data;
}

function parseStructure(content: unknown): SweepFile {
  const { data, error } = SweepFile.safeParse(content);
  if (!data) throw new UsageError(error.issues.flatMap((issue) => describeIssue(issue, content)));
  return data;
}

/** Throws UsageError with all unknown dimensions. Their values and the rest of the plan are not checked. */
function refuseUnknownDimensions(content: unknown): void {
  const { dimensions, manifests, chart } = (content ?? {}) as Partial<Record<string, unknown>>;
  const isForeign = manifests !== undefined || chart !== undefined;
  checkEach(Object.keys(Object(dimensions) as object), (name) => {
    if (isForeign) foreignSettings({ [name]: 1 }, typeof chart === 'string' ? { chart } : {});
    else refuseUnknownKeys(nestValues(translateDimensions({ [name]: 1 }, 'regular')), 'dimensions');
  });
}

/** Types of YAML in plain words. */
const NOUNS: Record<string, string> = {
  array: 'a list, such as [1, 2]',
  object: 'a section of keys',
  record: 'a section of keys',
  string: 'text',
  number: 'a number',
};

function describeIssue(issue: z.core.$ZodIssue, content: unknown): string[] {
  const where = issue.path.join('.') || 'the plan';
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path.map(String));
    return issue.keys.map(
      (key) =>
        `unknown key "${[...issue.path, key].join('.')}"${didYouMean(key, known)} Known here: ${known.join(', ')}.`,
    );
  }
  if (issue.code !== 'invalid_type') return [`${where}: ${issue.message}.`];
  const allowed = NOUNS[issue.expected] ?? issue.expected;
  const given = valueAt(content, issue.path) ?? undefined;
  return given === undefined
    ? [`${where}: is missing; write ${allowed}. "n8n-capacity sweep --help" shows a plan.`]
    : [`${where}: ${JSON.stringify(given)} is not allowed; write ${allowed}.`];
}

function valueAt(content: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], content);
}

const isSection = (name: string): name is keyof typeof Section => name in Section;

function knownKeys([section]: string[]): string[] {
  if (section === undefined) return Object.keys(SweepFile.shape);
  return isSection(section) ? Object.keys(Section[section].shape) : section === 'noise' ? ['runs'] : [];
}
