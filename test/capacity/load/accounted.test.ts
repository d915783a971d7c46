import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readAccountedRequests } from '../../../capacity/src/load/accounted.js';
import { createLocalK6 } from '../../../capacity/src/load/k6.js';
import { k6 } from '../../support/tools.js';
import { buildPlan } from '../support/index.js';

const folder = mkdtempSync(join(tmpdir(), 'accounted-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the script against a server, and returns the requests that the server received and those that were read. */
async function driveScript(answer: (n: number, response: ServerResponse) => void, csv: string) {
  const seen: string[] = [];
  const server = createServer(({ url, headers }, response) => {
    seen.push(`${headers['x-load-target-token'] as string} ${url}`);
    answer(seen.length, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const generator = await createLocalK6(k6);
  const run = generator.start({
    load: { name: 'faults', parts: [{ workload: 'faults', weight: 1 }], serviceSeconds: {}, executionSeconds: {} },
    rate: 10,
    stepSeconds: 2,
    arrivals: buildPlan().arrivals,
    warmupSeconds: 0,
    timeoutSeconds: 1,
    endpoints: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    token: 'secret',
    scriptEnv: {},
    folder,
    csv,
  });
  const { exitCode, stderr } = await run.finished;
  server.closeAllConnections();
  server.close();
  return { exitCode, stderr, seen, requests: await readAccountedRequests(join(folder, csv)) };
}

test('each request carries its own id, and its answer is recorded', async () => {
  const { exitCode, seen, requests } = await driveScript((n, response) => {
    if (n === 1) return void response.writeHead(503).end();
    if (n === 2) return void response.writeHead(500).end('{"message":"no"}');
    if (n === 3) return void response.destroy();
    if (n === 4) return; // a time-out
    if (n === 5) return void response.end('n8n is starting up. Please wait');
    response.end(JSON.stringify({ executionId: `${n}` }));
  }, 'answers.csv.gz');
  expect({ exitCode, sent: requests.length }).toEqual({ exitCode: 0, sent: 20 });
  expect(new Set(requests.map(({ id }) => id)).size).toBe(20);
  const sent = requests.map(({ id }) => `secret /webhook/n8n-tuned-faults?id=${id}`);
  expect(new Set(seen)).toEqual(new Set(sent));
  const statuses = requests.map(({ status }) => status).sort((a, b) => a - b);
  expect(statuses).toEqual([0, 0, ...Array.from({ length: 16 }, () => 200), 500, 503]);
  expect(requests.filter(({ starting }) => starting)).toEqual([expect.objectContaining({ status: 200 })]);
  for (const { status, execution, starting = false, sentAt, endedAt } of requests) {
    expect(execution === undefined).toBe(status !== 200 || starting);
    expect(endedAt).toBeGreaterThanOrEqual(sentAt);
  }
});

test('readAccountedRequests refuses a truncated output or one without an id', async () => {
  const header = 'metric_name,timestamp,metric_value,extra_tags\n';
  const write = (name: string, content: Buffer) => {
    writeFileSync(join(folder, name), content);
    return readAccountedRequests(join(folder, name));
  };
  await expect(write('bare.csv.gz', gzipSync(`${header}accounted,1,2,status=200\n`))).rejects.toThrow(/id/);
  const whole = gzipSync(`${header}accounted,1,2,id=a&status=200\n`);
  expect(await write('whole.csv.gz', whole)).toHaveLength(1);
  await expect(write('cut.csv.gz', whole.subarray(0, whole.length - 9))).rejects.toThrow();
});
