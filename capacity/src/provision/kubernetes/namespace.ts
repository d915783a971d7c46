import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { execa } from 'execa';
import { messageOf } from '../../core/errors.js';
import { isAlive } from '../../core/processes.js';
import type { List, NamespaceObject } from './api-objects.js';
import type { Cluster } from './cluster.js';
import { RELEASE } from './release.js';

/** How long pods, volumes and the namespace itself may take to go. */
const GONE_SECONDS = 180;

/** Makes the namespace of this run; resolves to its name. */
export async function createNamespace(cluster: Cluster): Promise<string> {
  const namespace = runNamespace();
  await cluster.create(namespace);
  return namespace.metadata.name;
}

/**
 * Ends the release and deletes the namespace with all that is in it; what is gone already is no error.
 * @throws Error when it is not gone in time
 */
export async function removeNamespace(cluster: Cluster, helm: string, name: string): Promise<void> {
  // What a release may have outside of its namespace is known to helm alone.
  await execa(helm, ['uninstall', RELEASE, '--namespace', name, '--ignore-not-found', ...cluster.helmArguments], {
    reject: false,
    stdin: 'ignore',
    detached: true,
    timeout: GONE_SECONDS * 1000,
  });
  // Nobody needs what still runs there: executions are not waited for.
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

/** Removes what runs of this host have left that were killed before they could; says what. Never anything else. */
export async function sweepNamespaces(cluster: Cluster, helm: string, say: (line: string) => void): Promise<void> {
  const { items } = await cluster.json<List<NamespaceObject>>([
    'get',
    'namespaces',
    '--selector',
    `${MADE_BY}=${TOOL}`,
  ]);
  for (const { metadata } of items.filter((n) => isLeftOverNamespace(n.metadata))) {
    say(`  removing namespace ${metadata.name}, which a run that was killed has left`);
    await removeNamespace(cluster, helm, metadata.name).catch((error: unknown) =>
      say(`  namespace ${metadata.name} could not be removed: ${messageOf(error)}`),
    );
  }
}

/** Marks what this tool has made in a cluster, and by which run. */
const MADE_BY = 'app.kubernetes.io/managed-by';
const TOOL = 'n8n-capacity';
const HOST = 'n8n-tuned.io/capacity-host';
const PROCESS = 'n8n-tuned.io/capacity-process';
const PREFIX = 'n8n-capacity-';

/** The namespace of a run: its own, of a name that nobody else has, in which pods must pass the standard `restricted`. */
export function runNamespace(host = hostId(), pid = process.pid) {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: `${PREFIX}${randomBytes(4).toString('hex')}`,
      labels: {
        [MADE_BY]: TOOL,
        [HOST]: host,
        [PROCESS]: String(pid),
        'pod-security.kubernetes.io/enforce': 'restricted',
      },
      annotations: {
        'n8n-tuned.io/capacity-hostname': hostname(),
        'n8n-tuned.io/started-at': new Date().toISOString(),
      },
    },
  };
}

/** Whether a namespace is what a run of this host has left whose process is gone. When in doubt it is not. */
export function isLeftOverNamespace(
  { name, labels = {} }: NamespaceObject['metadata'],
  host = hostId(),
  alive = isAlive,
): boolean {
  const pid = Number(labels[PROCESS]);
  const isOurs = name.startsWith(PREFIX) && labels[MADE_BY] === TOOL && labels[HOST] === host;
  return isOurs && Number.isInteger(pid) && pid > 0 && !alive(pid);
}

/** Of this host and, in a container, of its own process ids: the same process id elsewhere is another process. */
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
