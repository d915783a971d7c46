import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, failure, type Values } from './render.js';

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
const text = readFileSync(join(chart, 'values.yaml'), 'utf8');
const defaults = parse(text) as Values;

const isMap = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0;

/** Dotted paths of all leaves. */
const leaves = (value: unknown, path: string[] = []): string[] =>
  isMap(value) ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key])) : [path.join('.')];

/** Dotted paths of the values: leaves, and maps whose keys are the user's (labels, say), for which the schema has no names. */
const paths = (value: unknown, node: any, path: string[] = []): string[] =>
  isMap(value) && (node === undefined || node.properties)
    ? Object.entries(value).flatMap(([key, inner]) => paths(inner, node?.properties[key], [...path, key]))
    : [path.join('.')];

/** Every object schema under the root, with its path. */
const objects = (node: any, path: string[] = []): [string, any][] =>
  node?.properties
    ? [[path.join('.'), node], ...Object.entries(node.properties).flatMap(([k, v]) => objects(v, [...path, k]))]
    : [];

const described = (node: any, path: string[] = []): string[] =>
  Object.entries<any>(node.properties ?? {}).flatMap(([key, inner]) => [
    ...(inner.description ? [] : [[...path, key].join('.')]),
    ...described(inner, [...path, key]),
  ]);

it('knows every value of values.yaml, and no other', () => {
  const known = objects(schema).flatMap(([path, node]) =>
    Object.entries<any>(node.properties)
      .filter(([, inner]) => !inner.properties)
      .map(([key]) => (path ? `${path}.${key}` : key)),
  );
  expect(known.filter((path) => path !== 'global').sort()).toEqual(paths(defaults, schema).sort());
});

it('refuses unknown keys at every level', () => {
  expect(objects(schema).filter(([, node]) => node.additionalProperties !== false)).toEqual([]);
});

it('describes every value', () => expect(described(schema)).toEqual([]));

/** The comment (`# --` and the lines that go on) above each value of values.yaml, by the value's path. */
function comments(): Map<string, string> {
  const found = new Map<string, string>();
  const path: string[] = [];
  let comment: string[] = [];
  for (const line of text.split('\n')) {
    const [, indent, key] = /^( *)([A-Za-z0-9]+):/.exec(line) ?? [];
    const [, first] = /^ *# -- (.*)$/.exec(line) ?? [];
    const [, more] = /^ *# ?(.*)$/.exec(line) ?? [];
    if (first !== undefined) comment = [first];
    else if (more !== undefined && comment.length > 0) comment.push(more);
    else if (key !== undefined) {
      path.splice(indent!.length / 2, Infinity, key);
      if (comment.length > 0) found.set(path.join('.'), comment.map((part) => part.trim()).join(' '));
      comment = [];
    }
  }
  return found;
}

it('describes every value as the comment above it in values.yaml does', () => {
  const descriptions = objects(schema).flatMap(([path, node]) =>
    Object.entries<any>(node.properties)
      .filter(([key, inner]) => !inner.properties && key !== 'global')
      .map(([key, inner]) => [path ? `${path}.${key}` : key, inner.description] as const),
  );
  expect(Object.fromEntries(comments())).toEqual(Object.fromEntries(descriptions));
});

/** Values that are wrong in many places, and what helm must name, each place in the one refusal of all. */
const typos = {
  imge: {},
  executions: { modus: 'queue', own: { childs: 4 } },
  main: { resource: {}, resources: { limits: { ram: '1Gi' } }, replicas: 2 },
  worker: { concurency: 5 },
  webhook: { heap: { runner: 100 } },
  heap: { headroom: { main: 100 } },
  externalPostgresql: { tls: { enable: true } },
  extraEnv: [{ name: 'A', val: 'b' }],
};
const ofTypos = await failure(typos);
describe('typos', () => {
  it.each([
    ["at '': additional properties 'imge'"],
    ["at '/executions': additional properties 'modus'"],
    ["at '/executions/own': additional properties 'childs'"],
    ["at '/main': additional properties 're"],
    ["at '/main/resources/limits': additional properties 'ram'"],
    ["at '/worker': additional properties 'concurency'"],
    ["at '/webhook/heap': additional properties 'runner'"],
    ["at '/heap/headroom': additional properties 'main'"],
    ["at '/externalPostgresql/tls': additional properties 'enable'"],
    ["at '/extraEnv/0': additional properties 'val'"],
  ])('%s', (named) => expect(ofTypos).toContain(named));
});

const wrong: Values = {
  executions: { mode: 'cluster', process: 'fork', own: { children: 0 }, data: { saveOnSuccess: 'some' } },
  image: { tag: 2.41, digest: 'abc', pullPolicy: 'Sometimes' },
  worker: { replicas: 0, concurrency: '10' },
  webhook: { replicas: -1 },
  main: { resources: { limits: { memory: '2 GB' } }, heap: { n8n: '512Mi' } },
  heap: { runnerShare: 100 },
  webhookUrl: 'n8n.example.com',
  database: { type: 'mysqldb' },
  externalPostgresql: { host: 'postgres://pg:5432' },
  externalRedis: { port: 70000 },
  extraEnv: [{ name: 'A B', value: 'c' }, { name: 'A', value: 1 }, { name: 'A' }],
};
const ofWrong = await failure(wrong);
describe('values out of their range', () => {
  it.each(leaves(wrong).filter((path) => path !== 'extraEnv'))('%s', (path) => {
    expect(ofWrong).toContain(`at '/${path.replaceAll('.', '/')}'`);
  });
  it.each(['0/name', '1/value', '2'])('extraEnv/%s', (path) => expect(ofWrong).toContain(`at '/extraEnv/${path}'`));
});

/** Dotted paths of the values that name a secret's content (and not a Secret, nor a key in one). */
function secretValues(node: any, path: string[] = []): string[] {
  return Object.entries<any>(node.properties ?? {}).flatMap(([key, inner]) => [
    ...(/password|passphrase|token|credential|apiKey|accessKey|encryptionKey|licen[cs]eKey/i.test(key) &&
    // Paths that name a Secret, or a key in one.
    !/^existing|secret$|secret(Name|Key|Ref)s?$/i.test(key) &&
    !inner.properties &&
    [inner.type].flat().includes('string')
      ? [[...path, key].join('.')]
      : []),
    ...secretValues(inner, [...path, key]),
  ]);
}

it('takes no secret as a value: values are stored in the release, and in Git', () => {
  expect(secretValues(schema)).toEqual([]);
});
