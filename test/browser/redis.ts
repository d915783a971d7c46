import { listening } from '../../capacity/src/provision/listening.js';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Queue from 'bull';
import { execa } from 'execa';
import getPort from 'get-port';
import { redisCommand } from '../../capacity/src/provision/process/databases.js';
import { LOOPBACK } from '../../capacity/src/core/loopback.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { ensureRedis } from '../../capacity/src/tools/system.js';

/** A real Redis with a queue like that of n8n's main. */
export interface RunningRedis {
  port: number;
  stop(): Promise<void>;
}

/** Starts Redis in `folder`. Resolves when Bull has added the given numbers of waiting and delayed jobs to the queue `jobs`. */
export async function startRedis(folder: string, jobs: { waiting: number; delayed: number }): Promise<RunningRedis> {
  const home = join(folder, 'redis');
  await mkdir(home);
  const port = await getPort({ host: LOOPBACK });
  const progress = terminalProgress(true);
  const { command, args } = await redisCommand(await ensureRedis(progress), home, port, {}, []);
  const child = execa(command, args, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', reject: false });
  const stop = async () => {
    child.kill();
    await child;
  };
  try {
    await listening(port, 30, progress.signal);
    await fillQueue(port, jobs);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

async function fillQueue(port: number, { waiting, delayed }: { waiting: number; delayed: number }): Promise<void> {
  const queue = new Queue('jobs', { prefix: 'bull', redis: { host: LOOPBACK, port } });
  try {
    for (let i = 0; i < waiting; i++) await queue.add('job', { executionId: String(i) });
    for (let i = 0; i < delayed; i++) await queue.add('job', { executionId: 'later' }, { delay: 3_600_000 });
  } finally {
    await queue.close();
  }
}
