import semver from 'semver';
import { UsageError } from '../core/errors.js';
import type { Foreign, Values } from '../model/plan.js';
import type { ValidateOptions } from './options.js';
import { readValuesFile } from './values.js';

type Given = Pick<ValidateOptions, 'values' | 'set' | 'manifests' | 'chart' | 'n8n'>;

/** The other chart, or its manifests, if one is given. Throws UsageError. */
export function foreignFrom({ values, set, manifests, chart, n8n }: Given): Foreign | undefined {
  if (manifests === undefined && chart === undefined) {
    if (n8n === undefined) return undefined;
    throw new UsageError(`--n8n ${n8n}: only with --manifests or --chart; for the chart of n8n-tuned, set image.tag.`);
  }
  if (manifests !== undefined && chart !== undefined)
    throw new UsageError('--manifests and --chart exclude each other; give one.');
  if (manifests !== undefined && (values !== undefined || set !== undefined))
    throw new UsageError('--manifests: is rendered already; give -f and --set to the chart that renders it.');
  if (n8n !== undefined && semver.valid(n8n) === null)
    throw new UsageError(`--n8n ${n8n}: is not a version of n8n; write one such as 2.41.1.`);
  return {
    ...(manifests !== undefined && { manifests }),
    ...(chart !== undefined && { chart }),
    ...(n8n !== undefined && { n8n: semver.valid(n8n)! }),
  };
}

/** Values of another chart, whose keys only that chart knows. Throws UsageError if a file cannot be read. */
export function foreignValues({ values: files = [], set = [] }: Given): Values {
  for (const file of files) readValuesFile(file);
  return { files, set };
}
