import { messageOf } from '../../core/errors.js';
import type { Cluster } from './cluster.js';
import type { List, NamespaceObject } from './objects.js';
import { RELEASE } from './release.js';
import { isLeftOver, MADE_BY, runNamespace, TOOL } from './run-labels.js';
import { execa } from 'execa';

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
  for (const { metadata } of items.filter((n) => isLeftOver(n.metadata))) {
    say(`  removing namespace ${metadata.name}, which a run that was killed has left`);
    await removeNamespace(cluster, helm, metadata.name).catch((error: unknown) =>
      say(`  namespace ${metadata.name} could not be removed: ${messageOf(error)}`),
    );
  }
}
