import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import getPort from 'get-port';
import { stringify } from 'yaml';
import { createApiKey } from '../integration/owner.js';
import { deploys, loads, jobContainer, findJob, root } from '../docs/capacity-job/manifests.js';
import { eventually, report } from './support/eventually.js';
import { kubectl, type Manifest } from './support/namespace.js';
import { Release } from './support/release.js';
import { runNamespaces } from './support/run-namespaces.js';

/** The Jobs of docs/capacity-job.md, with the image of the Dockerfile. */

jest.setTimeout(1_800_000);

const lab = (script: string) => fileURLToPath(new URL(`../../tools/cluster-lab/${script}`, import.meta.url));
const all = (objects: Manifest[]) => objects.map((object) => stringify(object)).join('---\n');

let release: Release;
const requests = { resources: { requests: { cpu: '100m' } } };

beforeAll(async () => {
  // Only the lab can be given an image; elsewhere the cluster pulls it.
  const { stdout: kind } = await execa(fileURLToPath(new URL('cluster.sh', import.meta.url)), ['kind']);
  if (kind.trim() === 'lab') {
    // Not with the ARGS of the make that runs this test.
    await execa('make', ['package', 'ARGS='], { cwd: root });
    await execa(lab('images.sh'), ['capacity'], { stderr: 'inherit' });
  }
  release = await Release.create('capacity-job');
  // Without load targets, which the Job brings.
  await release.install({ main: requests });
});
afterAll(async () => {
  await kubectl(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], all(deploys)).catch(() => {});
  await release?.delete();
});

afterEach(async () => {
  for (const namespace of [release.namespace.name, 'default'])
    await kubectl(['--namespace', namespace, 'delete', 'job', 'n8n-capacity', '--ignore-not-found']);
});

const SHORT = ['--step-duration=30s', '--no-overload'];

/** The Job alone, without what it needs of the page's n8n. */
function ofJob(objects: Manifest[]): Manifest[] {
  const job = findJob(objects);
  delete jobContainer(objects).env;
  return [job];
}

/** A Job with other arguments, and a short life. */
function asked(objects: Manifest[], ...args: string[]): Manifest[] {
  const copy = structuredClone(objects);
  jobContainer(copy).args = args;
  jobContainer(copy).imagePullPolicy = 'IfNotPresent';
  findJob(copy).spec!.activeDeadlineSeconds = 1200;
  return copy;
}

/** The log of a Job that has ended, and the exit code of its container. */
async function ended(namespace: string): Promise<{ log: string; exitCode: number }> {
  const inNamespace = ['--namespace', namespace];
  const exitCode = await eventually('the Job ends', 1200, async () => {
    const pods = await kubectl([...inNamespace, 'get', 'pods', '--selector', 'job-name=n8n-capacity', '-o', 'json']);
    const [pod] = (JSON.parse(pods) as { items: Manifest[] }).items;
    return pod?.status.containerStatuses?.[0]?.state.terminated?.exitCode as number | undefined;
  });
  return { log: await kubectl([...inNamespace, 'logs', 'job/n8n-capacity']), exitCode: exitCode };
}

test('the image is what the Dockerfile says: not root, and every tool is found', async () => {
  await release.namespace.apply(all(ofJob(asked(loads, 'doctor'))));
  const { log, exitCode } = await ended(release.namespace.name);
  report(log);
  for (const tool of ['k6', 'helm', 'n8n']) expect(log).toMatch(new RegExp(`^ok +${tool} +\\d+\\.\\d+`, 'm'));
  expect(exitCode).toBe(0);
});

test('it runs n8n by itself, as processes of its pod', async () => {
  const job = ofJob(asked(loads, 'validate', '--workload=webhook-ack', '--target=2/s', ...SHORT));
  jobContainer(job).resources = { requests: { cpu: '500m' }, limits: { memory: '4Gi' } };
  await release.namespace.apply(all(job));
  const { log, exitCode } = await ended(release.namespace.name);
  report(log.split('\n').slice(-12).join('\n'));
  expect({ exitCode, log: exitCode === 0 ? '' : log }).toEqual({ exitCode: 0, log: '' });
});

/** A key of the release's n8n, through a port of this machine. */
async function keyOfRelease(): Promise<string> {
  const port = await getPort({ host: '127.0.0.1' });
  const forward = ['port-forward', 'service/n8n-tuned-main', `${port}:5678`];
  const forwarding = execa('kubectl', ['--namespace', release.namespace.name, ...forward], { reject: false });
  const url = `http://127.0.0.1:${port}`;
  try {
    await eventually('a forwarded port', 30, async () => (await fetch(`${url}/healthz`)).ok);
    return await createApiKey(url);
  } finally {
    forwarding.kill();
  }
}

test('the Job that loads an n8n of its namespace runs as the page says, with the key from a Secret', async () => {
  const { namespace } = release;
  const stringData = { 'api-key': await keyOfRelease() };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'n8n-capacity' }, stringData };
  // Short steps prove no capacity, but a target.
  const args = [...jobContainer(loads).args!, '--workload=webhook-ack', '--target=2/s', ...SHORT];
  await namespace.apply(all([secret, ...asked(loads, ...args)]));
  const { log, exitCode } = await ended(namespace.name);
  report(log.split('\n').slice(-12).join('\n'));
  expect({ exitCode, log: exitCode === 0 ? '' : log }).toEqual({ exitCode: 0, log: '' });
  expect(log).not.toContain(stringData['api-key']);
});

test('the Job that deploys and measures needs no other permission than its role, and leaves nothing', async () => {
  const before = await runNamespaces();
  const args = ['validate', '--provisioner=kubernetes', '--target=2/s', ...SHORT];
  await kubectl(['apply', '-f', '-'], all(asked(deploys, ...args, '--set=main.resources.requests.cpu=100m')));
  const { log, exitCode } = await ended('default');
  report(log.split('\n').slice(-12).join('\n'));
  expect({ exitCode, log: exitCode === 0 ? '' : log }).toEqual({ exitCode: 0, log: '' });
  expect(log).toContain('PASS');
  expect(await runNamespaces()).toEqual(before);
});
