import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { TESTED_N8N } from '../support/versions.js';
import { eventually } from './support/eventually.js';
import { kubectl, Namespace, type Manifest } from './support/namespace.js';
import { Release, type N8nComponent } from './support/release.js';

jest.setTimeout(600_000);

const script = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const policies = (...args: string[]) =>
  execa(script('tools/cluster-lab/policies.sh'), args, { stdout: 'ignore', stderr: 'inherit' });

const PROFILE = 'profiles/hardened.yaml';
const PORT = 8080;
/** How long the rules of a pod or a policy may take. */
const SYNC_SECONDS = 60;
/** The machine of the lab, as pods see it. */
const MACHINE = '10.77.0.1';
/** What only the lab has: the last two are of its policies.sh. */
const OF_THE_LAB = ['machine', 'metadata', 'metadata of ECS'];
const N8N: N8nComponent[] = ['main', 'worker', 'webhook'];

/** How a connection ends that is dropped or rejected. Any other error is none of a policy, such as a name that is not resolved. */
const HELD_BACK = ['timeout', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Connects to each `host port` at once, and prints how each ended. */
const CONNECT = `
const connect = (target) => new Promise((resolve) => {
  const [host, port] = target.split(' ');
  const socket = require('node:net').connect({ host, port: Number(port), timeout: 3000 });
  const end = (how) => { socket.destroy(); resolve([target, how]); };
  socket.on('connect', () => end('open')).on('timeout', () => end('timeout')).on('error', ({ code }) => end(code));
});
Promise.all(process.argv.slice(1).map(connect)).then((ends) => console.log(JSON.stringify(Object.fromEntries(ends))));`;
const LISTEN = `require('node:net').createServer((socket) => socket.end()).listen(${PORT});`;
const RESOLVE = `require('node:dns').promises.resolve4(process.argv[1]).then((all) => console.log(...all));`;

type Row = [from: string, to: string, open: boolean];
const rows: Row[] = [
  ...N8N.flatMap((n8n): Row[] => [
    [n8n, 'postgresql', true],
    [n8n, 'redis', true],
    [n8n, 'stranger', false],
    [n8n, 'Service of stranger', false],
    [n8n, 'neighbour', false],
    [n8n, 'API server', false],
    [n8n, 'machine', false],
    [n8n, 'metadata', false],
    [n8n, 'metadata of ECS', false],
    ['stranger', n8n, false],
    ['neighbour', n8n, false],
  ]),
  ['ingress', 'main', true],
  ['ingress', 'webhook', true],
  ['ingress', 'worker', false],
  ['worker', 'main', false],
  ...['neighbour', 'stranger', 'ingress'].flatMap((pod): Row[] => [
    [pod, 'postgresql', false],
    [pod, 'redis', false],
  ]),
];

let inLab: boolean;
let listener: Server | undefined;
let release: Release;
/** Where there is a pod of the same name that is not of the release. */
let others: Record<'neighbour' | 'stranger' | 'ingress', Namespace>;
let networkPolicy: Record<string, unknown>;
let values: Record<string, unknown>;
beforeAll(async () => {
  inLab = (await execa(script('test/cluster/cluster.sh'), ['kind'])).stdout === 'lab';
  if (inLab) {
    await policies();
    listener = createServer((socket) => socket.end()).listen(PORT, MACHINE);
    await once(listener, 'listening');
  }
  release = await Release.create('policies');
  others = {
    neighbour: release.namespace,
    stranger: await Namespace.create('stranger'),
    ingress: await Namespace.create('ingress'),
  };
  for (const [name, namespace] of Object.entries(others)) {
    await namespace.apply(
      server(name)
        .map((object) => stringify(object))
        .join('---\n'),
    );
  }
  const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
  networkPolicy = { httpFrom: [ofNamespace(others.ingress)] };
  values = {
    // The lab has no image of the sidecar.
    taskRunners: { mode: 'internal' },
    networkPolicy,
    main: requests('100m'),
    worker: { replicas: 1, ...requests('150m') },
    webhook: { replicas: 1, ...requests('250m') },
    postgresql: requests('150m'),
  };
  await release.install(values, PROFILE);
  for (const [name, namespace] of Object.entries(others)) {
    await namespace.kubectl(['wait', `pod/${name}`, '--for=condition=Ready', '--timeout=120s']);
  }
});
afterAll(async () => {
  await others?.ingress.delete();
  await others?.stranger.delete();
  await release?.delete();
  listener?.close();
  if (inLab) await policies('--end');
});

test('each connection is open or held back as the policies say', async () => {
  await expectConnections(rows);
});

test.each(N8N)('%s resolves names', async (component) => {
  const [pod] = await release.pods(component);
  const name = 'kubernetes.default.svc.cluster.local';
  const found = await release.namespace.exec(pod.metadata.name, ['node', '-e', RESOLVE, name]);
  expect(found).toBe((await apiServer()).spec.clusterIP);
});

test('helm test passes', async () => {
  expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
});

test('a rule of egress opens what it names, by address and by Service', async () => {
  const egress = [{}, { to: [ofNamespace(others.stranger)] }];
  await release.upgrade({ ...values, networkPolicy: { ...networkPolicy, egress } }, PROFILE);
  await expectConnections(rowsWith('stranger', 'Service of stranger'));
});

test('denyMetadata alone holds back the metadata addresses', async () => {
  await release.upgrade({ ...values, networkPolicy: { ...networkPolicy, denyPrivate: false } }, PROFILE);
  await expectConnections(rowsWith('stranger', 'Service of stranger', 'neighbour', 'API server', 'machine'));
});

test('without the policies each connection is open', async () => {
  await release.upgrade({ ...values, networkPolicy: { enabled: false, denyPrivate: false } }, PROFILE);
  await expectConnections(rowsWith(...rows.map(([, to]) => to)));
});

const ofNamespace = ({ name }: Namespace) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});

/** The rows, where some more ends are open. */
const rowsWith = (...opened: string[]) => rows.map(([from, to, open]): Row => [from, to, open || opened.includes(to)]);

async function expectConnections(expected: Row[]): Promise<void> {
  const wanted = expected.filter(([, to]) => inLab || !OF_THE_LAB.includes(to));
  await eventually('every connection as expected', SYNC_SECONDS, async () => {
    expect(await connect(wanted)).toEqual(wanted);
    return true;
  });
}

/** The rows with what comes of the connection from the pod that each names: open, held back, or the code of another error. */
async function connect(asked: Row[]): Promise<Array<[from: string, to: string, how: boolean | string]>> {
  const [pods, at] = [await sources(), await addresses()];
  const ends = new Map<string, Record<string, string>>();
  for (const from of new Set(asked.map(([source]) => source))) {
    const targets = asked.filter(([source]) => source === from).map(([, to]) => at[to]!);
    const { namespace, name } = pods[from]!;
    ends.set(from, JSON.parse(await namespace.exec(name, ['node', '-e', CONNECT, ...targets])));
  }
  return asked.map(([from, to]) => {
    const how = ends.get(from)![at[to]!]!;
    return [from, to, HELD_BACK.includes(how) ? false : how === 'open' || how];
  });
}

async function sources(): Promise<Record<string, { namespace: Namespace; name: string; ip: string }>> {
  const found = Object.entries(others).map(async ([name, namespace]) => {
    const { status } = await namespace.get('pod', name);
    return [name, { namespace, name, ip: status.podIP }] as const;
  });
  const own = N8N.map(async (component) => {
    const [{ metadata, status }] = await release.pods(component);
    return [component, { namespace: release.namespace, name: metadata.name, ip: status.podIP }] as const;
  });
  return Object.fromEntries(await Promise.all([...found, ...own]));
}

async function addresses(): Promise<Record<string, string>> {
  const pods = await sources();
  const serviceOf = (name: string, namespace: Namespace) => `${name}.${namespace.name}.svc.cluster.local`;
  return {
    ...Object.fromEntries(N8N.map((component) => [component, `${pods[component]!.ip} 5678`])),
    stranger: `${pods.stranger!.ip} ${PORT}`,
    neighbour: `${pods.neighbour!.ip} ${PORT}`,
    'Service of stranger': `${serviceOf('stranger', others.stranger)} ${PORT}`,
    postgresql: `${serviceOf('n8n-tuned-postgresql', release.namespace)} 5432`,
    redis: `${serviceOf('n8n-tuned-redis', release.namespace)} 6379`,
    'API server': `${(await apiServer()).spec.clusterIP} 443`,
    machine: `${MACHINE} ${PORT}`,
    metadata: '169.254.169.254 80',
    'metadata of ECS': '169.254.170.2 80',
  };
}

async function apiServer(): Promise<Manifest> {
  return JSON.parse(await kubectl(['get', 'service', 'kubernetes', '--namespace=default', '-o', 'json']));
}

/** A pod that listens, and its Service. The stranger has the labels of a worker, which open nothing in another namespace. */
function server(name: string): Manifest[] {
  const ofWorker = { instance: 'n8n-tuned', name: 'n8n-tuned', component: 'worker' };
  const more = Object.entries(name === 'stranger' ? ofWorker : {});
  const labels = { app: name, ...Object.fromEntries(more.map(([key, value]) => [`app.kubernetes.io/${key}`, value])) };
  const container = {
    name: 'server',
    image: `docker.io/n8nio/n8n:${TESTED_N8N}`,
    command: ['node', '-e', LISTEN],
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const spec = {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
  };
  return [
    { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port: PORT }] },
    },
  ];
}
