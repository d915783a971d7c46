import { satisfies } from 'semver';
import { N8N_COMPONENTS } from '../../model/events.js';
import type { Change, LeftOut, Setting, Trade } from './record.js';

/** The facts that decide which settings can be tried. */
export interface Situation {
  n8n: string;
  mode: 'regular' | 'queue';
  /** As n8n calls it: `sqlite` or `postgresdb`. */
  database: string;
  /** The chart's values with those of the user; none of another chart. */
  values: Record<string, unknown>;
  /** The chart's values without those of the user; none of another chart. */
  defaults?: Record<string, unknown>;
  /** Of another chart's n8n: the variables of main, and the parts that can be overridden, such as `webhooks`. */
  other?: Record<string, string>;
  /** The costs that the user accepts. */
  accept: Trade[];
}

/** Candidates for each setting. More would exclude each other in most trials. */
const MAX_CANDIDATES = 2;
/** What is tried unless the user accepts more. */
const ALWAYS_ACCEPTED: Trade[] = ['nothing', 'memory'];

/** The changes that can be tried here, the most promising first, and the settings that cannot, with the reason. */
export function selectChanges(settings: Setting[], situation: Situation): { changes: Change[]; leftOut: LeftOut[] } {
  const changes: Change[] = [];
  const leftOut: LeftOut[] = [];
  for (const setting of settings.filter((each) => appliesTo(each, situation))) {
    const { id, title } = setting;
    const reason = findObstacle(setting, situation);
    if (reason !== undefined) leftOut.push({ setting: id, title, reason });
    else changes.push(...valuesToTry(setting, situation).map((to) => makeChange(setting, to, situation)));
  }
  return { changes, leftOut };
}

/** Whether the setting exists for such a deployment: values are those of our chart. */
const appliesTo = ({ value, other, cannot }: Setting, { other: ofOther }: Situation): boolean =>
  cannot !== undefined || (ofOther ? value === undefined : other === undefined);

function findObstacle(setting: Setting, situation: Situation): string | undefined {
  const { n8n, mode, database, values, other, accept } = situation;
  if (setting.cannot !== undefined) return setting.cannot;
  if (!setting.modes.includes(mode)) return `only in ${setting.modes.join(' or ')} mode`;
  if (setting.database !== undefined && setting.database !== chartName(database))
    return `only with ${setting.database}`;
  if (!satisfies(n8n, setting.n8n, { includePrerelease: true }))
    return `only in n8n ${setting.n8n}, and this is ${n8n}`;
  if (![...ALWAYS_ACCEPTED, ...accept].includes(setting.trades))
    return `it costs ${setting.trades}; to try it, add --accept ${setting.trades}`;
  if (setting.env !== undefined && [...givenNames(values), ...Object.keys(other ?? {})].includes(setting.env))
    return `your values set ${setting.env} already`;
  return valuesToTry(setting, situation).length > 0
    ? undefined
    : `${setting.other ?? setting.value} is ${String(currentValue(setting, situation))} already`;
}

/** The values to try instead of the current one. */
function valuesToTry(setting: Setting, situation: Situation): Scalar[] {
  const now = currentValue(setting, situation);
  const own = findDefault(setting, situation);
  return [...new Set([...(own === undefined ? [] : [own]), ...setting.candidates])]
    .filter((to) => isUsefulChange(setting, to, now))
    .slice(0, MAX_CANDIDATES);
}

type Scalar = Setting['candidates'][number];

/** The chart's default, which the user's values may have replaced by something slower; undefined where the chart computes it. */
function findDefault({ value, oneWay }: Setting, { defaults }: Situation): Scalar | undefined {
  const found = value !== undefined && !oneWay && defaults ? valueAt(defaults, value) : undefined;
  return ['string', 'number', 'boolean'].includes(typeof found) ? (found as Scalar) : undefined;
}

/** Whether a candidate differs from what is set now, to the side that the setting is about. */
function isUsefulChange({ side }: Setting, to: Scalar, now: unknown): boolean {
  if (String(to) === String(now)) return false;
  const [before, after] = [parseAmount(now), parseAmount(to)];
  if (side === undefined || before === undefined || after === undefined) return true;
  return side === 'more' ? after > before : after < before;
}

/** Factors of PostgreSQL's units of memory. */
const UNITS: Record<string, number> = { '': 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** A number, or an amount of memory as PostgreSQL writes it; undefined for anything else. */
function parseAmount(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(kB|MB|GB|TB|)$/.exec(String(value)) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit!]!;
}

/** The current value of a setting; undefined if nothing sets it. */
const currentValue = (
  { value, other: name }: Setting,
  { values, other }: Pick<Situation, 'values' | 'other'>,
): unknown => (name === undefined ? value && valueAt(values, value) : other?.[name]);

const chartName = (database: string): string => (database === 'sqlite' ? 'sqlite' : 'postgresql');

function makeChange(setting: Setting, to: Scalar, situation: Situation): Change {
  const { id, trades, value, env, other, excludes, with: others } = setting;
  const name = (value ?? env ?? other)!;
  const isDefault = to === findDefault(setting, situation);
  const base = {
    id: `${id}=${String(to)}`,
    setting: id,
    title: isDefault ? `${name} has the chart's default` : setting.title,
    trades,
    name,
    to,
    ...(excludes !== undefined && { group: excludes }),
  };
  if (situation.other) return { ...base, values: {}, overrides: { [name]: to } };
  return {
    ...base,
    values: { ...others, ...(value !== undefined && { [value]: to }) },
    ...(env !== undefined && { env: { name: env, value: String(to) } }),
  };
}

/** A variable with its value, as the chart's `extraEnv` has it. */
interface Variable {
  name: string;
  [field: string]: unknown;
}

/** The variables that the user's values give to every container of n8n. */
export const givenVariables = (values: Record<string, unknown>): Variable[] =>
  (values.extraEnv as Variable[] | undefined) ?? [];

/** Names of the variables that the user's values give to any container. */
function givenNames(values: Record<string, unknown>): string[] {
  const components = N8N_COMPONENTS.map((name) => values[name] as Record<string, unknown> | undefined);
  return [values, ...components].flatMap((of) => (of ? givenVariables(of).map(({ name }) => name) : []));
}

/** The value at a dotted path; undefined if unset. */
function valueAt(values: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], values);
}
