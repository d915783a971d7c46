import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitUntil } from '../../../../capacity/src/core/wait-until.js';
import { ProbeRunner, probeUrl } from '../../../../capacity/src/provision/process/probes.js';
import type { Supervised } from '../../../../capacity/src/provision/process/supervise.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: Server;
beforeEach(async () => {
  // It takes connections, and never answers.
  server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('a server that hangs is ended, however often garbage is collected', async () => {
  const ended: string[] = [];
  const supervised = { starts: 1, pid: 1, endForProbe: (detail: string) => Promise.resolve(void ended.push(detail)) };
  const livenessProbe = {
    httpGet: { path: '/', port: 1 },
    periodSeconds: 0.01,
    timeoutSeconds: 0.2,
    failureThreshold: 3,
  };
  const { port } = server.address() as AddressInfo;
  const probes = new ProbeRunner({ name: 'main', livenessProbe }, supervised as unknown as Supervised, port);
  const collecting = setInterval(collectGarbage, 50);
  probes.run();
  await waitUntil(() => ended.length > 0, { seconds: 40, everyMs: 20 });
  clearInterval(collecting);
  probes.stop();
  expect(ended[0]).toBe('liveness probe failed 3 times');
});

test('a period longer than timers can be does not ask all the time', async () => {
  let asked = 0;
  server.removeAllListeners('request').on('request', (_, response: ServerResponse) => {
    asked += 1;
    response.end();
  });
  const readinessProbe = { httpGet: { path: '/', port: 1 }, periodSeconds: 2_147_484 };
  const { port } = server.address() as AddressInfo;
  const probes = new ProbeRunner(
    { name: 'main', readinessProbe },
    { starts: 1, pid: 1 } as unknown as Supervised,
    port,
  );
  probes.run();
  await waitUntil(() => probes.ready, { seconds: 10, everyMs: 20 });
  await sleep(200);
  probes.stop();
  expect(asked).toBe(1);
});

test.each([
  ['/healthz', '/healthz'],
  ['healthz', '/healthz'],
  ['@example.org/x', '/@example.org/x'],
  ['', '/'],
  [undefined, '/'],
])('the path %s is asked of this machine', (path, asked) => {
  const url = new URL(probeUrl(5678, { httpGet: { port: 1, ...(path !== undefined && { path }) } }));
  expect([url.host, url.pathname, url.username]).toEqual(['127.0.0.1:5678', asked, '']);
});
