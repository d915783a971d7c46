import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { render, valuesOf, type Manifest } from '../../chart/render.js';
import { isAllowed, missingPermissions, root } from './manifests.js';

/**
 * The role of docs/capacity-job.md has the permissions of a run on Kubernetes: for every API path that the provisioner requests, every
 * kubectl command that it runs, and every kind of object that helm installs.
 */

const folder = join(root, 'capacity/src/provision/kubernetes');
const source = readdirSync(folder)
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n')
  .replace(/\s+/g, ' ');

type Permission = [verb: string, group: string, resource: string];

/**
 * The permissions needed for a GET of an API path, or for the POST that evicts a pod. `*` stands for a part that is known only at run
 * time.
 */
function requiredPermissions(path: string): Permission[] {
  const [, kind, ...parts] = path
    .replace(/\$\{[^}]*\}/g, '*')
    .replace(/\?.*/, '')
    .split('/');
  const group = kind === 'apis' ? parts.shift()! : '';
  parts.shift();
  const [resource, name, sub] = parts[0] === 'namespaces' ? parts.slice(2) : parts;
  const resources = resource === '*' ? ['deployments', 'statefulsets'] : [resource!];
  const verb = sub === 'eviction' ? 'create' : name === undefined ? 'list' : 'get';
  const subresource = sub === undefined ? '' : `/${sub.replace('*', '')}`;
  return resources.map((each) => [verb, group, each + subresource]);
}

const paths = [...source.matchAll(/`(\/apis?\/[^`]*)`/g)].map(([, path]) => path!);
const asked = [
  ...new Map(paths.flatMap(requiredPermissions).map((permission) => [permission.join(' '), permission])).values(),
];

test('the sources contain API paths that the provisioner requests', () => {
  expect(asked).toEqual(
    expect.arrayContaining([
      ['list', '', 'pods'],
      ['get', '', 'pods/log'],
      ['get', '', 'pods/proxy'],
      ['list', 'apps', 'statefulsets'],
      ['list', 'metrics.k8s.io', 'pods'],
      ['get', '', 'nodes/proxy'],
    ]),
  );
});

test.each(asked.filter(([, , resource]) => resource !== 'nodes/proxy'))('it may %s %s %s', (...permission) =>
  expect(isAllowed(...permission)).toBe(true),
);

test('it may not speak to the kubelets, which run commands: usage then comes from metrics-server', () =>
  expect(isAllowed('get', '', 'nodes/proxy')).toBe(false));

const exec: Permission[] = [
  ['get', '', 'pods'],
  ['create', '', 'pods/exec'],
  // kubectl opens it as a WebSocket, which begins with a GET.
  ['get', '', 'pods/exec'],
];
const logs: Permission[] = [
  ['get', '', 'pods'],
  ['get', '', 'pods/log'],
];
/** With --timeout, kubectl waits until it is gone. */
const deleteNamespace: Permission[] = ['delete', 'get', 'list', 'watch'].map((verb) => [verb, '', 'namespaces']);

/** What each command of kubectl takes, by its verb and the word after it. Empty: what every user has, or what the role need not have. */
const COMMANDS: Record<string, Permission[]> = {
  'create -f': [],
  'create --raw': [['create', '', 'pods/eviction']],
  'auth can-i': [],
  'get --raw': [],
  'create namespaces': [['create', '', 'namespaces']],
  'delete namespaces': [['delete', '', 'namespaces']],
  'create deployments.apps': [['create', 'apps', 'deployments']],
  'create pods': [['create', '', 'pods/exec']],
  'get pods': [['get', '', 'pods/proxy']],
  'exec -i': exec,
  'exec name': exec,
  'exec metadata.name': exec,
  'exec this.pod': exec,
  'logs metadata.name': logs,
  'logs pod': logs,
  'logs failed.metadata.name': logs,
  'logs --follow': logs,
  'port-forward --namespace': [
    ['get', '', 'pods'],
    ['create', '', 'pods/portforward'],
    ['get', '', 'pods/portforward'],
  ],
  'rollout restart': [
    ['get', 'apps', 'deployments'],
    ['patch', 'apps', 'deployments'],
  ],
  'rollout status': ['get', 'list', 'watch'].map((verb) => [verb, 'apps', 'deployments']),
  'patch workload': [
    ['patch', 'apps', 'deployments'],
    ['patch', 'apps', 'statefulsets'],
  ],
  'delete job': [['delete', 'batch', 'jobs']],
  'delete pods': [
    ['list', '', 'pods'],
    ['delete', '', 'pods'],
  ],
  'delete pod': [['delete', '', 'pods']],
  'delete namespace': deleteNamespace,
  'get namespaces': [['list', '', 'namespaces']],
  'get secret': [['get', '', 'secrets']],
  'get nodes': [['list', '', 'nodes']],
  'get ...mark': [
    ['get', '', 'configmaps'],
    ['get', 'apiextensions.k8s.io', 'customresourcedefinitions'],
  ],
  // --generators, which the page leaves to its reader.
  'get crd': [['get', 'apiextensions.k8s.io', 'customresourcedefinitions']],
  'delete CRD': [],
};
const VERBS =
  'get|delete|create|apply|patch|exec|logs|port-forward|auth|annotate|label|cp|scale|rollout|top|wait|drain';
const given = [...source.matchAll(new RegExp(`'(${VERBS})', ?'?(\\.\\.\\.\\w+|[\\w./-]+)`, 'g'))].map(
  ([, verb, next]) => `${verb} ${next}`,
);

test('the commands that the provisioner gives to kubectl are those below', () =>
  expect([...new Set(given)].sort()).toEqual(Object.keys(COMMANDS).sort()));

test.each(Object.entries(COMMANDS))('it may do what "kubectl %s" takes', (_, permissions) => {
  for (const permission of permissions) expect([permission, isAllowed(...permission)]).toEqual([permission, true]);
});

test('what the provisioner creates by itself is a namespace, a Secret for requests, a Job of k6, and an eviction', () => {
  const kinds = [...source.matchAll(/kind: '([A-Z]\w+)'/g)].map(([, kind]) => kind!);
  expect([...new Set(kinds)].sort()).toEqual(['Eviction', 'Job', 'Namespace', 'Secret']);
  expect(isAllowed('create', '', 'secrets')).toBe(true);
  expect(isAllowed('create', 'batch', 'jobs')).toBe(true);
});

/** Verbs that helm 4 uses on an object of a release: server-side apply, a watch until it is ready, and its removal. */
const OF_HELM = ['create', 'patch', 'get', 'list', 'watch', 'delete'];

const installed: [string, Manifest[]][] = ['default', ...readdirSync(join(root, 'charts/n8n-tuned/profiles'))].map(
  (name) => {
    const values = name === 'default' ? {} : valuesOf(`profiles/${name}`);
    // The values that a measurement sets.
    const loadTargets = { enabled: true, workflows: ['webhook-ack'] };
    const objects = render({ ...values, metrics: { enabled: true, public: true }, loadTargets });
    // `helm test` is not part of a measurement.
    return [name, objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== 'test')];
  },
);
const groupOf = ({ apiVersion }: Manifest): string => (apiVersion.includes('/') ? apiVersion.split('/')[0] : '');
const resourceOf = ({ kind }: Manifest): string => `${kind.toLowerCase().replace(/y$/, 'ie')}s`;

describe.each(installed)('values %s', (_, objects) => {
  test('helm may install, wait for and remove every kind of object', () => {
    const needed = new Set(objects.map((object) => `${groupOf(object)} ${resourceOf(object)}`));
    expect(needed).toContain('apps deployments');
    for (const each of needed) {
      const [group, resource] = each.split(' ') as [string, string];
      expect([each, OF_HELM.filter((verb) => !isAllowed(verb, group, resource))]).toEqual([each, []]);
    }
  });

  test('no role of the release gives more than this one has, which Kubernetes refuses', () => {
    const given = objects
      .filter(({ kind }) => kind === 'Role')
      .flatMap(({ rules }) => rules.flatMap(missingPermissions));
    expect(given).toEqual([]);
  });
});

test('helm keeps its record in Secrets, and waits by the ReplicaSets and pods of a Deployment', () => {
  for (const verb of [...OF_HELM, 'update']) expect([verb, isAllowed(verb, '', 'secrets')]).toEqual([verb, true]);
  for (const verb of ['get', 'list', 'watch']) {
    expect(isAllowed(verb, 'apps', 'replicasets')).toBe(true);
    expect(isAllowed(verb, '', 'pods')).toBe(true);
  }
});
