import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Component } from '../model/events.js';
import type { Fault, Harm } from './fault.js';

/** Longer than Bull's lock of 60 s and the 30 s between two looks for stalled jobs. */
const FROZEN_SECONDS = 100;
const UNREACHABLE_SECONDS = 90;
/** A restart of n8n on a busy machine, with the executions that it waits for. */
const RESTART_SECONDS = 20;
/** Of a fault that takes a moment. */
const MOMENT = 1;

/** Kills all processes of some instances at once, as the kernel does when memory runs out; they are restarted. */
export const kill = (component: Component, title: string, which: (names: string[]) => string[]): Fault => ({
  title,
  needs: { [component]: 1 },
  seconds: () => MOMENT,
  inject: async ({ hands }) => {
    const names = which(hands.instances(component));
    const killed = await Promise.all(names.map((name) => hands.signal(name, 'SIGKILL')));
    return killed.every(Boolean) ? `SIGKILL to ${names.join(', ')}` : undefined;
  },
});

/** Halts an instance for a time, as a frozen machine or a network that drops everything does. */
const halt = (component: Component, title: string, seconds: number): Fault => ({
  title,
  needs: { [component]: 1 },
  seconds: () => seconds,
  inject: async ({ hands, signal }) => {
    const [name] = hands.instances(component) as [string];
    await hands.signal(name, 'SIGSTOP');
    try {
      await sleep(1000, undefined, { signal });
      if (!(await hands.isHalted(name))) return undefined;
      const starts = hands.starts(name);
      await sleep((seconds - 1) * 1000, undefined, { signal });
      if (hands.starts(name) > starts) return `${name} was halted, and restarted by its liveness probe`;
      return (await hands.isHalted(name)) ? `${name} was halted for ${seconds} s` : undefined;
    } finally {
      await hands.signal(name, 'SIGCONT');
    }
  },
});

export const workerFreeze = halt('worker', `worker frozen for ${FROZEN_SECONDS} s`, FROZEN_SECONDS);
export const redisUnreachable = halt('redis', `Redis unreachable for ${UNREACHABLE_SECONDS} s`, UNREACHABLE_SECONDS);

/** Ends a database as its image is stopped; it is started again at once. */
const restart = (component: Component, title: string, signal: NodeJS.Signals): Fault => ({
  title,
  needs: { [component]: 1 },
  seconds: () => 5,
  inject: async ({ hands, signal: ended }) => {
    const [name] = hands.instances(component) as [string];
    const starts = hands.starts(name);
    if (!hands.signalFirst(name, signal)) return undefined;
    for (let left = 50; left > 0 && hands.starts(name) === starts; left--)
      await sleep(100, undefined, { signal: ended });
    return hands.starts(name) > starts ? `${name} ended by ${signal} and was started again` : undefined;
  },
});

export const redisRestart = restart('redis', 'Redis restarted', 'SIGTERM');
/** The image's stop signal: PostgreSQL ends its connections. */
export const postgresRestart = restart('postgresql', 'PostgreSQL restarted', 'SIGINT');

/** The append-only file and the snapshot of Redis. */
const REDIS_DATA = ['appendonlydir', 'dump.rdb'];

export const redisDataLoss: Fault = {
  title: "Redis' data lost",
  needs: { redis: 1 },
  seconds: () => 5,
  inject: async ({ hands }) => {
    const [name] = hands.instances('redis') as [string];
    await hands.takeDown(name);
    const files = REDIS_DATA.map((file) => join(hands.folder(name), file));
    const found = files.filter((file) => existsSync(file)).length;
    for (const file of files) await rm(file, { recursive: true, force: true });
    await hands.putBack(name);
    return `${name} came back empty${found > 0 ? '; its append-only file was removed' : ''}`;
  },
};

const N8N: Component[] = ['main', 'worker', 'webhook'];

export const rollingRestart: Fault = {
  title: 'every n8n process restarted, one after the other',
  needs: { main: 1 },
  seconds: (instances) => instances * RESTART_SECONDS,
  inject: async (harm) => {
    const names = N8N.flatMap((component) => harm.hands.instances(component));
    const ends: boolean[] = [];
    for (const name of names) ends.push(await restarted(harm, name));
    const clean = ends.filter(Boolean).length;
    return `${names.length} processes restarted, ${clean} of them ended with exit code 0`;
  },
};

async function restarted({ hands, signal }: Harm, name: string): Promise<boolean> {
  signal.throwIfAborted();
  const isClean = await hands.takeDown(name);
  signal.throwIfAborted();
  await hands.putBack(name);
  return isClean;
}

export const scaleIn: Fault = {
  title: 'one worker fewer',
  needs: { worker: 2 },
  seconds: () => 10,
  inject: async ({ hands }) => {
    const name = hands.instances('worker').at(-1)!;
    return `${name} ended ${(await hands.takeDown(name)) ? 'with exit code 0' : 'only when it was killed, or with an error'}`;
  },
};
