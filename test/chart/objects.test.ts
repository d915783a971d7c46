import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { chart, type Manifest, renderFor, type Values, valuesFiles } from './render.js';

/**
 * The objects that the chart renders from its defaults, each profile and each values file of ci/, as digests: a change of
 * the templates that is meant to change no object must change no digest. After an intended change of the objects:
 * `npm run chart:objects`.
 */
const RECORD = fileURLToPath(new URL('objects.json', import.meta.url));
/** Some objects depend on the Kubernetes version, and helm's default version changes with helm. */
const KUBERNETES = '1.33.0';

type Digests = Record<string, string>;

/** Path of each file that the chart copies into objects, by its content: the files have tests of their own. */
const copied = new Map(
  // The last two are links, which a recursive listing does not follow.
  ['files', 'files/loadtests', 'files/workflows']
    .map((folder) => join(chart, folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => [readFileSync(path, 'utf8'), relative(chart, path)]),
);

/** Replaces what changes without a change of the templates; keys are sorted, since YAML maps have no order. */
function normalised(value: any, key = ''): any {
  if (Array.isArray(value)) return value.map((item) => normalised(item));
  if (value !== null && typeof value === 'object') {
    // A digest of all that load targets are made of, the built node package among it.
    if (value.name === 'CONTENT') return { name: value.name, value: 'digest' };
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((name) => [name, normalised(value[name], name)]),
    );
  }
  if (typeof value !== 'string') return value;
  // The version of the chart, which each release raises.
  if (key === 'helm.sh/chart') return value.replace(/-\d.*$/, '');
  // Names of Jobs end in a digest of their specification as text, with its whitespace and comments.
  const name = value.replace(/-(make-secret|loadtest)-[0-9a-f]{8}$/, '-$1-digest');
  return copied.get(value) ?? name;
}

const digest = (object: Manifest) =>
  createHash('sha256')
    .update(JSON.stringify(normalised(object)))
    .digest('hex')
    .slice(0, 16);

const digests = (values: Values): Digests =>
  Object.fromEntries(
    renderFor(KUBERNETES, values)
      .map((object): [string, string] => {
        const { kind, metadata } = normalised(object);
        return [`${kind}/${metadata.name}`, digest(object)];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const rendered: Record<string, Digests> = { defaults: digests({}) };
for (const file of valuesFiles().sort()) {
  rendered[file] = digests((parse(readFileSync(join(chart, file), 'utf8')) ?? {}) as Values);
}
if (process.env.N8N_TUNED_WRITE === 'objects') writeFileSync(RECORD, JSON.stringify(rendered, null, 2) + '\n');
const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as typeof rendered;

it('are recorded for every values file', () => expect(Object.keys(recorded)).toEqual(Object.keys(rendered)));

it.each(Object.keys(recorded))('%s renders the recorded objects', (file) => {
  expect(rendered[file]).toEqual(recorded[file]);
});
