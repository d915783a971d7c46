import { waitUntil } from '../../core/wait-until.js';
import type { LimitsNotice } from '../../model/run.js';
import type { Limits } from '../../model/events.js';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../core/errors.js';
import { statEntry, isOwnedByUser } from '../../core/owner.js';
import { canBeSignalled, signalProcess } from '../../core/processes.js';

const ROOT = '/sys/fs/cgroup';
const PARENT = 'n8n-tuned';
/** The kubelet's CFS period, in microseconds. */
const PERIOD_US = 100_000;

/** One pod's CPU and memory limits, enforced by the kernel as in a cluster. */
export interface Cgroup {
  /** Files to which a process writes its id to come under the limits; its children inherit them. */
  procs: string[];
  /** How often the kernel has OOM-killed a process of this group. */
  oomKills(): Promise<number>;
  /** Memory in use, less file cache that is not active, as the kubelet counts it; undefined when it cannot be read. */
  workingSet(): number | undefined;
  /** Ids of all processes in the group that this process sees. */
  pids(): Promise<number[]>;
  /** Removes the group; its processes must have ended. */
  remove(): Promise<void>;
}

type Hierarchy = { version: 1; cpu: string; memory: string } | { version: 2; unified: string };

/** The cgroup hierarchy that this process may write to; if none, the notice says why. */
export async function cgroupHierarchy(root = ROOT): Promise<{ hierarchy?: Hierarchy; notice: LimitsNotice }> {
  const unavailable = (detail: string) => ({ notice: { enforced: false, detail } });
  if (process.platform !== 'linux') return unavailable(`no cgroups on ${process.platform}`);
  try {
    if (existsSync(join(root, 'cgroup.controllers'))) {
      const unified = join(root, PARENT);
      await mkdir(unified, { recursive: true });
      await writeFile(join(root, 'cgroup.subtree_control'), '+cpu +memory');
      await writeFile(join(unified, 'cgroup.subtree_control'), '+cpu +memory');
      return { hierarchy: { version: 2, unified }, notice: { enforced: true, detail: 'cgroup v2' } };
    }
    for (const controller of ['cpu', 'memory']) {
      if (!existsSync(join(root, controller, 'cgroup.procs')))
        return unavailable(`no ${controller} controller under ${root}`);
    }
    const [cpu, memory] = [join(root, 'cpu', PARENT), join(root, 'memory', PARENT)];
    await mkdir(cpu, { recursive: true });
    await mkdir(memory, { recursive: true });
    return { hierarchy: { version: 1, cpu, memory }, notice: { enforced: true, detail: 'cgroup v1' } };
  } catch (error) {
    return unavailable(
      `no rights to cgroups (${(error as NodeJS.ErrnoException).code ?? messageOf(error)}); run as root to enforce limits`,
    );
  }
}

/** Creates a group with these limits; an undefined limit is not enforced. */
export async function createCgroup(hierarchy: Hierarchy, name: string, limits: Limits): Promise<Cgroup> {
  return hierarchy.version === 1
    ? createV1(hierarchy.cpu, hierarchy.memory, name, limits)
    : createV2(hierarchy.unified, name, limits);
}

const quotaUs = (cpuMillis: number) => Math.round((cpuMillis / 1000) * PERIOD_US);

async function createV1(cpuRoot: string, memoryRoot: string, name: string, limits: Limits): Promise<Cgroup> {
  const [cpu, memory] = [join(cpuRoot, name), join(memoryRoot, name)];
  await mkdir(cpu, { recursive: true });
  await mkdir(memory, { recursive: true });
  if (limits.cpuMillis !== undefined) {
    await writeFile(join(cpu, 'cpu.cfs_period_us'), String(PERIOD_US));
    await writeFile(join(cpu, 'cpu.cfs_quota_us'), String(quotaUs(limits.cpuMillis)));
  }
  if (limits.memoryBytes !== undefined) {
    await writeFile(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes));
    // Without it, swap would stretch the limit; not every kernel accounts for swap.
    await writeFile(join(memory, 'memory.memsw.limit_in_bytes'), String(limits.memoryBytes)).catch(() => {});
  }
  return {
    procs: [join(cpu, 'cgroup.procs'), join(memory, 'cgroup.procs')],
    oomKills: () => field(join(memory, 'memory.oom_control'), 'oom_kill'),
    workingSet: () => workingSet(memory, 'memory.usage_in_bytes', 'total_inactive_file'),
    pids: () => numbers(join(memory, 'cgroup.procs')),
    remove: async () => void (await Promise.all([rmdir(cpu), rmdir(memory)])),
  };
}

async function createV2(root: string, name: string, limits: Limits): Promise<Cgroup> {
  const group = join(root, name);
  await mkdir(group, { recursive: true });
  if (limits.cpuMillis !== undefined)
    await writeFile(join(group, 'cpu.max'), `${quotaUs(limits.cpuMillis)} ${PERIOD_US}`);
  if (limits.memoryBytes !== undefined) {
    await writeFile(join(group, 'memory.max'), String(limits.memoryBytes));
    await writeFile(join(group, 'memory.swap.max'), '0').catch(() => {});
    // As the kubelet does since 1.28: one OOM kill takes the whole container.
    await writeFile(join(group, 'memory.oom.group'), '1');
  }
  return {
    procs: [join(group, 'cgroup.procs')],
    oomKills: () => field(join(group, 'memory.events'), 'oom_kill'),
    workingSet: () => workingSet(group, 'memory.current', 'inactive_file'),
    pids: () => numbers(join(group, 'cgroup.procs')),
    remove: async () => void (await rmdir(group)),
  };
}

/** Reads synchronously: the kernel answers from memory. */
function workingSet(group: string, used: string, inactive: string): number | undefined {
  try {
    const cache = new RegExp(`^${inactive} (\\d+)$`, 'm').exec(readFileSync(join(group, 'memory.stat'), 'utf8'));
    return Math.max(0, Number(readFileSync(join(group, used), 'utf8')) - Number(cache?.[1] ?? 0));
  } catch {
    return undefined;
  }
}

async function field(file: string, name: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

async function numbers(file: string): Promise<number[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number).filter(canBeSignalled);
}

/** Removes a group as soon as its last process has left it, which takes a moment after a kill; gives up after 2 s. */
export const removeWhenEmpty = ({ remove }: Pick<Cgroup, 'remove'>): Promise<unknown> =>
  waitUntil(() => succeeds(remove()), { seconds: 2, everyMs: 100 });

const succeeds = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/**
 * Removes the groups of earlier runs that were killed, and kills the processes still in them. Groups and processes of other
 * users remain.
 */
export async function sweepCgroups(hierarchy: Hierarchy, isOurs: (name: string) => boolean): Promise<void> {
  const roots = hierarchy.version === 1 ? [hierarchy.memory, hierarchy.cpu] : [hierarchy.unified];
  for (const root of roots) {
    const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((e) => e.isDirectory() && isOurs(e.name))) {
      const group = join(root, entry.name);
      if (!(await isOfThisUser(group))) continue;
      for (const pid of await numbers(join(group, 'cgroup.procs')))
        if (await isOfThisUser(`/proc/${pid}`)) signalProcess(pid, 'SIGKILL');
      await removeWhenEmpty({ remove: () => rmdir(group) });
    }
  }
}

async function isOfThisUser(path: string): Promise<boolean> {
  const entry = await statEntry(path);
  return entry !== undefined && isOwnedByUser(entry);
}
