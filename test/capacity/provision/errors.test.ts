import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChartRefused, EnvironmentFault, NotReady, UsageError } from '../../../capacity/src/core/errors.js';
import { runLogged } from '../../../capacity/src/core/run-logged.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { renderChart } from '../../../capacity/src/chart/render.js';
import { ApiRefused, N8nApi } from '../../../capacity/src/provision/existing/api.js';
import { Cluster } from '../../../capacity/src/provision/kubernetes/cluster.js';
import { installRelease } from '../../../capacity/src/provision/kubernetes/install.js';
import { ReleaseView } from '../../../capacity/src/provision/kubernetes/release.js';
import { listening } from '../../../capacity/src/provision/listening.js';
import { n8nCommand } from '../../../capacity/src/provision/n8n-import.js';
import { helm } from '../../support/tools.js';

const folder = mkdtempSync(join(tmpdir(), 'errors-'));
const { signal } = new AbortController();
const closedPort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** helm fails at once; the API server shows these pods. */
function failedInstall(pods: string[]): Promise<void> {
  const view = new ReleaseView(undefined as never, 'a');
  view.allPods = () =>
    Promise.resolve(pods.map((name) => ({ metadata: { name }, spec: { containers: [] }, status: {} })));
  const given = { helm: 'false', chart: folder, values: { files: [], set: [] }, logs: folder };
  return installRelease({ ...given, cluster: new Cluster(), view, progress: terminalProgress(true) });
}

const failingN8n = () =>
  n8nCommand(
    { version: '2.41.1', node: 'sh', n8n: '-c', replaced: {} },
    {},
    join(folder, 'import.log'),
    signal,
  )('echo why; exit 3');

test.each<[string, () => Promise<unknown>, new (...args: never[]) => Error]>([
  [
    'values that contradict each other',
    () => renderChart(helm, { files: [], set: ['executions.process=own'] }),
    ChartRefused,
  ],
  ['n8n that ends before it is ready', failingN8n, NotReady],
  ['a release whose pods do not become ready', () => failedInstall(['n8n-tuned-main-x']), NotReady],
  ['a release without any pod', () => failedInstall([]), EnvironmentFault],
  ['a port on which nothing listens', async () => listening(await closedPort(), 0, signal), EnvironmentFault],
  [
    'a command that takes longer than it may',
    () => runLogged('sleep', ['30'], { log: join(folder, 'sleep.log'), signal, timeoutMs: 50 }),
    EnvironmentFault,
  ],
  ['a cluster that does not exist', () => new Cluster('no-such-context').kubectl(['get', 'pods']), EnvironmentFault],
])('%s', async (_, work, type) => {
  await expect(work()).rejects.toBeInstanceOf(type);
});

test('NotReady names the instance and holds the log', async () => {
  await expect(failingN8n()).rejects.toMatchObject({ instance: 'n8n', log: expect.stringContaining('why') });
});

describe("n8n's API", () => {
  async function answered(listener: RequestListener): Promise<unknown> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const error: unknown = await new N8nApi(`http://127.0.0.1:${port}`, 'hunter2').workflows().catch((e: unknown) => e);
    server.closeAllConnections();
    server.close();
    return error;
  }

  test.each([400, 401, 403, 404])('refuses with %i', async (status) => {
    const error = await answered((_, response) => response.writeHead(status).end('{"message":"no"}'));
    expect(error).toBeInstanceOf(ApiRefused);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ status, message: expect.not.stringContaining('hunter2') });
  });

  test.each<[string, RequestListener, new (...args: never[]) => Error]>([
    ['fails', (_, response) => response.writeHead(503).end(), EnvironmentFault],
    ['breaks off', (request) => request.socket.destroy(), EnvironmentFault],
    ['is another server', (_, response) => response.end('<html>'), UsageError],
  ])('%s', async (_, listener, type) => expect(await answered(listener)).toBeInstanceOf(type));
});
