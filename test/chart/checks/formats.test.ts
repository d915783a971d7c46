import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, refusals, type Values } from '../render.js';
import { type Case, tests } from './cases.js';

interface Format {
  is: string;
  pattern: string;
  values: string[];
}
const formats: Format[] = parse(readFileSync(join(chart, 'files/formats.yaml'), 'utf8'));
const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));

/** Values with a text at a path of files/formats.yaml, and the path that the chart names. */
function at(path: string, text: string): { values: Values; named: string } {
  let [value, named]: [unknown, string] = [text, ''];
  for (const part of path.split('.').reverse()) {
    const [, name, into = ''] = /^([A-Za-z0-9]+)(.*)$/.exec(part)!;
    const key = into === '{key}' ? text : 'k';
    const [inner, step] = into === '[]' ? [[value], '[0]'] : into ? [{ [key]: value }, `.${key}`] : [value, ''];
    [value, named] = [{ [name!]: inner }, `${name}${step}${named && `.${named}`}`];
  }
  return { values: value as Values, named };
}

const DIGEST = `sha256:${'0a'.repeat(32)}`;

/** What no format takes, as far as the schema lets it pass. */
const BAD = 'a b\t:/!';

await tests('_formats.tpl', [
  ['format', 'main.resources.limits.memory=2 GB', at('main.resources.limits.memory', '2 GB').values, '512Mi or 2Gi'],
  ['format', 'webhookUrl=n8n.example.com', { webhookUrl: 'n8n.example.com' }, 'https://n8n.example.com/'],
  ['format', 'ingress.hosts[0]=https://a.b', at('ingress.hosts[]', 'https://a.b').values, 'without scheme'],
  ['format', 'image.digest=abc', { image: { digest: 'abc', version: '2.41.1' } }, 'sha256:'],
  // Nothing of a password is shown, whatever is in it.
  ...['b', 'b@e', 'b e', 'b?e', 'b#e', 'b\ne'].map((password): Case => [
    'format',
    'webhookUrl=https://***@c.d/',
    { webhookUrl: `https://a:${password}@c.d/` },
  ]),
  ['format', 'webhookUrl=https://***@c.d/', { webhookUrl: 'https://a@c.d/' }, 'without user'],
  ['format', 'editorUrl=https://c.d/?***', { editorUrl: 'https://c.d/?token=a\nb' }, 'and query'],
  ['format', 'editorUrl=https://c.d/#***', { editorUrl: 'https://c.d/#token=a' }],
  // Without a scheme, too.
  ...['b', 'b@e', 'b e', 'b/e', '/b', 'b=e', 'b://e', 'b\ne', ''].map((password): Case => [
    'format',
    'binaryData.s3.host=***@c.d:9000/e',
    at('binaryData.s3.host', `a:${password}@c.d:9000/e`).values,
  ]),
  ['format', 'externalRedis.cluster.nodes[0]=***@r:6379', at('externalRedis.cluster.nodes[]', 'a:b@r:6379').values],
  // Nothing of these is secret.
  ...[`n8n@${DIGEST}`, `r.example.com:5000/n8n@${DIGEST}`, `n8n:2.41.1@${DIGEST}`, 'n8n:2.41.1', 'me@example.com'].map(
    (image): Case => ['format', `image.repository=${image}`, at('image.repository', image).values],
  ),
  ['format', 'hostAliases[0].ip=10.0.0.256', { hostAliases: [{ ip: '10.0.0.256', hostnames: ['a'] }] }],
  ['format', 'extraEnv[0].name=A B', { extraEnv: [{ name: 'A B', value: 'c' }] }, 'letters, digits and _'],
  // Templates made an object without a name of the first one, and failed without words at the second.
  ['format', 'fullnameOverride=null', { fullnameOverride: 'null' }, 'YAML'],
  ['format', 'fullnameOverride={{ .Release.Name }}', { fullnameOverride: '{{ .Release.Name }}' }, 'small letters'],
  ['format', 'loadTest.env.seconds=seconds', { loadTest: { env: { seconds: '5' } } }, 'SECONDS'],
] satisfies Case[]);

/** What the schema asks for beside the texts. */
const complete = (values: any): Values => {
  for (const list of [values, values.main, values.worker, values.webhook, values.taskRunners])
    for (const variable of list.extraEnv) variable.value = 'x';
  for (const { extraContainers, extraInitContainers } of [values.main, values.worker, values.webhook])
    for (const container of [...extraContainers, ...extraInitContainers]) container.image = 'x:1';
  for (const recorded of Object.values<any>(values.capacity.recordedRate)) recorded.rate = 1;
  return values;
};

/** `other` over `one`; lists by their entries. */
const merged = (one: any, other: any): any =>
  typeof one === 'object' && typeof other === 'object'
    ? Object.entries(other).reduce(
        (all, [key, value]) => {
          all[key] = key in all ? merged(all[key], value) : value;
          return all;
        },
        Array.isArray(one) ? [...one] : { ...one },
      )
    : other;

const paths = formats.flatMap(({ values }) => values.map((path) => at(path, BAD)));
const everywhere = await refusals(complete(paths.reduce((all, { values }) => merged(all, values), {})));

it.each(paths)('$named is looked at', ({ named }) => {
  expect(everywhere.map(({ code, value }) => ({ code, value }))).toContainEqual({
    code: 'format',
    value: `${named}=${BAD}`,
  });
});

it('accepts the example of each format', () => {
  for (const { is, pattern } of formats) {
    const [, example] = /for example (?:")?([^ ,"]+?)"?(?: \(| or |$)/.exec(is) ?? [];
    if (example) expect({ example, taken: new RegExp(pattern).test(example) }).toEqual({ example, taken: true });
    expect(new RegExp(pattern).test(BAD)).toBe(false);
  }
});

it('leaves no pattern to the schema, whose error would show it', () => {
  const patterns = (node: unknown): string[] =>
    node !== null && typeof node === 'object'
      ? Object.entries(node).flatMap(([key, inner]) =>
          key === 'pattern' && typeof inner === 'string' ? [inner] : patterns(inner),
        )
      : [];
  expect(patterns(schema)).toEqual([]);
});

describe('a name, an amount and a label have a format wherever they are', () => {
  /** The form in files/formats.yaml of what has such a name in the values. */
  const FORMS: Record<string, string[]> = {
    ...Object.fromEntries(
      ['existingSecret', 'existingSecretKey', 'key', 'priorityClassName', 'storageClass', 'repository', 'digest'].map(
        (name) => [name, ['']],
      ),
    ),
    ...Object.fromEntries(['nodeSelector', 'podLabels', 'labels'].map((name) => [name, ['{key}', '{}']])),
    annotations: ['{key}'],
    podAnnotations: ['{key}'],
  };
  const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as object;
  const known = new Set(formats.flatMap((format) => format.values));
  const paths = (value: object, path: string[] = []): string[][] =>
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const here = [...path, name];
      return [
        here,
        ...(inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? paths(inner, here) : []),
      ];
    });
  const wanted = paths(values).flatMap((path) => {
    if (path.at(-1) === 'resources')
      return ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'].map((of) => [...path, of].join('.'));
    return (FORMS[path.at(-1)!] ?? []).map((form) => path.join('.') + form);
  });

  it.each(wanted)('%s', (path) => {
    expect(known).toContain(path);
  });
});
