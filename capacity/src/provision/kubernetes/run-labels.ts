import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive } from '../../core/processes.js';
import type { NamespaceObject } from './objects.js';

/** Marks what this tool has made in a cluster, and by which run. */
export const MADE_BY = 'app.kubernetes.io/managed-by';
export const TOOL = 'n8n-capacity';
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
export function isLeftOver(
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
