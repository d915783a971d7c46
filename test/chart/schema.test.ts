import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, refusals, type Values } from './render.js';

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
const text = readFileSync(join(chart, 'values.yaml'), 'utf8');
const defaults = parse(text) as Values;

/** Dotted paths of all leaves. */
const leaves = (value: unknown, path: string[] = []): string[] =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
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
  expect(known.filter((path) => path !== 'global').sort()).toEqual(leaves(defaults).sort());
});

it('refuses unknown keys at every level', () => {
  expect(objects(schema).filter(([, node]) => node.additionalProperties !== false)).toEqual([]);
});

it('describes every value', () => expect(described(schema)).toEqual([]));

it('finds a comment above every value of values.yaml', () => {
  const lines = text.split('\n');
  const values = lines.flatMap((line, i) => (/^ *[A-Za-z0-9]+: *\S/.test(line) ? [[line.trim(), i] as const] : []));
  expect(values.length).toBe(leaves(defaults).length);
  for (const [line, i] of values) {
    let above = i - 1;
    while (/^ *# (?!--)/.test(lines[above]!)) above--;
    expect(`${lines[above]!.trim().slice(0, 4)} of ${line}`).toBe(`# -- of ${line}`);
  }
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
describe('typos', () => {
  const [refusal] = refusals(typos);
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
  ])('%s', (named) => expect(refusal).toContain(named));
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
describe('values out of their range', () => {
  const [refusal] = refusals(wrong);
  it.each(leaves(wrong).filter((path) => path !== 'extraEnv'))('%s', (path) => {
    expect(refusal).toContain(`at '/${path.replaceAll('.', '/')}'`);
  });
  it.each(['0/name', '1/value', '2'])('extraEnv/%s', (path) => expect(refusal).toContain(`at '/extraEnv/${path}'`));
});
