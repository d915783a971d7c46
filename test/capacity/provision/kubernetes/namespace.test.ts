import { isLeftOverNamespace, runNamespace } from '../../../../capacity/src/provision/kubernetes/namespace.js';

const dead = () => false;
const alive = () => true;
const { metadata } = runNamespace('this-host', 42);

test('the namespace of a run: names nobody else has, labels that Kubernetes takes, pods under the standard restricted', () => {
  expect(runNamespace().metadata.name).not.toBe(runNamespace().metadata.name);
  expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  for (const value of Object.values(runNamespace().metadata.labels)) expect(value).toMatch(/^[A-Za-z0-9][\w.-]{0,62}$/);
});

const cases: [string, Parameters<typeof isLeftOverNamespace>, boolean][] = [
  ['of this host, its process gone', [metadata, 'this-host', dead], true],
  ['its process lives', [metadata, 'this-host', alive], false],
  ['of another host', [metadata, 'another', dead], false],
  ['of another name', [{ ...metadata, name: 'production' }, 'this-host', dead], false],
  ['without labels', [{ name: metadata.name }, 'this-host', dead], false],
  [
    'made by something else',
    [{ ...metadata, labels: { ...metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' } }, 'this-host', dead],
    false,
  ],
  [
    'of no process',
    [{ ...metadata, labels: { ...metadata.labels, 'n8n-tuned.io/capacity-process': '' } }, 'this-host', dead],
    false,
  ],
];
test.each(cases)('left over: %s', (_, [meta, host, isAlive], expected) => {
  expect(isLeftOverNamespace(meta, host, isAlive)).toBe(expected);
});
