import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chart, find, queue, refusals, render, type Manifest, type Refusal, type Values } from '../render.js';
import { tests } from './cases.js';

// It compares with what is in the cluster. test/cluster/dry-run.test.ts asks a real one.
await tests(
  '_claims.tpl',
  [],
  ['claim-of-a-stateful-set', 'claim-shrinks', 'claim-unchangeable', 'database-made-already'],
);

const GROUPS: Record<string, object[]> = {
  '/api/v1': [{ name: 'persistentvolumeclaims', namespaced: true, kind: 'PersistentVolumeClaim', verbs: ['get'] }],
  '/apis/apps/v1': [{ name: 'statefulsets', namespaced: true, kind: 'StatefulSet', verbs: ['get'] }],
};

/** As much of an API server as `lookup` asks for, with the objects of a release. */
function apiServer(objects: Manifest[]): Server {
  const group = { groupVersion: 'apps/v1', version: 'v1' };
  const answers: Record<string, object> = {
    '/version': { major: '1', minor: '33', gitVersion: 'v1.33.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', groups: [{ name: 'apps', versions: [group], preferredVersion: group }] },
  };
  for (const [path, resources] of Object.entries(GROUPS))
    answers[path] = { kind: 'APIResourceList', groupVersion: path.replace(/^\/apis?\//, ''), resources };
  for (const object of objects) {
    const [path] = Object.entries(GROUPS).find(([, [resource]]) => (resource as any).kind === object.kind)!;
    const { name } = GROUPS[path]![0] as any;
    answers[`${path}/namespaces/default/${name}/${object.metadata.name}`] = object;
  }
  return createServer(({ url }, response) => {
    const body = answers[url!.split('?')[0]!];
    response.writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
  });
}

const persistence = (size: string, more: Values = {}) => ({
  persistence: { size, storageClass: 'fast', annotations: { team: 'a' }, ...more },
});
const installed = queue({
  commonLabels: { team: 'a' },
  main: persistence('10Gi'),
  postgresql: persistence('10Gi'),
  redis: { persistence: { enabled: false } },
});
const kinds = ['PersistentVolumeClaim', 'StatefulSet'];

let server: Server;
beforeAll(async () => {
  const objects = render(installed).filter(({ kind }) => kinds.includes(kind));
  expect(find(objects, 'PersistentVolumeClaim', 'n8n-tuned-main')).toBeDefined();
  server = apiServer(objects);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const changed = (more: Values): Promise<Refusal[]> => {
  const { port } = server.address() as AddressInfo;
  const options = ['--dry-run=server', '--kube-apiserver', `http://127.0.0.1:${port}`, '--namespace', 'default'];
  return refusals({ ...installed, ...more }, chart, ...options);
};

it.each<[string, string, Values]>([
  ['claim-shrinks', 'main.persistence.size=5Gi', { main: persistence('5Gi') }],
  ['claim-unchangeable', 'main.persistence.storageClass=slow', { main: persistence('10Gi', { storageClass: 'slow' }) }],
  [
    'claim-unchangeable',
    'main.persistence.accessModes=ReadWriteMany',
    { main: persistence('20Gi', { accessModes: ['ReadWriteMany'], annotations: {} }) },
  ],
  ['claim-of-a-stateful-set', 'postgresql.persistence.size', { postgresql: persistence('20Gi') }],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.storageClass',
    { postgresql: persistence('10240Mi', { storageClass: 'slow' }) },
  ],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.accessModes',
    { postgresql: persistence('10Gi', { accessModes: ['ReadWriteOncePod'] }) },
  ],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.annotations',
    { postgresql: persistence('10Gi', { annotations: { team: 'b' } }) },
  ],
  ['claim-of-a-stateful-set', 'commonLabels', { commonLabels: { team: 'b' } }],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.enabled=false',
    { postgresql: { persistence: { enabled: false } } },
  ],
  ['database-made-already', 'postgresql.user', { postgresql: { ...persistence('10Gi'), user: 'other' } }],
  ['database-made-already', 'postgresql.database', { postgresql: { ...persistence('10Gi'), database: 'other' } }],
  [
    'database-made-already',
    'postgresql.existingSecret',
    { postgresql: { ...persistence('10Gi'), existingSecret: 'mine' } },
  ],
  ['claim-of-a-stateful-set', 'redis.persistence.enabled=true', { redis: { persistence: { enabled: true } } }],
])('%s: %s', async (code, value, more) => {
  expect(await changed(more)).toEqual([expect.objectContaining({ code, value })]);
});
