import type { SweepConclusion, SweepOutcome } from '../../capacity/src/features/sweep/record.js';
import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RunRecord } from '../../capacity/src/model/run.js';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { BIN, readJsonLines } from '../integration/cli.js';
import { eventually } from './support/eventually.js';
import { runNamespaces } from './support/run-namespaces.js';

jest.setTimeout(900_000);

/** Of 2.40.9 there is no image in the lab, and no node of anybody has 4096 cores. */
const PLAN = `
name: versions
dimensions:
  n8n: [1.123.81, 2.40.9, 2.41.1]
  main.resources.requests.cpu: [200m, "4096"]
values: {set: [main.resources.limits.cpu=null]}
explore: all
workload: webhook-ack
rates: 5/s
slo: {p50: 20s, errors: 20%}
step: {duration: 12s, warmup: 3s}
noise: 5%
`;
const [OLD, NONE, NEW] = ['1.123.81', '2.40.9', '2.41.1'] as const;

const folder = mkdtempSync(join(tmpdir(), 'cluster-sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));
const record = join(folder, 'record');
const plan = join(folder, 'plan.yaml');
writeFileSync(plan, PLAN);

const start = (...args: string[]) =>
  execa(process.execPath, [BIN, 'sweep', plan, '-o', record, '--provisioner', 'kubernetes', ...args], {
    reject: false,
    stdin: 'ignore',
  });
const outcomes = () => readJsonLines<SweepOutcome>(join(record, 'outcomes.ndjson'));
/** Whether each attempt was driven: how well is not asked here, of a machine that others use, too. */
const driven = () => outcomes().map(({ id, loadSeconds }) => [id, loadSeconds > 0]);
const NOT_STARTED = [expect.stringContaining(NONE), false];
const idOf = (version: string) => outcomes().find(({ id }) => id.includes(version))!.id;
const recordOf = (version: string) =>
  JSON.parse(readFileSync(join(record, 'runs', idOf(version), 'run.json'), 'utf8')) as RunRecord;
const stepsOf = (version: string) =>
  readJsonLines<StepRecord>(join(record, 'runs', idOf(version), 'steps.ndjson')).map((step) => step.measuredFrom);

/** Namespaces of runs that were there before this file. */
let before: string[];
beforeAll(async () => void (before = await runNamespaces()));
const there = async () => (await runNamespaces()).filter((name) => !before.includes(name));
/** How many attempts have ended. */
const ended = () => (existsSync(join(record, 'outcomes.ndjson')) ? outcomes().length : 0);

test('killed while it installs the last configuration: the others are recorded, each from a namespace of its own', async () => {
  const child = start();
  const seen = new Set<string>();
  await eventually('the last configuration is being installed', 800, async () => {
    const now = await there();
    for (const name of now) seen.add(name);
    return ended() === 2 && now.length > 0 && seen.size === 3;
  });
  child.kill('SIGKILL');
  await child;
  expect(driven()).toEqual([[expect.stringContaining(OLD), true], NOT_STARTED]);
  // Neither a time-out nor a fault of what is measured.
  expect(outcomes()[1]!.verdict).toBe('INCONCLUSIVE');
  expect(outcomes()[1]!.conclusion).toMatch(/ErrImagePull|ImagePullBackOff/);
  expect(recordOf(OLD)).toMatchObject({ versions: { n8n: OLD }, deployment: { provisioner: 'kubernetes' } });
  expect(await there()).toEqual([[...seen].at(-1)]);
});

test('the same command removes what was left, goes on, and repeats only what could not be started', async () => {
  const measured = stepsOf(OLD);
  const { stdout, stderr } = await start('--json');
  if (stdout === '') throw new Error(stderr);
  expect(driven()).toEqual([
    [expect.stringContaining(OLD), true],
    NOT_STARTED,
    NOT_STARTED,
    [expect.stringContaining(NEW), true],
  ]);
  expect(stepsOf(OLD)).toEqual(measured);
  expect(recordOf(NEW).versions.n8n).toBe(NEW);
  const { rows } = JSON.parse(stdout) as SweepConclusion;
  const excluded = rows.filter(({ status }) => status === 'excluded');
  expect(excluded.map(({ text }) => text)).toEqual(Array(3).fill(expect.stringContaining('n8n-tuned-main-0')));
  expect(await there()).toEqual([]);
});
