import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, queue, type Values } from '../render.js';
import { type Case, tests } from './cases.js';

const others: Record<string, string> = parse(readFileSync(join(chart, 'files/other-names.yaml'), 'utf8'));
const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));

const given = (path: string, content: unknown = 'x'): Values =>
  path
    .split('.')
    .reverse()
    .reduce<unknown>((inner, key) => ({ [key]: inner }), content) as Values;

await tests('_other-names.tpl', [
  ...Object.keys(others).map((path): Case => ['name-of-another-chart', path, given(path), others[path]!]),
  [
    'host-is-an-object',
    'ingress.hosts[0]',
    { ingress: { enabled: true, hosts: [{ host: 'n8n.example.com', paths: [] }] } },
    'Write n8n.example.com',
  ],
  ...['ingress.webhooks.hosts', 'gateway.hostnames', 'gateway.webhooks.hostnames'].map((path): Case => [
    'host-is-an-object',
    `${path}[0]`,
    given(path, [{ host: 'n8n.example.com' }]),
    'Write n8n.example.com',
  ]),
  ['variable-is-no-string', 'extraEnv A', { extraEnv: [{ name: 'A', value: 5 }] }, 'value: "5"'],
  [
    'variable-is-no-string',
    'extraEnv PASSWORD',
    { extraEnv: [{ name: 'PASSWORD', value: 5 }] },
    'Put it into a Secret',
  ],
  [
    'variable-is-no-string',
    'worker.extraEnv A',
    queue({ worker: { extraEnv: [{ name: 'A', value: true }] } }),
    'boolean',
    'value: "true"',
  ],
]);

it('names every deprecated key of the schema, with an existing replacement', () => {
  const deprecated = (node: any, path: string[] = []): string[] =>
    Object.entries<any>(node.properties ?? {}).flatMap(([key, inner]) =>
      inner.deprecated ? [[...path, key].join('.')] : deprecated(inner, [...path, key]),
    );
  expect(deprecated(schema).sort()).toEqual(Object.keys(others).sort());
  for (const use of Object.values(others)) {
    const [first] = use.match(/^[A-Za-z.]+/)!;
    const value = first.split('.').reduce((node, key) => node?.properties?.[key], schema);
    expect({ use, value }).toMatchObject({ value: { description: expect.any(String) } });
    expect(value.deprecated).toBeUndefined();
  }
});
