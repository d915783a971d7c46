import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, type Manifest, queue, render, type Values, valuesFiles } from './render.js';

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));

/** Dotted paths of the values that name a secret's content (and not a Secret, nor a key in one). */
function secretValues(node: any, path: string[] = []): string[] {
  return Object.entries<any>(node.properties ?? {}).flatMap(([key, inner]) => [
    ...(/password|passphrase|token|credential|apiKey|accessKey|encryptionKey|licen[cs]eKey/i.test(key) &&
    // These name a Secret, or a key in one.
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

const SECRET =
  /(?:PASSWORD|PASS|ENCRYPTION_KEY|TOKEN|SECRET|ACCESS_KEY|CREDENTIALS?|LICENSE_ACTIVATION_KEY|REDISCLI_AUTH)$/;
// Names of Secrets, files and settings, not secrets.
const NONE = new Set(['SECRET_NAME']);

/** Every container of every pod of the objects. */
const containers = (objects: Manifest[]): any[] =>
  objects
    .map(({ kind, spec }) => (kind === 'Pod' ? spec : (spec?.jobTemplate?.spec.template.spec ?? spec?.template?.spec)))
    .flatMap((spec) => (spec ? [...(spec.initContainers ?? []), ...(spec.containers ?? [])] : []));

const leaves = (value: unknown): unknown[] =>
  value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [value];

const all: [string, Values][] = [
  ...valuesFiles().map((file): [string, Values] => [file, parse(readFileSync(join(chart, file), 'utf8')) ?? {}]),
  ['everything by the chart’s own means', queue({ metrics: { enabled: true } })],
];

describe.each(all)('%s', (_name, values) => {
  const objects = render(values);

  it('has no secret in the environment, but by reference', () => {
    const literal = containers(objects)
      .flatMap((container) => container.env ?? [])
      .filter(({ name, value }: any) => SECRET.test(name) && !NONE.has(name) && value !== undefined)
      // $(NAME) is put in by the kubelet, from a variable that is a reference itself.
      .filter(({ value }: any) => value !== '' && !/^\$\([A-Z_]+\)$/.test(value));
    expect(literal).toEqual([]);
  });

  it('has no secret in arguments and commands', () => {
    for (const { command = [], args = [] } of containers(objects)) {
      for (const word of [...command, ...args]) {
        expect(word).not.toMatch(/(password|token|secret|key)=(?!\$)[^\s$"']+/i);
        // $(NAME) in an argument shows the secret to everybody who may list processes or pods.
        expect(word).not.toMatch(/\$\([A-Z_]*(PASSWORD|TOKEN|ENCRYPTION_KEY)\)/);
      }
    }
  });

  it('has no Secret with content, and nothing that looks like a key in a ConfigMap', () => {
    for (const object of objects.filter(({ kind }) => kind === 'Secret')) {
      expect(leaves([object.data ?? {}, object.stringData ?? {}])).toEqual([]);
    }
    for (const { data = {} } of objects.filter(({ kind }) => kind === 'ConfigMap')) {
      for (const text of Object.values<string>(data)) expect(text).not.toMatch(/-----BEGIN [A-Z ]*PRIVATE KEY-----/);
    }
  });

  it('gives a service account’s token to the Job that makes the Secret, and to nobody else', () => {
    const withToken = objects.filter(
      ({ spec }) => spec?.template?.spec?.containers && spec.template.spec.automountServiceAccountToken !== false,
    );
    expect(withToken.map(({ kind, metadata }) => `${kind} ${metadata.labels['app.kubernetes.io/component']}`)).toEqual(
      objects.some(({ metadata }) => metadata.annotations?.['n8n-tuned.io/makes-secret']) ? ['Job make-secret'] : [],
    );
  });
});
