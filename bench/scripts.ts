/**
 * `npm run bench:scripts`: measures the cost of checking each answer. Runs each script of loadtests/ against a server that answers
 * immediately, and in turn a script of one line that sends the same request. Both use a closed loop and the same outputs. Prints the
 * ratios of the rates and writes bench/results/scripts.json. Exits with 1 if a script reaches less than 80 % of the one-line
 * script's rate.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Table from 'cli-table3';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import { terminalProgress } from '../capacity/src/core/progress.js';
import { root } from './page.js';

/** Ratio to the rate of the one-line script that each script must reach. */
const MIN_RATIO = 0.8;
const SECONDS = 2;
const CLIENTS = 20;
/** Measurements of each script, in turn with the one-line script: the speed of the machine changes more slowly than that. */
const ROUNDS = 5;

/** The same request, with the token; without it a load target answers 403. */
const ONE_LINE = `import http from 'k6/http'; export default () => http.get(__ENV.URL, { headers: { 'x-load-target-token': __ENV.TOKEN } });`;

interface Workload {
  path: string;
  query: Record<string, { env: string; default: number; minimum: number }>;
}
const catalogue = JSON.parse(readFileSync(join(root, 'loadtests/workloads.json'), 'utf8')) as Record<string, Workload>;

/** Parameters that get their minimum: the stub answers immediately and does not wait, hold or burn. */
const AT_ONCE = new Set(['seconds', 'ms']);

// The built module, because it looks for its recipe beside itself.
const tools = (await import(
  join(root, 'capacity/dist/tools/programs.js')
)) as typeof import('../capacity/src/tools/programs.js');
const k6 = await tools.ensureK6(terminalProgress());
const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-scripts-'));
const server = fork(join(root, 'capacity/dist/bench/bench/scripts/server.js'));
try {
  const [port] = (await once(server, 'message')) as [number];
  writeFileSync(join(folder, 'one-line.js'), ONE_LINE);
  const results = [];
  for (const [name, workload] of Object.entries(catalogue)) results.push(await compareScript(name, workload, port));
  report(results);
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}

/** Measures requests per second of a script and of the one-line script, and their ratio; medians of the rounds. */
async function compareScript(name: string, { path, query }: Workload, port: number) {
  const values = Object.entries(query).map(
    ([key, q]) => [key, q.env, AT_ONCE.has(key) ? q.minimum : q.default] as const,
  );
  const base = `http://127.0.0.1:${port}`;
  const search = new URLSearchParams(values.map(([key, , value]) => [key, String(value)]));
  const own = Object.fromEntries(values.map(([, env, value]) => [env, String(value)]));
  const scripts: number[] = [];
  const oneLines: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    oneLines.push(
      await measureRate(join(folder, 'one-line.js'), { URL: `${base}${path}?${search}`, TOKEN: 'x' }, [
        '--vus',
        String(CLIENTS),
        '--duration',
        `${SECONDS}s`,
      ]),
    );
    const env = {
      MODEL: 'closed',
      PAUSE: '0',
      CLIENTS: String(CLIENTS),
      DURATION: `${SECONDS}s`,
      WARMUP: '0s',
      BASE_URL: base,
      TOKEN: 'x',
    };
    scripts.push(await measureRate(join(root, 'loadtests', `${name}.js`), { ...own, ...env }, []));
  }
  // The ratio of measurements of the same round, because the speed of the machine changes between rounds.
  const ratio = median(scripts.map((script, i) => script / oneLines[i]!));
  return { name, script: median(scripts), oneLine: median(oneLines), ratio, met: ratio >= MIN_RATIO };
}

async function measureRate(script: string, env: Record<string, string>, args: string[]): Promise<number> {
  const summary = join(folder, 'summary.json');
  const outputs = ['--out', `csv=${join(folder, 'samples.csv.gz')}`, '--summary-export', summary];
  const all = ['run', '--quiet', '--no-usage-report', ...outputs, ...args, script];
  const { exitCode, all: text } = await execa(k6, all, {
    env,
    extendEnv: false,
    reject: false,
    all: true,
    stdin: 'ignore',
  });
  if (exitCode !== 0) throw new Error(`k6 ended with ${exitCode} for ${script}: ${text}`);
  const { metrics } = JSON.parse(readFileSync(summary, 'utf8')) as { metrics: { http_reqs: { rate: number } } };
  return metrics.http_reqs.rate;
}

function report(results: Awaited<ReturnType<typeof compareScript>>[]): void {
  const table = new Table({ head: ['script', 'requests/s', 'one line', 'ratio', ''], style: { head: [], border: [] } });
  for (const { name, script, oneLine, ratio, met } of results)
    table.push([name, Math.round(script), Math.round(oneLine), ratio.toFixed(2), met ? 'met' : 'MISSED']);
  console.log(`Medians of ${ROUNDS} rounds of ${SECONDS} s, ${CLIENTS} clients\n${table.toString()}`);
  const record = join(root, 'bench/results/scripts.json');
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, `${JSON.stringify({ least: MIN_RATIO, results }, null, 2)}\n`);
  const met = results.every((r) => r.met);
  console.log(`${met ? 'Every script meets' : 'A script MISSED'} the target. Record: bench/results/scripts.json`);
  process.exitCode = met ? 0 : 1;
}
