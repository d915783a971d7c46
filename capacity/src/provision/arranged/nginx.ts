import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import { ProcessObserver } from '../../observe/process-observer.js';
import type { Observer } from '../../observe/observer.js';
import type { Progress } from '../../report/progress.js';
import { ensureNginx } from '../../tools/system.js';
import type { Deployment } from '../deployment.js';
import { listening } from '../process/databases.js';
import { LOOPBACK } from '../process/host.js';
import { scratchFolder } from '../process/leftovers.js';
import { Supervised } from '../process/supervise.js';

const NAME = 'nginx';
const READY_SECONDS = 10;
const STOP_SECONDS = 5;

/** What nginx is configured with. */
export interface NginxSettings {
  /** Where it listens, and where it sends requests to, on the loopback address. */
  port: number;
  ports: number[];
  /** For its files. */
  folder: string;
  /** Whose its worker process is; only root may say so. */
  user?: string;
}

/**
 * One worker process that hands out requests in turn and keeps its connections. They end before Node's own (5 s without a
 * request), or a request would now and then be sent into one that is just being closed. Nothing is retried: a failure is
 * to be seen. See https://nginx.org/en/docs/http/ngx_http_upstream_module.html
 */
export function nginxConfig({ port, ports, folder, user }: NginxSettings): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `${user === undefined ? '' : `user ${user};\n`}daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${folder}/nginx.pid;
error_log stderr;
events {
  worker_connections 8192;
}
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  upstream processes {
${ports.map((to) => `    server ${LOOPBACK}:${to} max_fails=0;`).join('\n')}
    keepalive 512;
    keepalive_requests 1000000;
    keepalive_timeout 4s;
  }
  server {
    listen ${LOOPBACK}:${port} backlog=4096;
    keepalive_requests 1000000;
    client_max_body_size 16m;
    location / {
      proxy_pass http://processes;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_next_upstream off;
      proxy_read_timeout 600s;
    }
  }
}
`;
}

/**
 * The deployment behind nginx, which is looked at as the last of its instances. Its record stays what the chart gives.
 * @param logs folder for what nginx prints
 * @throws InputError when it cannot be installed, or does not listen
 */
export async function behindNginx(deployment: Deployment, progress: Progress, logs: string): Promise<Deployment> {
  await ensureNginx(progress);
  const folder = await scratchFolder();
  const nginx = await nginxOf(deployment, folder, logs);
  const { supervised, port } = nginx;
  const killNow = () => supervised.killNow();
  process.once('exit', killNow);
  const end = async () => {
    await supervised.stop(STOP_SECONDS);
    await rm(folder, { recursive: true, force: true });
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
    ...deployment,
    endpoints: [`http://${LOOPBACK}:${port}`],
    instances: [...deployment.instances, { name: NAME, component: 'balancer', limits: {} }],
    observer: both(deployment.observer, new ProcessObserver([{ ...supervised.launch, pid: () => supervised.pid }])),
    async ready() {
      const died = await deployment.ready();
      await ready();
      return died;
    },
    async teardown() {
      await end();
      await deployment.teardown();
    },
  };
}

async function nginxOf(
  { endpoints, events }: Deployment,
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
