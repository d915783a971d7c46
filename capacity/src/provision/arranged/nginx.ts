import { listening } from '../listening.js';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import { ProcessObserver } from '../../observe/process-observer.js';
import type { Progress } from '../../core/progress.js';
import { ensureNginx } from '../../tools/system.js';
import type { Deployment, Observer } from '../../model/deployment.js';
import { LOOPBACK } from '../process/host.js';
import { scratchFolder } from '../leftovers.js';
import { Supervised } from '../process/supervise.js';
import { inFront } from './in-front.js';
import { nginxConfig } from './nginx-config.js';

const NAME = 'nginx';
const READY_SECONDS = 10;
const STOP_SECONDS = 5;

/**
 * The deployment behind nginx, which is looked at as the last of its instances. Its record stays what the chart gives.
 * @param logs folder for what nginx prints
 * @throws UsageError when it cannot be installed, or does not listen
 */
export async function behindNginx(deployment: Deployment, progress: Progress, logs: string): Promise<Deployment> {
  await ensureNginx(progress);
  const folder = await scratchFolder();
  const remove = () => rm(folder, { recursive: true, force: true });
  const { supervised, port } = await nginxOf(deployment, folder, logs).catch((error: unknown) =>
    remove().then(() => Promise.reject(error as Error)),
  );
  const killNow = () => supervised.killNow();
  process.once('exit', killNow);
  const end = async () => {
    await supervised.stop(STOP_SECONDS);
    await remove();
    process.off('exit', killNow);
  };
  const ready = () => {
    supervised.startAfresh();
    return listening(port, READY_SECONDS, progress.signal);
  };
  try {
    await ready();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    ...inFront(deployment, port, end),
    sources: {
      ...deployment.sources,
      observer: both(
        deployment.sources.observer,
        new ProcessObserver([{ name: NAME, component: 'balancer', pid: () => supervised.pid }]),
      ),
    },
    async ready() {
      const died = await deployment.ready();
      await ready();
      return died;
    },
  };
}

async function nginxOf(
  { access: { endpoints }, events }: Deployment,
  folder: string,
  logs: string,
): Promise<{ supervised: Supervised; port: number }> {
  const port = await getPort({ host: LOOPBACK });
  const ports = endpoints.map((url) => Number(new URL(url).port));
  const isRoot = process.getuid?.() === 0;
  const config = join(folder, 'nginx.conf');
  await writeFile(config, nginxConfig({ port, ports, folder, ...(isRoot && { user: 'root' }) }));
  const supervised = new Supervised(
    {
      name: NAME,
      // Of its end the processes behind it are out of reach, as of their own.
      component: 'webhook',
      command: 'nginx',
      args: ['-p', folder, '-e', 'stderr', '-c', config],
      environment: { PATH: process.env.PATH ?? '' },
      cwd: folder,
      logFile: join(logs, 'nginx.log'),
      graceSeconds: STOP_SECONDS,
    },
    events,
  );
  return { supervised, port };
}

/** Looks at the instances of one, then at those of the other. */
const both = (one: Observer, other: Observer): Observer => ({
  async look(timeoutMs) {
    const [first, second] = await Promise.all([one.look(timeoutMs), other.look(timeoutMs)]);
    return {
      ...first,
      instances: [...first.instances, ...second.instances],
      events: [...first.events, ...second.events],
    };
  },
});
