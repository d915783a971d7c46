import type { DimensionValue } from '../model/sweep.js';
import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';

/** Values of the chart to set, by their paths. */
export type Settings = Record<string, DimensionValue>;

/** What a dimension's value means for the chart. `others` are the configuration's other dimensions by name. */
type Meaning = (value: DimensionValue, others: Record<string, DimensionValue>) => Settings;

/** The component that runs executions: workers in queue mode, else main. */
const runner = (others: Record<string, DimensionValue>, mode: string) =>
  (others.mode ?? mode) === 'queue' ? 'worker' : 'main';

/** Request and limit alike: what is paid for is what is measured under. */
const resource = (component: string, name: 'cpu' | 'memory', value: DimensionValue): Settings => ({
  [`${component}.resources.requests.${name}`]: value,
  [`${component}.resources.limits.${name}`]: value,
});

const path =
  (name: string): Meaning =>
  (value) => ({ [name]: value });

/** The usual dimensions by name. Any other name is a path into the chart's values, and is told by its dot. */
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
 * Dimensions of which more never takes less: what a configuration with more of them cannot take, one with less cannot
 * either. An assumption (workers that contend for a database can break it); a sweep that explores all does not make it.
 */
export const MONOTONE = ['workers', 'webhooks', 'instances', 'cpu', 'memory'];

/** Names of the usual dimensions, for messages and help. */
export const DIMENSION_NAMES = Object.keys(named('regular'));

/**
 * What a configuration sets in the chart.
 * @param mode `executions.mode` of the values that all configurations share
 * @throws UsageError for a name that is neither a usual dimension nor a path
 */
export function settingsOf(configuration: Record<string, DimensionValue>, mode: string): Settings {
  const known = named(mode);
  const settings: Settings = {};
  for (const [name, value] of Object.entries(configuration)) {
    const meaning = known[name] ?? (name.includes('.') ? path(name) : undefined);
    if (!meaning) {
      throw new UsageError(
        `dimensions.${name}: unknown dimension${didYouMean(name, DIMENSION_NAMES)} Known are ${DIMENSION_NAMES.join(', ')}, and any path into the chart's values, as worker.resources.limits.cpu.`,
      );
    }
    const { [name]: _, ...others } = configuration;
    Object.assign(settings, meaning(value, others));
  }
  return settings;
}

/** Nested values of the settings, as a values file has them. */
export function valuesOf(settings: Settings): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(settings)) {
    const keys = path.split('.');
    let inner = values;
    for (const key of keys.slice(0, -1)) inner = (inner[key] ??= {}) as Record<string, unknown>;
    inner[keys.at(-1)!] = value;
  }
  return values;
}
