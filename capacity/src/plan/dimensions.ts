import type { DimensionValue } from '../model/dimensions.js';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';

/** Values of the chart to set, by their paths. */
export type Settings = Record<string, DimensionValue>;

/** The chart's values for a value of a dimension; `others` are the configuration's other dimensions by name. */
type Meaning = (value: DimensionValue, others: Record<string, DimensionValue>) => Settings;

/** The component that runs executions: workers in queue mode, else main. */
const runner = (others: Record<string, DimensionValue>, mode: string) =>
  (others.mode ?? mode) === 'queue' ? 'worker' : 'main';

/** Request and limit are equal, so that the measurement runs with exactly what is paid for. */
const resource = (component: string, name: 'cpu' | 'memory', value: DimensionValue): Settings => ({
  [`${component}.resources.requests.${name}`]: value,
  [`${component}.resources.limits.${name}`]: value,
});

const path =
  (name: string): Meaning =>
  (value) => ({ [name]: value });

/** The usual dimensions by name. Any other name with a dot is a path in the chart's values. */
const named = (mode: string): Record<string, Meaning> => ({
  mode: (value) => ({ 'executions.mode': value, ...(value === 'queue' && { 'database.type': 'postgresql' }) }),
  process: path('executions.process'),
  workers: path('worker.replicas'),
  webhooks: path('webhook.replicas'),
  instances: (value) => ({ 'worker.replicas': value, 'webhook.replicas': value }),
  concurrency: (value, others) => ({
    [runner(others, mode) === 'worker' ? 'worker.concurrency' : 'executions.concurrencyLimit']: value,
  }),
  cpu: (value, others) => resource(runner(others, mode), 'cpu', value),
  memory: (value, others) => resource(runner(others, mode), 'memory', value),
  heap: (value, others) => ({ [`${runner(others, mode)}.heap.n8n`]: value }),
  poolSize: path('database.poolSize'),
  expressionEngine: (value) => ({
    'expressionEngine.type': value,
    ...(value === 'legacy' && { 'expressionEngine.acceptLessSafe': true }),
  }),
  saving: path('executions.data.saveOnSuccess'),
  n8n: path('image.tag'),
});

/**
 * Dimensions in which more never sustains less: a rate that a configuration cannot sustain, one with less cannot either.
 * This is an assumption (workers that contend for a database can break it); a sweep with `explore: all` does not make it.
 */
export const MONOTONE = ['workers', 'webhooks', 'instances', 'cpu', 'memory'];

/** Whether a name is a path in the chart's values. An object cannot hold __proto__ as a key of its own. */
const isPath = (name: string) => name.includes('.') && !name.split('.').includes('__proto__');

/** Names of the usual dimensions. */
export const DIMENSION_NAMES = Object.keys(named('regular'));

/**
 * The chart's values that a configuration sets.
 * @param mode `executions.mode` of the values that all configurations share
 * @throws UsageError for a name that is neither a usual dimension nor has a dot
 */
export function translateDimensions(configuration: Record<string, DimensionValue>, mode: string): Settings {
  const known = named(mode);
  const settings: Settings = {};
  for (const [name, value] of Object.entries(configuration)) {
    const meaning = Object.hasOwn(known, name) ? known[name] : isPath(name) ? path(name) : undefined;
    if (!meaning) {
      throw new UsageError(
        `dimensions.${name}: unknown dimension${didYouMean(name, DIMENSION_NAMES)} Known: ${DIMENSION_NAMES.join(', ')}, and any path in the chart's values, such as worker.resources.limits.cpu.`,
      );
    }
    const { [name]: _, ...others } = configuration;
    Object.assign(settings, meaning(value, others));
  }
  return settings;
}

/** The settings as nested values, as in a values file. */
export function nestValues(settings: Settings): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(settings)) {
    const keys = path.split('.');
    let inner = values;
    for (const key of keys.slice(0, -1)) inner = (inner[key] ??= {}) as Record<string, unknown>;
    inner[keys.at(-1)!] = value;
  }
  return values;
}
