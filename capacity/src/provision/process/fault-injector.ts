import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Evidence, FaultInjector } from '../../model/deployment.js';
import type { Component } from '../../model/events.js';
import { readPostgresAddress } from '../../observe/postgres.js';
import { createMarker, type Marker } from '../../observe/redis-marker.js';
import { isDatabase, type Running } from './running.js';

/** The signal by which the image of a database is stopped. At PostgreSQL's, it ends its connections. */
const STOP_SIGNAL = { redis: 'SIGTERM', postgresql: 'SIGINT' } as const;
/** The append-only file of Redis, as version 7 and older ones keep it, and its snapshot. */
const REDIS_DATA = ['appendonlydir', 'appendonly.aof', 'dump.rdb'];
/** The supervisor starts what ended within this time. */
const RESTART_MS = 5000;
const LOOK_MS = 100;

/**
 * Harms processes of this machine.
 * @param untilUp waits until an instance is ready
 */
export function createProcessInjector(
  running: Running[],
  environment: Record<string, string>,
  untilUp: (running: Running) => Promise<void>,
): FaultInjector {
  const all = (component: Component) => running.filter(({ pod }) => pod.component === component);
  const postgres = readPostgresAddress(environment);
  return {
    environment,
    ...(postgres && { postgres }),
    kill: (component, which) => killed(which === 'one' ? all(component).slice(0, 1) : all(component)),
    halt: (component, seconds, signal) => halted(all(component)[0]!, seconds, signal),
    restart: (database, signal) => restarted(all(database)[0]!, STOP_SIGNAL[database], signal),
    takeAway: (database, seconds, signal) =>
      away(all(database)[0]!, { seconds, stop: STOP_SIGNAL[database], untilUp, signal }),
    loseQueue: () => emptied(all('redis')[0]!, createMarker(environment), untilUp),
    restartEach: (signal) =>
      restartedInTurn(
        running.filter((instance) => !isDatabase(instance)),
        untilUp,
        signal,
      ),
    scaleIn: () => takenDown(all('worker').at(-1)!),
  };
}

async function killed(instances: Running[]): Promise<Evidence> {
  const killed = await Promise.all(instances.map(({ supervised }) => supervised.signal('SIGKILL')));
  return killed.every(Boolean) ? `SIGKILL to ${instances.map(({ pod }) => pod.name).join(', ')}` : undefined;
}

async function halted(instance: Running, seconds: number, signal: AbortSignal): Promise<Evidence> {
  const { pod, supervised } = instance;
  await supervised.signal('SIGSTOP');
  try {
    await sleep(1000, undefined, { signal });
    if (!(await isHalted(instance))) return undefined;
    const { starts } = supervised;
    await sleep((seconds - 1) * 1000, undefined, { signal });
    if (supervised.starts > starts) return `${pod.name} was halted, and restarted by its liveness probe`;
    return (await isHalted(instance)) ? `${pod.name} was halted for ${seconds} s` : undefined;
  } finally {
    await supervised.signal('SIGCONT');
  }
}

async function isHalted({ supervised }: Running): Promise<boolean> {
  const pids = await supervised.pids();
  return pids.length > 0 && pids.every(isStopped);
}

/** Whether a process has the state `T` of proc(5); one that has ended meanwhile has not. */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  } catch {
    return false;
  }
}

/** Sends a signal to the first process of an instance alone, as a container runtime does. */
async function restarted({ pod, supervised }: Running, stop: NodeJS.Signals, signal: AbortSignal): Promise<Evidence> {
  const { pid, starts } = supervised;
  if (pid === undefined || !process.kill(pid, stop)) return undefined;
  for (let left = RESTART_MS; left > 0 && supervised.starts === starts; left -= LOOK_MS)
    await sleep(LOOK_MS, undefined, { signal });
  return supervised.starts > starts ? `${pod.name} ended by ${stop} and was started again` : undefined;
}

interface Away {
  seconds: number;
  stop: NodeJS.Signals;
  untilUp: (running: Running) => Promise<void>;
  signal: AbortSignal;
}

async function away(instance: Running, { seconds, stop, untilUp, signal }: Away): Promise<Evidence> {
  const { pod, supervised } = instance;
  await supervised.takeDown(stop);
  try {
    await sleep(seconds * 1000, undefined, { signal });
  } finally {
    supervised.putBack();
  }
  await untilUp(instance);
  return `${pod.name} ended by ${stop} and was away for ${seconds} s`;
}

async function emptied(
  instance: Running,
  marker: Marker,
  untilUp: (running: Running) => Promise<void>,
): Promise<Evidence> {
  const { pod, supervised } = instance;
  if (!(await marker.set())) return undefined;
  await supervised.takeDown();
  const files = REDIS_DATA.map((file) => join(supervised.launch.cwd, file)).filter((file) => existsSync(file));
  for (const file of files) await rm(file, { recursive: true, force: true });
  supervised.putBack();
  await untilUp(instance);
  if (!(await marker.isGone())) return undefined;
  return `${pod.name} came back empty${files.length > 0 ? '; its append-only file was removed' : ''}`;
}

async function restartedInTurn(
  instances: Running[],
  untilUp: (running: Running) => Promise<void>,
  signal: AbortSignal,
): Promise<Evidence> {
  let clean = 0;
  for (const instance of instances) {
    signal.throwIfAborted();
    if (await instance.supervised.takeDown()) clean++;
    signal.throwIfAborted();
    instance.supervised.putBack();
    await untilUp(instance);
  }
  return `processes restarted: ${instances.length}, of which ${clean} ended with exit code 0`;
}

async function takenDown({ pod, supervised }: Running): Promise<Evidence> {
  const isClean = await supervised.takeDown();
  return `${pod.name} ended ${isClean ? 'with exit code 0' : 'only when it was killed, or with an error'}`;
}
