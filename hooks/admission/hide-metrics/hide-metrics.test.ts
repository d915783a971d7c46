import { createServer, get, type Server } from 'node:http';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Admission, guard } from '../limit-requests/testing.js';

const hook = createRequire(import.meta.url)('./index.js') as {
  isOn: (env: Record<string, string>) => boolean;
  bind: (context: { server: Server }) => void;
};

/** Statuses of requests for paths with headers, in front of an n8n that answers all of them. */
async function statuses(asked: [path: string, headers: Record<string, string>][], isPrivate = true): Promise<number[]> {
  const server = createServer((_, response) => response.end('n8n'));
  if (hook.isOn({ N8N_TUNED_PRIVATE_METRICS: String(isPrivate) })) hook.bind({ server });
  guard(server, new Admission({ most: 1, line: 0, longest: 1 }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const found: number[] = [];
    for (const [path, headers] of asked) {
      const [response] = await once(get({ port, path, headers, agent: false }), 'response');
      response.resume();
      found.push(response.statusCode);
    }
    return found;
  } finally {
    server.close();
  }
}

const viaIngress = { 'x-forwarded-for': '203.0.113.7' };

test('a request through a proxy does not get the metrics, however the path is written', async () => {
  const paths = [
    '/metrics',
    '/metrics/',
    '/METRICS',
    '/metrics?a=b',
    'http://n8n.example.com/metrics',
    '//a@b/metrics#',
  ];
  expect(await statuses(paths.map((path) => [path, viaIngress]))).toEqual(paths.map(() => 404));
  expect(await statuses([['/metrics', { forwarded: 'for=203.0.113.7' }]])).toEqual([404]);
  expect(await statuses([['/metrics', { 'x-real-ip': '203.0.113.7' }]])).toEqual([404]);
});

test('Prometheus gets the metrics, and a proxy gets everything else', async () => {
  expect(await statuses([['/metrics', {}]])).toEqual([200]);
  expect(await statuses(['/', '/healthz', '/metricsx', '/webhook/metrics'].map((path) => [path, viaIngress]))).toEqual([
    200, 200, 200, 200,
  ]);
  expect(await statuses([['/metrics', viaIngress]], false)).toEqual([200]);
});
