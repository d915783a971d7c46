import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chart, refusals, type Manifest, type Refusal, type Values } from '../render.js';

const namespaced = (kind: string) => ({ name: `${kind.toLowerCase()}s`, namespaced: true, kind, verbs: ['get'] });
const GROUPS = {
  '/api/v1': [namespaced('PersistentVolumeClaim')],
  '/apis/apps/v1': [namespaced('StatefulSet'), namespaced('Deployment')],
};
const KINDS = Object.values(GROUPS).flatMap((resources) => resources.map(({ kind }) => kind));

/** What an API server answers to `lookup`, by path. */
function answersOf(objects: Manifest[]): Record<string, object> {
  const group = { groupVersion: 'apps/v1', version: 'v1' };
  const answers: Record<string, object> = {
    '/version': { major: '1', minor: '33', gitVersion: 'v1.33.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', groups: [{ name: 'apps', versions: [group], preferredVersion: group }] },
  };
  for (const [path, resources] of Object.entries(GROUPS)) {
    answers[path] = { kind: 'APIResourceList', groupVersion: path.replace(/^\/apis?\//, ''), resources };
    for (const { name, kind } of resources)
      for (const object of objects.filter((one) => one.kind === kind))
        answers[`${path}/namespaces/default/${name}/${object.metadata.name}`] = object;
  }
  return answers;
}

/**
 * As much of an API server as `lookup` asks for. It has the objects of a release from `beforeAll` to `afterAll`.
 * @param installed the objects of that release; those of other kinds than `lookup` asks for are left out
 * @returns the refusals of an upgrade of that release to the given values
 */
export function clusterWith(installed: () => Manifest[]): (values: Values) => Promise<Refusal[]> {
  let answers: Record<string, object> = {};
  const server = createServer(({ url }, response) => {
    const body = answers[url!.split('?')[0]!];
    response.writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
  });
  beforeAll(async () => {
    answers = answersOf(installed().filter(({ kind }) => KINDS.includes(kind)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return (values) => {
    const { port } = server.address() as AddressInfo;
    const options = ['--dry-run=server', '--kube-apiserver', `http://127.0.0.1:${port}`, '--namespace', 'default'];
    return refusals(values, chart, ...options);
  };
}
