/**
 * `npm run bench:admission`: measures the CPU cost of admission for an admitted request. Two HTTP servers, one with the chart's
 * admission, serve the same requests in turn. The difference of their CPU times is compared with n8n's time for one execution of
 * the lightest workflow (bench/results/gap.json). Writes bench/results/admission.json. Exits with 1 if the share is above the target.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { median } from 'simple-statistics';

const root = join(import.meta.dirname, '..');
const hooks = join(root, 'hooks/admission/limit-requests');
const ROUNDS = 9;
const REQUESTS = 20_000;
const CONNECTIONS = 10;
/** Share of n8n's time for a request that admission may add. */
const MOST = 0.01;

/** Script of a server that answers immediately. It prints its port, and sends its CPU time in microseconds on request. */
const SERVER = `
  const { Admission } = require(${JSON.stringify(join(hooks, 'admission.js'))});
  const { guard } = require(${JSON.stringify(join(hooks, 'guard.js'))});
  const { HeapLimit, watchHeap } = require(${JSON.stringify(join(hooks, 'heap.js'))});
  const { LatencyLimit } = require(${JSON.stringify(join(hooks, 'latency.js'))});
  const { countIn, sparingly } = require(${JSON.stringify(join(hooks, 'executions.js'))});
  const server = require('node:http').createServer((_, response) => response.end('{}'));
  // n8n's active executions: as many as main of the default deployment works on.
  const execution = { status: 'running', executionData: { executionMode: 'webhook' } };
  const activeExecutions = Object.fromEntries(Array.from({ length: 40 }, (_, id) => [id, execution]));
  const active = { activeExecutions, responseModes: new Map() };
  if (process.argv[1] === 'with') {
    const executions = sparingly(() => countIn(active, false));
    const admission = new Admission({ most: 51, line: 100, longest: 2000, executions });
    admission.heap = new HeapLimit({ held: () => admission.held, admitted: () => admission.admitted });
    watchHeap(admission.heap);
    // Of the two adaptive limits, the one that inspects each request.
    admission.concurrency = new LatencyLimit({ full: 51 });
    guard(server, admission);
  }
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.on('message', () => process.send(process.cpuUsage()));
`;

/** Measures the CPU time of a server per request, in microseconds. */
async function cpuOf(kind) {
  const child = spawn(process.execPath, ['-e', SERVER, kind], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  try {
    const [port] = await once(child.stdout, 'data');
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    await load(Number(port), agent, REQUESTS / 4);
    const before = await usage(child);
    await load(Number(port), agent, REQUESTS);
    const after = await usage(child);
    agent.destroy();
    return (after.user + after.system - before.user - before.system) / REQUESTS;
  } finally {
    child.kill('SIGKILL');
  }
}

async function usage(child) {
  child.send('usage');
  const [used] = await once(child, 'message');
  return used;
}

async function load(port, agent, requests) {
  let left = requests;
  const client = async () => {
    while (left-- > 0) await one(port, agent);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

const one = (port, agent) =>
  new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/webhook/a', agent }, (answer) => answer.resume().on('end', resolve)).on(
      'error',
      reject,
    );
  });

const added = [];
for (let round = 0; round < ROUNDS; round++) {
  const without = await cpuOf('without');
  added.push((await cpuOf('with')) - without);
}
const { rates } = JSON.parse(readFileSync(join(root, 'bench/results/gap.json'), 'utf8'));
const fastest = Math.max(...Object.values(rates));
const microseconds = Number(median(added).toPrecision(3));
const share = microseconds / (1e6 / fastest);
const met = share < MOST;
const record = {
  cpu: cpus()[0]?.model,
  node: process.version,
  microseconds,
  fastestPerSecond: fastest,
  share,
  target: MOST,
  met,
};
writeFileSync(join(root, 'bench/results/admission.json'), `${JSON.stringify(record, null, 2)}\n`);
console.log(
  `Admission adds ${microseconds} µs of CPU to a request; n8n takes ${(1000 / fastest).toFixed(1)} ms for the lightest: ${(100 * share).toFixed(2)} % (target: under 1 %).`,
);
process.exitCode = met ? 0 : 1;
