import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import type { JudgedClaim } from '../../experiments/src/judge/claims.js';
import { isAlive } from '../../capacity/src/core/processes.js';
import { processTreeIds, readProcesses } from '../../capacity/src/observe/proc.js';
import { experimentsFolder } from '../../experiments/src/paths.js';
import type { ExperimentRecord } from '../../experiments/src/record/schema.js';
import { EXPERIMENTS } from '../experiments/recorded.js';
import { S3Server } from '../support/s3-server.js';

jest.setTimeout(600_000);

const BIN = join(experimentsFolder, 'bin', 'n8n-experiment.js');

const scratch = mkdtempSync(join(tmpdir(), 'experiment-test-'));
let server: S3Server;
let bucket: string;
beforeAll(async () => {
  server = await S3Server.start();
  bucket = server.createBucket('experiments');
});
afterAll(async () => {
  await server?.remove();
  rmSync(scratch, { recursive: true });
});

const EXPERIMENT = `
name: small
title: A small experiment
question: Does it run?
advice: Run it.
doubt: It is small.
setting: One client.
origin: None.
today: It runs.
chart: Nothing.
parts:
  - part: control
    title: A control
    on: control
    load: { webhook: /webhook/count, clients: 2, duration: 5s, warmup: 1s, query: { n: 500000 } }
    dimensions: { server: [bare, express] }
    measures: [rate, share]
  - part: n8n
    title: n8n
    on: processes
    load: { workload: webhook-ack, clients: 1, duration: 5s, warmup: 1s }
    dimensions: { cpu: ['2'], memory: [100Mi, 1536Mi] }
    measures: [outcome, rate, processes]
plots:
  - { title: Memory, kind: memory, part: n8n }
claims:
  - { says: A bare server answers more than n8n, measure: rate, of: { part: control, server: bare }, over: { part: n8n, memory: 1536Mi }, atLeast: 2 }
  - { says: It answers a billion, measure: rate, of: { part: control }, atLeast: 1000000000 }
  - { says: The chart refuses what cannot be, measure: outcome, of: { part: n8n, memory: 100Mi }, is: [refused] }
`;

const experiment = (...args: string[]) =>
  execa(process.execPath, [BIN, ...args], {
    cwd: scratch,
    env: server.environment,
    reject: false,
    stdin: 'ignore',
  });

test('cells are measured, recorded here and in S3, and judged; a second call measures none again', async () => {
  const file = join(scratch, 'small.yaml');
  writeFileSync(file, EXPERIMENT);
  const first = await experiment(file, '-o', 's3://experiments/small', '--json');
  expect(JSON.parse(first.stdout) as JudgedClaim[]).toEqual([
    expect.objectContaining({ verdict: 'holds', value: expect.any(Number) }),
    expect.objectContaining({ verdict: 'fails' }),
    expect.objectContaining({ verdict: 'holds', measured: 'refused' }),
  ]);
  expect(first.exitCode).toBe(1);

  const folder = join(scratch, 'results/experiments/small-quick');
  const record = JSON.parse(readFileSync(join(folder, 'small.json'), 'utf8')) as ExperimentRecord;
  const [bare, express, refused, n8n] = record.cells;
  for (const cell of [bare!, express!]) {
    expect(cell.load).toMatchObject({ failed: 0, seconds: 5 });
    // Each answer was counted by the process that served it, also during the warm-up.
    const control = cell.processes.find((p) => p.role === 'control')!;
    expect(control.requests).toBeGreaterThanOrEqual(cell.load!.answered);
    expect(control.peakMib).toBeGreaterThan(20);
  }
  expect(refused!.refused).toMatch(/main\.resources\.limits\.memory/);
  expect(n8n!.load).toMatchObject({ failed: 0, executions: { failed: 0 } });
  expect(n8n!.processes.map((p) => p.role)).toEqual(expect.arrayContaining(['main', 'task runner', 'k6']));
  expect(n8n!.processesMost).toBeGreaterThanOrEqual(1);
  expect(n8n!.limits).toMatch(/^enforced/);

  const page = readFileSync(join(folder, 'small.md'), 'utf8');
  expect(page).toContain('| It answers a billion |');
  expect(page).toContain('![Memory](small-1.svg)');
  expect(existsSync(join(folder, 'small-1.svg'))).toBe(true);
  for (const name of ['experiment.json', 'small.json', 'small.md', 'n8n_cpu_2_memory_1536Mi/cell.json'])
    expect(existsSync(join(bucket, 'small', name))).toBe(true);

  const cell = join(folder, 'n8n_cpu_2_memory_1536Mi', 'cell.json');
  const measured = statSync(cell).mtimeMs;
  const again = await experiment(file, '-o', 's3://experiments/small');
  expect(again.exitCode).toBe(1);
  expect(again.stdout).toContain('2 of 3');
  expect(statSync(cell).mtimeMs).toBe(measured);
});

test('Ctrl-C ends all started processes; the next call measures the cell again', async () => {
  const file = join(scratch, 'small.yaml');
  writeFileSync(file, EXPERIMENT);
  const child = experiment(file, '-o', 'interrupted', '--part', 'control');
  let processes: number[] = [];
  // a control server and k6
  for (let tries = 0; processes.length < 2 && tries < 100; tries++) {
    await sleep(500);
    processes = processTreeIds(await readProcesses(), child.pid!);
  }
  expect(processes.length).toBeGreaterThanOrEqual(2);
  child.kill('SIGINT');
  expect(await child).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('interrupted') });
  // The guard of the processes ends when it sees that the experiment has ended.
  for (let tries = 0; processes.some(isAlive) && tries < 100; tries++) await sleep(100);
  expect(processes.filter(isAlive)).toEqual([]);
  expect((await experiment(file, '-o', 'interrupted', '--part', 'control', '--json')).exitCode).toBe(1);
});

test.each([
  ['a file that is not there', ['none.yaml'], ['none.yaml', 'does not exist']],
  ['a part that does not exist', ['small.yaml', '--part', 'contrl'], ['--part contrl', '"control"']],
  ['a folder of another grid', ['small.yaml', '--grid', 'full', '-o', 'interrupted'], ['interrupted:', 'quick']],
])('%s is refused with one line, before anything starts', async (_, args, names) => {
  const { exitCode, stderr } = await experiment(...args);
  for (const name of names) expect(stderr).toContain(name);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(exitCode).toBe(3);
});

test('make experiment without a known name lists the names', async () => {
  const { exitCode, stderr } = await execa(join(experimentsFolder, 'run.sh'), ['heap'], { reject: false });
  for (const name of EXPERIMENTS) expect(stderr).toContain(name);
  expect(exitCode).toBe(3);
});
