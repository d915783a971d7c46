import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
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
  // Ends with the test's process in any case. It holds none of the streams, for which Jest would wait.
  const redis = execa('redis-server', flags, { stdin: 'ignore', all: true, reject: false });
  await accepting(redis.all);
  return {
    port: listening,
    async stop() {
      redis.kill('SIGTERM');
      await redis;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function accepting(output: Readable): Promise<void> {
  let log = '';
  await new Promise<void>((resolve) => {
    output.on('data', (chunk: Buffer) => {
      log += String(chunk);
      if (log.includes('Ready to accept connections')) resolve();
    });
    output.once('end', resolve);
  });
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
