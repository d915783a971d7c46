import { jest } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandNamed } from '../../../support/program.js';
import type { RunRecord } from '../../../../capacity/src/model/run.js';
import type { ForecastSummary } from '../../../../capacity/src/features/forecast/summary.js';
import type { RecordedRun } from '../../../../capacity/src/record/recorder.js';
import { QUEUE, REGULAR, simulatedRun } from '../../recommend/forecast/simulated-run.js';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'forecast-'))));
afterEach(async () => {
  process.exitCode = undefined;
  await rm(folder, { recursive: true });
});

/** Writes a run as the recorder does. */
async function writeRun({ run, steps, samples }: RecordedRun): Promise<string> {
  const lines = (values: object[]) => values.map((v) => `${JSON.stringify(v)}\n`).join('');
  await writeFile(join(folder, 'run.json'), JSON.stringify(run));
  await writeFile(join(folder, 'steps.ndjson'), lines(steps));
  await writeFile(join(folder, 'samples.ndjson'), lines(samples));
  return folder;
}

/** The standard output of the command. */
async function runForecast(run: RecordedRun, ...args: string[]): Promise<string> {
  const place = await writeRun(run);
  let text = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((part) => {
    text += String(part);
    return true;
  });
  try {
    const command = await commandNamed('forecast');
    await command.exitOverride().parseAsync([place, ...args], { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return text;
}

const withRun = (changes: (run: RunRecord) => Partial<RunRecord>): RecordedRun => {
  const run = simulatedRun(REGULAR);
  return { ...run, run: { ...run.run, ...changes(run.run) } };
};
const withDeployment = (changes: Partial<RunRecord['deployment']>) =>
  withRun(({ deployment }) => ({ deployment: { ...deployment, ...changes } }));

test.each<[string, () => RecordedRun, string[], string[]]>([
  ['no rate', () => simulatedRun(REGULAR), [], ['--target', '--per-day']],
  [
    'two rates',
    () => simulatedRun(REGULAR, { rates: [2, 4] }),
    ['--target', '9/s'],
    ['only 2/s, 4/s', '3 rates', '--rates'],
  ],
  [
    'an existing n8n',
    () => withDeployment({ provisioner: 'existing' }),
    ['--target', '9/s'],
    ['existing n8n', 'deployed the chart'],
  ],
  ['own mode', () => withDeployment({ process: 'own' }), ['--target', '9/s'], ['executions.process=own']],
  [
    'an autoscaler',
    () => withDeployment({ autoscalers: [{ component: 'worker', kind: 'HPA', minReplicas: 1, maxReplicas: 5 }] }),
    ['--target', '9/s'],
    ['autoscaler', 'autoscaling.type'],
  ],
  [
    'clients',
    () => withRun(({ plan }) => ({ plan: { ...plan, rates: { kind: 'closed', clients: 5 } } })),
    ['--target', '9/s'],
    ['closed loop', 'run validate'],
  ],
  [
    'an unknown load',
    () => simulatedRun(REGULAR),
    ['--target', '9/s', '--workload', 'nope'],
    ['"nope"', 'webhook-ack'],
  ],
  ['one price', () => simulatedRun(REGULAR), ['--target', '9/s', '--cpu-price', '1'], ['--memory-price']],
  ['a wrong rate', () => simulatedRun(REGULAR), ['--target', 'fast'], ['--target: "fast"']],
])('forecast refuses %s, and says what to do', async (_, run, args, parts) => {
  const error = await runForecast(run(), ...args).then(
    () => Promise.reject(new Error('it succeeded')),
    (e: Error) => e,
  );
  expect(error.name).toBe('UsageError');
  for (const part of parts) expect(error.message).toContain(part);
});

test('--json prints pods, totals and costs', async () => {
  const found = JSON.parse(
    await runForecast(simulatedRun(QUEUE), '--target', '50/s', '--headroom', '1.2', '--json'),
  ) as ForecastSummary;
  expect(found).toMatchObject({ verdict: 'PASS', rate: 60, load: 'webhook-ack' });
  expect(found.pods.map((p) => p.component).sort()).toEqual(['main', 'postgresql', 'redis', 'webhook', 'worker']);
  expect(found.totals!.connections).toBeGreaterThan(0);
  expect(found.costs.find((c) => c.what === 'CPU of worker')!.value).toBeCloseTo(30, 0);
  expect(process.exitCode).toBe(0);
});

test('a rate that one main cannot take prints FAIL and exits with 1', async () => {
  const text = await runForecast(simulatedRun(REGULAR), '--target', '500/s');
  expect(text).toMatch(/FAIL +650\/s is more than main's one thread can do/);
  expect(process.exitCode).toBe(1);
});

test('the chart accepts the values, which name their source', async () => {
  const file = join(folder, 'values.yaml');
  const run = simulatedRun(QUEUE);
  const given = join(folder, 'values.given.yaml');
  await writeFile(
    given,
    'executions:\n  mode: queue\ndatabase:\n  type: postgresql\npostgresql:\n  maxConnections: 60\n',
  );
  const text = await runForecast(run, '--per-day', '2000000', '--peak', '4x', '-o', file);
  expect(text).toContain(file);
  const values = await readFile(file, 'utf8');
  expect(values).toContain('NOT MEASURED');
  expect(values).toMatch(/replicas: \d+ # computed: forecast of 120\/s/);
  expect(values).toMatch(/maxConnections: \d+ # computed/);
});
