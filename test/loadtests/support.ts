import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { k6 } from '../support/tools.js';
import { truth } from './truth.js';

export { truth };

const folder = fileURLToPath(new URL('../../loadtests/', import.meta.url));

/** Modules of `loadtests/lib` that import nothing from k6. They are plain JavaScript, so they have no types. */
export const importLib = (name: 'proof' | 'judge' | 'settings' | 'scenarios' | 'arrivals') =>
  import(`../../loadtests/lib/${name}.js`);

export const catalogue = JSON.parse(await readFile(join(folder, 'workloads.json'), 'utf8'));

export const workloads = Object.keys(catalogue);

export type Environment = Record<string, string>;

/** A line of k6's CSV output, with a member for each tag. */
export type Sample = { metric: string; time: number; value: number } & Record<string, string | number>;

export interface Run {
  code: number | null;
  output: string;
  samples: Sample[];
  /** Sum of the samples of a counter that have these tags. */
  count: (metric: string, tags?: Environment) => number;
}

/** Runs a script as n8n-capacity does, without the caller's environment. */
export async function runScript(script: string, env: Environment): Promise<Run> {
  const temporary = await mkdtemp(join(tmpdir(), 'n8n-tuned-k6-'));
  try {
    const csv = join(temporary, 'samples.csv');
    const { code, output } = await runK6(['run', '--quiet', '--no-usage-report', '--out', `csv=${csv}`, script], {
      K6_CSV_TIME_FORMAT: 'unix_micro',
      ...env,
    });
    const samples = await readFile(csv, 'utf8').then(parseSamples, () => []);
    const count: Run['count'] = (metric, tags = {}) =>
      samples
        .filter((s) => s.metric === metric && Object.entries(tags).every(([tag, value]) => s[tag] === value))
        .reduce((sum, { value }) => sum + value, 0);
    return { code, output, samples, count };
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** The options of a script as k6 reads them, without running it. */
export async function inspectScript(script: string, env: Environment = {}) {
  const { code, output } = await runK6(['inspect', '--include-system-env-vars', script], env);
  return { code, output, options: code === 0 ? JSON.parse(output) : undefined };
}

async function runK6(args: string[], env: Environment): Promise<{ code: number | null; output: string }> {
  const child = spawn(k6, args, { cwd: folder, env: { HOME: tmpdir(), ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, output };
}

function parseSamples(csv: string): Sample[] {
  const [header = '', ...lines] = csv.trim().split('\n');
  const columns = header.split(',');
  return lines.map((line) => {
    const cells = Object.fromEntries(line.split(',').map((cell, i) => [columns[i], cell]));
    const { metric_name, timestamp, metric_value, extra_tags, metadata: _, ...tags } = cells;
    return {
      ...tags,
      ...Object.fromEntries(new URLSearchParams(extra_tags)),
      metric: metric_name ?? '',
      time: Number(timestamp),
      value: Number(metric_value),
    };
  });
}

export interface Stub {
  url: string;
  requests: { url: string; token: string | undefined; time: number }[];
  close: () => Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on a free port of 127.0.0.1 that records its requests. */
export async function startStub(handler: Handler): Promise<Stub> {
  const requests: Stub['requests'] = [];
  const server = createServer((request, response) => {
    const token = request.headers['x-load-target-token'];
    requests.push({ url: request.url ?? '', token: token?.toString(), time: Date.now() });
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers like the load targets. */
export const answerHonestly: Handler = (request, response) => {
  const answer = truth(request.url ?? '');
  const ms = 'ms' in answer ? Number(answer.ms) : 0;
  setTimeout(() => sendJson(response, answer), ms);
};

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
