import { k6Facts, placeOf } from '../../../../capacity/src/provision/kubernetes/k6-place.js';
import { shortOfRoom } from '../../../../capacity/src/provision/kubernetes/room.js';
import { podRequests } from '../../../../capacity/src/chart/pods.js';

const GIB = 2 ** 30;
const node = (cores: number, gib: number) => ({ cpuMillis: cores * 1000, memoryBytes: gib * GIB });
const pod = (name: string, cores: number, gib: number) => ({ name, requests: node(cores, gib) });

test.each<[string, Parameters<typeof shortOfRoom>, string[] | undefined]>([
  ['they fit', [[pod('main', 1, 2), pod('worker', 1, 1)], [node(2, 4)]], undefined],
  [
    'one pod is larger than every node',
    [
      [pod('main', 1, 2), pod('worker', 3, 1)],
      [node(2, 4), node(2, 4)],
    ],
    ['worker', '3 cores', '2 cores'],
  ],
  [
    'all together are larger than all nodes',
    [[pod('main', 1, 3), pod('worker', 1, 3)], [node(4, 5)]],
    ['6 GiB of memory', '5 GiB of memory'],
  ],
  ['what requests nothing fits everywhere', [[{ name: 'main', requests: {} }], [node(1, 1)]], undefined],
  ['no node takes pods', [[pod('main', 1, 1)], []], ['main', '0 cores']],
])('room in a cluster: %s', (_, args, expected) => {
  const short = shortOfRoom(...args);
  if (expected) for (const fact of expected) expect(short).toContain(fact);
  else expect(short).toBeUndefined();
});

test('requests of a pod: of what runs together, or of what is run before and needs more; a limit alone is a request', () => {
  const container = (cpu: string, more: object = {}) => ({
    ...{ name: 'c', image: 'i', resources: { requests: { cpu }, limits: { memory: '1Gi' } } },
    ...more,
  });
  const spec = {
    containers: [container('500m')],
    initContainers: [container('2'), container('250m', { restartPolicy: 'Always' })],
  };
  expect(podRequests(spec)).toEqual({ cpuMillis: 2000, memoryBytes: 2 * GIB });
  expect(podRequests({ containers: [container('3'), { name: 'd', image: 'i' }] })).toMatchObject({ cpuMillis: 3000 });
});

test.each<[string, string[], string[], string]>([
  ['all pods of k6 on nodes without pods under test', ['c', 'd'], ['a', 'b'], 'own-node'],
  ['one of them beside a pod under test', ['b', 'c'], ['a', 'b'], 'shared-node'],
  ['a node that is not known', [], ['a'], 'shared-node'],
])('where k6 ran: %s', (_, nodes, underTest, place) => {
  expect(placeOf(nodes, new Set(underTest))).toBe(place);
});

test.each([
  ['docker.io/grafana/k6:2.2.0', '2.2.0'],
  ['registry:5000/grafana/k6:v1.3.0-with-browser', '1.3.0-with-browser'],
  ['grafana/k6:2.2.0@sha256:9abc', '2.2.0'],
  ['grafana/k6@sha256:9abc', 'unknown'],
  ['registry:5000/grafana/k6', 'unknown'],
])("k6's version in the image %s", (image, version) => expect(k6Facts({ name: 'k6', image }).version).toBe(version));
