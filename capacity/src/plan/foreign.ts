import semver from 'semver';
import { ASSIGNMENTS } from '../chart/values-flags.js';
import { checkEach } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import type { Foreign, Values } from '../model/plan.js';
import { flag, type Naming, type ValidateOptions, type ValuesOptions } from './options.js';
import { variablesGiven } from './overrides.js';
import { readValuesFile, valuesOf } from './values.js';

/** What says which other chart is deployed, and with what. */
export type ForeignOptions = ValuesOptions & Pick<ValidateOptions, 'manifests' | 'chart' | 'n8n' | 'env'>;

/**
 * The other chart, or its manifests, if one is given.
 * @param named how errors name the options
 * @throws UsageError
 */
export function foreignFrom(
  { manifests, chart, n8n, env, ...values }: ForeignOptions,
  named: Naming = flag,
): Foreign | undefined {
  if (manifests === undefined && chart === undefined) {
    if (env !== undefined)
      throw new UsageError(
        `--env ${env[0]!.split('=')[0]}: only with --manifests or --chart; for the chart of n8n-tuned, set extraEnv in a values file.`,
      );
    if (n8n === undefined) return undefined;
    throw new UsageError(
      `${named('n8n')} ${n8n}: only with ${named('manifests')} or ${named('chart')}; for the chart of n8n-tuned, set image.tag.`,
    );
  }
  if (manifests !== undefined && chart !== undefined)
    throw new UsageError(`${named('manifests')} and ${named('chart')} exclude each other; give one.`);
  if (values.profile !== undefined)
    throw new UsageError(
      `${named('profile')} ${values.profile}: is one of the chart of n8n-tuned; omit it with ${named(chart === undefined ? 'manifests' : 'chart')}.`,
    );
  const given = (['values', ...ASSIGNMENTS] as const).filter((option) => values[option] !== undefined);
  if (manifests !== undefined && given.length > 0)
    throw new UsageError(
      `${named('manifests')}: is rendered already; give ${given.map(named).join(' and ')} to the chart that renders it.`,
    );
  if (n8n !== undefined && semver.valid(n8n) === null)
    throw new UsageError(`${named('n8n')} ${n8n}: is not a version of n8n; write one such as 2.41.1.`);
  return {
    ...(manifests !== undefined && { manifests }),
    ...(chart !== undefined && { chart }),
    ...(n8n !== undefined && { n8n: semver.valid(n8n)! }),
    ...(env !== undefined && { overrides: variablesGiven(env) }),
  };
}

/** Values of another chart, whose keys only that chart knows. Throws UsageError if a file cannot be read. */
export function foreignValues(given: ValuesOptions): Values {
  checkEach(given.values ?? [], (file) => readValuesFile(file));
  return valuesOf(given);
}
