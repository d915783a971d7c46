import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { messageOf } from '../../core/errors.js';
import { isAlive } from '../../core/processes.js';
import { runWithTimeout } from '../../core/run-within.js';
import type { List, NamespaceObject } from './api-objects.js';
import type { Cluster } from './cluster.js';
import { RELEASE } from './release.js';

/** Timeout for deleting the pods, the volumes and the namespace. */
const GONE_SECONDS = 180;

/**
 * Creates the namespace of this run; resolves to its name. One whose creation seems to have failed may exist all the same, for
 * example after a time-out: it is removed.
 * @param security the Pod Security Standard that its pods must meet; undefined: none
 */
export async function createNamespace(cluster: Cluster, helm: string, security?: 'restricted'): Promise<string> {
  const namespace = runNamespace(security);
  const { name } = namespace.metadata;
  try {
    await cluster.create(namespace);
  } catch (error) {
    await removeNamespace(cluster, helm, name).catch(() => {});
    throw error;
  }
  return name;
}

/**
 * Uninstalls the release and deletes the namespace; no error if they do not exist.
 * @throws EnvironmentFault when the namespace still exists after 180 s
 */
export async function removeNamespace(cluster: Cluster, helm: string, name: string): Promise<void> {
  // Only helm knows the objects that a release has outside its namespace.
  await runWithTimeout(
    helm,
    ['uninstall', RELEASE, '--namespace', name, '--ignore-not-found', ...cluster.helmArguments],
    {
      timeoutMs: GONE_SECONDS * 1000,
    },
  );
  // Executions in progress are not waited for.
  const pods = [
    'delete',
    'pods',
    '--all',
    '--namespace',
    name,
    '--grace-period=1',
    '--wait=false',
    '--ignore-not-found',
  ];
  await cluster.kubectl(pods).catch(() => {});
  await cluster.kubectl(['delete', 'namespace', name, '--ignore-not-found', `--timeout=${GONE_SECONDS}s`], {
    timeoutMs: (GONE_SECONDS + 10) * 1000,
  });
}

/** Removes the namespaces of killed runs of this host, and only those; reports each. */
export async function sweepNamespaces(cluster: Cluster, helm: string, say: (line: string) => void): Promise<void> {
  for (const { metadata } of (await runNamespaces(cluster)).filter((n) => isLeftOverNamespace(n.metadata))) {
    say(`  removing namespace ${metadata.name} of a killed run`);
    await removeNamespace(cluster, helm, metadata.name).catch((error: unknown) =>
      say(`  namespace ${metadata.name} could not be removed: ${messageOf(error)}`),
    );
  }
}

/** The namespaces of runs of any host. */
async function runNamespaces(cluster: Cluster): Promise<NamespaceObject[]> {
  const selector = ['--selector', `${MADE_BY}=${TOOL}`];
  const { items } = await cluster.json<List<NamespaceObject>>(['get', 'namespaces', ...selector]);
  return items.filter(({ metadata }) => metadata.name.startsWith(PREFIX));
}

/** The namespace of a run that began long ago. */
export interface OldNamespace {
  name: string;
  hours: number;
  /** Name of the host that the run was started on. */
  hostname: string;
}

/**
 * Namespaces of runs that began before some time, on any host, as in CI, where a host lives no longer than its run. Those of
 * runs of this host that go on are left out.
 * @param seconds least age
 */
export async function oldNamespaces(cluster: Cluster, seconds: number): Promise<OldNamespace[]> {
  return (await runNamespaces(cluster)).flatMap(({ metadata }) => oldOne(metadata, seconds) ?? []);
}

/** The namespace if it is old enough and no process of this host uses it. */
export function oldOne(
  { name, labels = {}, annotations = {}, creationTimestamp }: NamespaceObject['metadata'],
  seconds: number,
  { host = hostId(), alive = isAlive, now = Date.now() } = {},
): OldNamespace | undefined {
  const age = (now - Date.parse(creationTimestamp ?? '')) / 1000;
  const isUsed = labels[HOST] === host && alive(Number(labels[PROCESS]));
  if (isUsed || !(age >= seconds)) return undefined;
  return { name, hours: age / 3600, hostname: annotations[HOSTNAME] ?? 'an unknown host' };
}

/** Labels of the objects that this tool creates in a cluster. */
const MADE_BY = 'app.kubernetes.io/managed-by';
const TOOL = 'n8n-capacity';
const HOST = 'n8n-tuned.io/capacity-host';
const PROCESS = 'n8n-tuned.io/capacity-process';
const PREFIX = 'n8n-capacity-';
const HOSTNAME = 'n8n-tuned.io/capacity-hostname';

/** The namespace of a run, with a random name; its pods must meet the Pod Security Standard, if one is given. */
export function runNamespace(security?: 'restricted', host = hostId(), pid = process.pid) {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: `${PREFIX}${randomBytes(4).toString('hex')}`,
      labels: {
        [MADE_BY]: TOOL,
        [HOST]: host,
        [PROCESS]: String(pid),
        ...(security && { 'pod-security.kubernetes.io/enforce': security }),
      },
      annotations: {
        [HOSTNAME]: hostname(),
        'n8n-tuned.io/started-at': new Date().toISOString(),
      },
    },
  };
}

/** Whether a namespace belongs to a run of this host whose process has ended. If in doubt, it does not. */
export function isLeftOverNamespace(
  { name, labels = {} }: NamespaceObject['metadata'],
  host = hostId(),
  alive = isAlive,
): boolean {
  const pid = Number(labels[PROCESS]);
  const isOurs = name.startsWith(PREFIX) && labels[MADE_BY] === TOOL && labels[HOST] === host;
  return isOurs && Number.isInteger(pid) && pid > 0 && !alive(pid);
}

/** Identifies this host and its PID namespace: the same process id elsewhere is another process. */
function hostId(): string {
  const machine = attempt(() => readFileSync('/etc/machine-id', 'utf8').trim());
  const processes = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return createHash('sha256').update(`${hostname()} ${machine} ${processes}`).digest('hex').slice(0, 16);
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
