import { readFileSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { LOOPBACK } from '../../core/loopback.js';
import { toMebibytes, formatMib } from '../../core/formats.js';
import { machineMemoryBytes } from '../../core/memory.js';
import { messageOf } from '../../core/errors.js';
import { cacheFolder } from '../../core/paths.js';
import type { LimitsNotice } from '../../model/run.js';
import { cgroupHierarchy } from '../../provision/process/cgroup.js';
import { readPinnedState, readPinnedVersions } from '../../tools/runtimes.js';
import type { Finding } from './finding.js';

/** Checks the machine: cores, memory, disk, limits of CPU and memory, ports. */
export async function checkMachine(): Promise<Finding[]> {
  const [version] = (await readPinnedVersions()) as [string];
  const { installed, needsMiB } = await readPinnedState(version);
  const { notice } = await cgroupHierarchy();
  return [
    coresFinding(availableParallelism()),
    memoryFinding(toMebibytes(machineMemoryBytes())),
    await checkDisk(installed, installed ? SPARE_MIB : needsMiB + SPARE_MIB),
    limitsFinding(notice),
    await checkLoopback(),
    portsFinding(readPortRange()),
  ];
}

/** Cores that a run needs: under load, n8n's main thread takes one and k6 takes another. */
const CORES = 2;

export const coresFinding = (count: number): Finding => ({
  name: 'cores',
  ...(count >= CORES
    ? { state: 'ok', detail: String(count) }
    : {
        state: 'limited',
        detail: `${count}: n8n and k6 share it, so a run measures less than n8n can take`,
        fix: 'Use a machine with 2 cores or more, or an n8n elsewhere with --provisioner existing.',
      }),
});

/** MiB: the memory limit of n8n in the chart's default deployment, and the same for k6, the tool and the system. */
const MEMORY_MIB = 4096;

export const memoryFinding = (found: number): Finding => ({
  name: 'memory',
  ...(found >= MEMORY_MIB
    ? { state: 'ok', detail: formatMib(found) }
    : {
        state: 'limited',
        detail: `${formatMib(found)}: the chart's default deployment and k6 may need ${formatMib(MEMORY_MIB)}`,
        fix: 'Use a machine with more memory, or a smaller deployment, such as --set main.resources.limits.memory=1Gi.',
      }),
});

/** MiB for k6, helm and records. */
const SPARE_MIB = 1500;

async function checkDisk(installed: boolean, needed: number): Promise<Finding> {
  const folder = await nearestExisting(cacheFolder);
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    return unwritableFinding(`${cacheFolder}: ${messageOf(error)}`, installed);
  }
  const { bavail, bsize } = await statfs(folder);
  return spaceFinding(toMebibytes(bavail * bsize), needed);
}

/** @param installed whether everything that a run uses is installed, so that it need not write */
export function unwritableFinding(why: string, installed: boolean): Finding {
  const fix = 'Set N8N_TUNED_CACHE to a folder that you may write to.';
  return installed
    ? { name: 'disk', state: 'limited', detail: `${why}: nothing more can be installed`, fix }
    : { name: 'disk', state: 'missing', detail: why, fix };
}

export function spaceFinding(free: number, needed: number): Finding {
  const detail = `${formatMib(free)} free for ${cacheFolder}`;
  if (free >= needed) return { name: 'disk', state: 'ok', detail };
  const fix = 'Free some space, or set N8N_TUNED_CACHE to a folder on another disk.';
  return { name: 'disk', state: 'missing', detail: `${detail}, ${formatMib(needed)} needed`, fix };
}

/** The folder, or the nearest one above it that exists. */
async function nearestExisting(folder: string): Promise<string> {
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

/** The features that need root (provision/process/cgroup.ts, tools/system.ts, faults/small-disk.ts). */
const ROOT_NOTE =
  'Only these limits, apt-get and faults --fault disk-full need root; as root, n8n and Redis run as root, too';

export const limitsFinding = ({ enforced, detail }: LimitsNotice): Finding => ({
  name: 'cgroups',
  ...(enforced
    ? { state: 'ok', detail: `${detail}: CPU and memory limits are enforced. ${ROOT_NOTE}` }
    : {
        state: 'limited',
        detail: `${detail}: CPU and memory limits of the values are not enforced. ${ROOT_NOTE}`,
        fix: 'Run as root on Linux, or measure with --provisioner kubernetes.',
      }),
});

/** Whether a server can listen on 127.0.0.1, as every process of a deployment does. */
function checkLoopback(): Promise<Finding> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) =>
      resolve({
        name: 'loopback',
        state: 'missing',
        detail: `cannot listen on 127.0.0.1: ${error.message}`,
        fix: 'Allow this user to listen on 127.0.0.1.',
      }),
    );
    server.listen(0, LOOPBACK, () =>
      server.close(() => resolve({ name: 'loopback', state: 'ok', detail: '127.0.0.1 has free ports' })),
    );
  });
}

/** Ports for connections that k6 has open or closing at once. A rate of 100/s with new connections uses 6000 a minute. */
const PORTS = 10_000;

/** First and last port of outgoing connections; undefined if they cannot be read, as on macOS. */
function readPortRange(): [number, number] | undefined {
  try {
    const [first, last] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
      .trim()
      .split(/\s+/)
      .map(Number);
    return [first!, last!];
  } catch {
    return undefined;
  }
}

export function portsFinding(ports: [number, number] | undefined): Finding {
  if (!ports) return { name: 'ports', state: 'ok', detail: 'as the system sets them' };
  const [first, last] = ports;
  const detail = `${last - first + 1} for outgoing connections (${first} to ${last})`;
  if (last - first + 1 >= PORTS) return { name: 'ports', state: 'ok', detail };
  const fix = 'sysctl -w net.ipv4.ip_local_port_range="32768 60999"';
  return { name: 'ports', state: 'limited', detail: `${detail}: k6 may run out of them at high rates`, fix };
}
