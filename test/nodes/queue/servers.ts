import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';

/** A real Redis server for tests: redis-server on a free port, without persistence. */
export interface Server {
  port: number;
  /** Stops it; resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts a Redis with further options of its command line. */
export async function startRedis(options: string[] = [], port?: number): Promise<Server> {
  const listening = port ?? (await getPort());
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-redis-'));
  const plainPort = options.includes('--port') ? [] : ['--port', `${listening}`];
  const flags = [...plainPort, '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...options];
  const redis = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  await accepting(redis);
  return {
    port: listening,
    async stop() {
      if (redis.exitCode === null && redis.signalCode === null) {
        redis.kill('SIGTERM');
        await once(redis, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function accepting(redis: ChildProcess): Promise<void> {
  let log = '';
  for await (const chunk of redis.stdout ?? []) {
    log += chunk;
    if (log.includes('Ready to accept connections')) break;
  }
  if (!log.includes('Ready to accept connections')) throw new Error(`redis-server did not start:\n${log}`);
}

/** Starts a Redis Cluster of three masters. */
export async function startCluster(): Promise<{ ports: number[]; stop(): Promise<void> }> {
  const servers = await Promise.all(
    [0, 1, 2].map(async () => {
      const bus = await getPort();
      return startRedis(['--cluster-enabled', 'yes', '--cluster-port', `${bus}`, '--cluster-node-timeout', '2000']);
    }),
  );
  const ports = servers.map(({ port }) => port);
  const nodes = ports.map((port) => `127.0.0.1:${port}`);
  execFileSync('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-yes'], { stdio: 'pipe' });
  // redis-cli reports success a little before the other nodes know the slots.
  for (const port of ports) {
    for (let asked = 0; asked < 50; asked++) {
      if (execFileSync('redis-cli', ['-p', `${port}`, 'cluster', 'info']).includes('cluster_state:ok')) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return { ports, stop: async () => void (await Promise.all(servers.map((server) => server.stop()))) };
}

/** A server that answers each request with the result of `answer`. By default it never answers. */
export async function startServer(answer: (request: string) => string | undefined = () => undefined): Promise<Server> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const text = answer(String(data));
      if (text !== undefined) socket.write(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    async stop() {
      sockets.forEach((socket) => socket.destroy());
      server.close();
      await once(server, 'close');
    },
  };
}

/** A certificate authority with a certificate for `localhost` and 127.0.0.1, in a folder of its own. */
export function makeCertificates(folder: string): { ca: string; cert: string; key: string } {
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-days',
    '2',
    '-subj',
    '/CN=test authority',
  );
  openssl('req', ...newKey, '-keyout', 'redis.key', '-out', 'redis.csr', '-subj', '/CN=localhost');
  execFileSync('sh', ['-c', 'echo "subjectAltName=DNS:localhost,IP:127.0.0.1" > san'], { cwd: folder });
  const sign = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'san'];
  openssl('x509', '-req', '-in', 'redis.csr', '-out', 'redis.crt', ...sign);
  return { ca: path('ca.crt'), cert: path('redis.crt'), key: path('redis.key') };
}
