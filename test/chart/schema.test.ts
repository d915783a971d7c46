import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, failure, text as rendered, valuesFiles, valuesOf, type Values } from './render.js';

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

/** Of a chart that includes this one: they configure nothing here. */
const isForUmbrella = (path: string): boolean => ['global', 'enabled'].includes(path);

it('knows every value of values.yaml, and no other', () => {
  const known = objects(schema).flatMap(([path, node]) =>
    Object.entries<any>(node.properties)
      .filter(([, inner]) => !inner.properties && !inner.deprecated)
      .map(([key]) => (path ? `${path}.${key}` : key)),
  );
  expect(known.filter((path) => !isForUmbrella(path)).sort()).toEqual(paths(defaults, schema).sort());
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
      .filter(([key, inner]) => !inner.properties && !inner.deprecated && !isForUmbrella(path ? `${path}.${key}` : key))
      .map(([key, inner]) => [path ? `${path}.${key}` : key, inner.description] as const),
  );
  expect(Object.fromEntries(comments())).toEqual(Object.fromEntries(descriptions));
});

it('cites docs/tuning.md only for values of which it shows that another one costs throughput or fails', () => {
  const tuning = readFileSync(join(chart, '../../docs/tuning.md'), 'utf8');
  const cited = [...comments()].filter(([, comment]) => comment.includes('docs/tuning.md')).map(([path]) => path);
  expect(cited.length).toBeGreaterThan(0);
  // A row of its table: `path` = candidate, an effect below zero, and an interval that has no end above it.
  const costs = [...tuning.matchAll(/^\| `([\w.]+)` = \S+ +\| −[\d.]+ % \(−[\d.]+ to −[\d.]+\)/gm)].map(
    ([, path]) => path,
  );
  // In its text: `path` = candidate, the effect, and how many trials with it failed.
  const fails = [...tuning.matchAll(/`([\w.]+)` = [^;`]+, \d+ of \d+ trials failed/g)].map(([, path]) => path);
  expect([...costs, ...fails]).toEqual(expect.arrayContaining(cited));
});

const isEmpty = (value: unknown): boolean =>
  [null, undefined, ''].includes(value as null) || (typeof value === 'object' && Object.keys(value!).length === 0);

const at = (values: any, path: string[]): any => path.reduce((inner, key) => inner?.[key], values);

/**
 * Paths below which an empty key is a choice: no limit, or no request. Where the chart needs the number, a check refuses the
 * empty key (test/chart/checks).
 */
const isResource = (path: string[]): boolean => path.includes('resources');

/** An empty key (`concurrency:`) deletes the default, and a template would make 0 or "" of it. */
describe('an empty key', () => {
  const properties = objects(schema).flatMap(([path, node]) =>
    Object.keys(node.properties).map((key) => ({
      path: path ? [...path.split('.'), key] : [key],
      required: (node.required ?? []).includes(key) as boolean,
      deprecated: node.properties[key].deprecated as boolean | undefined,
    })),
  );
  const needed = properties.filter(({ path }) => !isResource(path) && !isEmpty(at(defaults, path)));

  it('is refused where the default is not empty, for every value', () => {
    expect(needed.length).toBeGreaterThan(150);
    expect(needed.filter(({ required }) => !required)).toEqual([]);
  });

  it('is refused by helm, which names the value', async () => {
    const error = await failure({ worker: { concurrency: null }, image: { repository: null }, redis: null });
    expect(error).toContain("at '/worker': missing property 'concurrency'");
    expect(error).toContain("at '/image': missing property 'repository'");
    expect(error).toContain("at '': missing property 'redis'");
  });

  const optional = properties
    .filter(({ path, required, deprecated }) => !required && !deprecated && !isResource(path))
    .filter(({ path }) => !isForUmbrella(path.join('.')))
    .map(({ path }) => path);

  it.each(['defaults', ...valuesFiles()])('equals the default everywhere else: %s', (file) => {
    const values = file === 'defaults' ? {} : valuesOf(file);
    const emptied = structuredClone(values) as any;
    for (const path of optional.filter((one) => at(values, one) === undefined)) {
      let inner = emptied;
      for (const key of path.slice(0, -1)) inner = inner[key] ??= {};
      inner[path.at(-1)!] = null;
    }
    expect(rendered(emptied)).toEqual(rendered(values));
  });
});

/** Values that are wrong in many places, and what helm must name, each place in the one refusal of all. */
const typos = {
  imge: {},
  executions: { modus: 'queue', own: { childs: 4 } },
  main: { resource: {}, resources: { limits: { ram: '1Gi' } }, replicas: 2 },
  worker: {
    concurency: 5,
    autoscaling: { behavior: { scaledown: {} }, metrics: [{ type: 'Resource', resources: {} }] },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelselector: {} },
    ],
  },
  webhook: { heap: { runner: 100 } },
  heap: { headroom: { main: 100 } },
  externalPostgresql: { tls: { enable: true } },
  extraEnv: [{ name: 'A', val: 'b' }],
  tolerations: [{ keys: 'dedicated' }],
  affinity: { nodeAffinty: {} },
  hostAliases: [{ ip: '192.0.2.10', hostname: 'a' }],
  dnsConfig: { nameserver: '192.0.2.53' },
  securityContext: { pod: { runAsUsr: 5 }, container: { capabilities: { Drop: [] } } },
  networkPolicy: {
    egress: [{ ports: [{ ports: 443 }] }],
    httpFrom: [{ namespaceSelector: { 'kubernetes.io/metadata.name': 'ingress' } }],
  },
  gateway: { parentRefs: [{ name: 'g', sectionname: 'x' }] },
  metrics: { serviceMonitor: { relabelings: [{ actions: 'drop' }] } },
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
    ["at '/tolerations/0': additional properties 'keys'"],
    ["at '/affinity': additional properties 'nodeAffinty'"],
    ["at '/hostAliases/0': additional properties 'hostname'"],
    ["at '/dnsConfig': additional properties 'nameserver'"],
    ["at '/securityContext/pod': additional properties 'runAsUsr'"],
    ["at '/securityContext/container/capabilities': additional properties 'Drop'"],
    ["at '/networkPolicy/egress/0/ports/0': additional properties 'ports'"],
    // Without matchLabels a server that drops unknown fields lets everyone in.
    ["at '/networkPolicy/httpFrom/0/namespaceSelector': additional properties 'kubernetes.io/metadata.name'"],
    ["at '/gateway/parentRefs/0': additional properties 'sectionname'"],
    ["at '/metrics/serviceMonitor/relabelings/0': additional properties 'actions'"],
    ["at '/worker/autoscaling/behavior': additional properties 'scaledown'"],
    ["at '/worker/autoscaling/metrics/0': additional properties 'resources'"],
    ["at '/worker/topologySpreadConstraints/0': additional properties 'labelselector'"],
  ])('%s', (named) => expect(ofTypos).toContain(named));
});

const wrong: Values = {
  executions: { mode: 'cluster', process: 'fork', own: { children: 0 }, data: { saveOnSuccess: 'some' } },
  image: { tag: 2.41, digest: 5, pullPolicy: 'Sometimes' },
  worker: { replicas: 0, concurrency: '10' },
  webhook: { replicas: -1 },
  main: { resources: { limits: { memory: true } }, heap: { n8n: '512Mi' } },
  heap: { runnerShare: 100 },
  webhookUrl: 5678,
  database: { type: 'mysqldb' },
  externalPostgresql: { host: ['pg'] },
  externalRedis: { port: 70000 },
  extraEnv: [{ name: 5, value: 'c' }, { name: 'A', value: [] }, { name: 'A' }],
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
    // Names of a Secret, of a key in one, or of a file.
    !/^existing|secret$|secret(Name|Key|Ref)s?$|File$/i.test(key) &&
    !inner.properties &&
    [inner.type].flat().includes('string')
      ? [[...path, key].join('.')]
      : []),
    ...secretValues(inner, [...path, key]),
  ]);
}

it('lets a condition of an umbrella chart pass', () => {
  expect(rendered({ enabled: true, global: { any: 'thing' } })).toEqual(rendered());
});

it('accepts no secret as a value, since values are stored in the release and in Git', () => {
  expect(secretValues(schema)).toEqual([]);
});
