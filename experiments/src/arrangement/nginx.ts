import { LOOPBACK } from './loopback.js';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import {
  ensureNginx,
  listening,
  ProcessObserver,
  scratchFolder,
  Supervised,
  type Deployment,
  type Observer,
  type Progress,
} from 'n8n-capacity';
import { routeThroughPort } from './balancer.js';

const NAME = 'nginx';
const READY_SECONDS = 10;
const STOP_SECONDS = 5;

/**
 * Starts nginx in front of the deployment. nginx is observed as the last instance; the deployment's record does not change.
 * @param logs folder for nginx's log
 * @throws UsageError when nginx cannot be installed or does not listen
 */
export async function deployBehindNginx(deployment: Deployment, progress: Progress, logs: string): Promise<Deployment> {
  await ensureNginx(progress);
  const folder = await scratchFolder();
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const { supervised, port } = await prepareNginx(deployment, folder, logs).catch((error: unknown) =>
    removeFolder().then(() => Promise.reject(error as Error)),
  );
  const killNow = () => supervised.killNow();
  process.once('exit', killNow);
  const stopNginx = async () => {
    await supervised.stop(STOP_SECONDS);
    await removeFolder();
    process.off('exit', killNow);
  };
  const waitUntilListening = () => {
    supervised.startAfresh();
    return listening(port, READY_SECONDS, progress.signal);
  };
  try {
    await waitUntilListening();
  } catch (error) {
    await stopNginx();
    throw error;
  }
  return {
    ...routeThroughPort(deployment, port, stopNginx),
    sources: {
      ...deployment.sources,
      observer: combineObservers(
        deployment.sources.observer,
        new ProcessObserver([{ name: NAME, component: 'balancer', pid: () => supervised.pid }]),
      ),
    },
    async ready() {
      const died = await deployment.ready();
      await waitUntilListening();
      return died;
    },
  };
}

async function prepareNginx(
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
      // When nginx dies, webhooks are unreachable, as if their processes had died.
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

/** Merges two observers into one that reports the instances and events of both. */
const combineObservers = (one: Observer, other: Observer): Observer => ({
  async look(timeoutMs) {
    const [first, second] = await Promise.all([one.look(timeoutMs), other.look(timeoutMs)]);
    return {
      ...first,
      instances: [...first.instances, ...second.instances],
      events: [...first.events, ...second.events],
    };
  },
});

/** Settings of nginx. */
interface NginxSettings {
  /** Loopback port on which nginx listens. */
  port: number;
  /** Loopback ports to which nginx passes requests. */
  ports: number[];
  /** Folder for nginx's files. */
  folder: string;
  /** Owner of the worker process; only root may set it. */
  user?: string;
}

/**
 * nginx.conf with one worker process that distributes requests round-robin and keeps its connections. Node closes a connection
 * after 5 s without a request. nginx closes it earlier, so that no request is sent into a closing connection. Nothing is retried,
 * so that failures are visible. See https://nginx.org/en/docs/http/ngx_http_upstream_module.html
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
