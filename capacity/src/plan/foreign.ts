import semver from 'semver';
import { UsageError } from '../core/errors.js';
import type { Foreign, Values } from '../model/plan.js';
import { flag, type Naming, type ValidateOptions } from './options.js';
import { variablesGiven } from './overrides.js';
import { readValuesFile } from './values.js';

/** What says which other chart is deployed, and with what. */
export type ForeignOptions = Pick<ValidateOptions, 'values' | 'set' | 'manifests' | 'chart' | 'n8n' | 'env'>;

/**
 * The other chart, or its manifests, if one is given.
 * @param named how errors name the options
 * @throws UsageError
 */
export function foreignFrom(
  { values, set, manifests, chart, n8n, env }: ForeignOptions,
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
  if (manifests !== undefined && (values !== undefined || set !== undefined))
    throw new UsageError(
      `${named('manifests')}: is rendered already; give ${named('values')} and ${named('set')} to the chart that renders it.`,
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
export function foreignValues({ values: files = [], set = [] }: ForeignOptions): Values {
  for (const file of files) readValuesFile(file);
  return { files, set };
}
