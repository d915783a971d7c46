import { EnvironmentFault } from '../../../../capacity/src/core/errors.js';
import type { Cluster } from '../../../../capacity/src/provision/kubernetes/cluster.js';
import {
  createNamespace,
  isLeftOverNamespace,
  oldOne,
  runNamespace,
} from '../../../../capacity/src/provision/kubernetes/namespace.js';

const dead = () => false;
const alive = () => true;
const { metadata } = runNamespace('restricted', 'this-host', 42);

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

const NOW = Date.parse('2026-11-24T12:00:00Z');
const aged = (hours: number, more: object = {}) => ({
  ...metadata,
  creationTimestamp: new Date(NOW - hours * 3_600_000).toISOString(),
  ...more,
});

test.each([
  ['of a host that is gone, 3 h old', aged(3), { host: 'another', alive: dead }, true],
  ['of another host, whose process has the id of one here', aged(3), { host: 'another', alive }, true],
  ['younger than 2 h', aged(1.9), { host: 'another', alive: dead }, false],
  ['of a run of this host that goes on', aged(30), { host: 'this-host', alive }, false],
  ['of a killed run of this host', aged(3), { host: 'this-host', alive: dead }, true],
  ['without a time of creation', metadata, { host: 'another', alive: dead }, false],
])('old: %s', (_, meta, where, isOld) =>
  expect(oldOne(meta, 2 * 3600, { ...where, now: NOW })?.name).toBe(isOld ? metadata.name : undefined),
);

test('a namespace whose creation seems to have failed is removed: it may exist', async () => {
  const commands: string[][] = [];
  const cluster = {
    helmArguments: [],
    create: () => Promise.reject(new EnvironmentFault('did not end within 60 s')),
    kubectl: (args: string[]) => Promise.resolve(void commands.push(args)),
  };
  await expect(createNamespace(cluster as unknown as Cluster, 'true')).rejects.toThrow('within 60 s');
  expect(commands.at(-1)).toEqual(
    expect.arrayContaining(['delete', 'namespace', expect.stringMatching(/^n8n-capacity-/)]),
  );
});
