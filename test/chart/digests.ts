import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { chart, type Manifest } from './render.js';

/** Path of each file that the chart copies into objects, by its content: the files have tests of their own. */
const copied = new Map(
  // The last two are links, which a recursive listing does not follow.
  ['files', 'files/loadtests', 'files/workflows']
    .map((folder) => join(chart, folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => [readFileSync(path, 'utf8'), relative(chart, path)]),
);

const { appVersion: APP_VERSION } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as { appVersion: string };

/** Replaces what changes without a change of the templates; sorts keys, since YAML maps have no order. */
function normalised(value: any, key = ''): any {
  if (Array.isArray(value)) return value.map((item) => normalised(item));
  if (value !== null && typeof value === 'object') {
    // A digest of all that load targets are made of, including the built node package.
    if (value.name === 'CONTENT') return { name: value.name, value: 'digest' };
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((name) => [name, normalised(value[name], name)]),
    );
  }
  if (typeof value !== 'string') return value;
  // The version of n8n that the chart deploys.
  if (value === APP_VERSION || value.endsWith(`:${APP_VERSION}`)) return value.replace(APP_VERSION, 'appVersion');
  // The version of the chart, which each release raises.
  if (key === 'helm.sh/chart') return value.replace(/-\d.*$/, '');
  // Names of Jobs end in a digest of their specification as text, with its whitespace and comments.
  const name = value.replace(/-(make-secret|loadtest)-[0-9a-f]{8}$/, '-$1-digest');
  return copied.get(value) ?? name;
}

/** A digest of each object, by its kind and name: equal if the templates render the same object. */
export const digests = (objects: Manifest[]): Record<string, string> =>
  Object.fromEntries(
    objects
      .map((object) => normalised(object))
      .map((object): [string, string] => [
        `${object.kind}/${object.metadata.name}`,
        createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, 16),
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
