import { UsageError } from '../../../capacity/src/core/errors.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { conclude } from '../../../capacity/src/run/conclude.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { readRun } from '../../../capacity/src/record/recorder.js';
import { SweepFolder } from '../../../capacity/src/features/sweep/folder.js';
import { buildGoodStep, buildPlan, buildRunRecord } from '../support/index.js';
import { hasNaN, mutationsOf } from './mutations.js';

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);

const { machine } = buildRunRecord();
const run = buildRunRecord({
  machine: { ...machine, generatorLimit: 500, noise: { runs: 5, rate: 0.04, latency: 0.2 } },
});
const step = buildGoodStep({
  clients: 3,
  payloadMiB: 16,
  k6: { exitCode: 0, message: 'm', cpuShare: 0.1, limit: 500, samples: 'steps/00.csv.gz', place: 'machine' },
  events: [{ at: 1, instance: 'main-0', component: 'main', kind: 'died', reason: 'Crash', detail: '' }],
});
const sample = {
  at: 1,
  instances: [{ name: 'main-0', rssBytes: 1, cpuSeconds: 1, processes: 1, executions: 1, heapUsedBytes: 1 }],
  executions: { succeeded: 1, failed: 0 },
  queue: { waiting: 0, active: 0 },
  generator: { cpuSeconds: 1, rssBytes: 1 },
};
const candidate = {
  id: '1',
  values: { workers: 1 },
  cost: { cores: 1, memoryGib: 1, perHour: 1, unlimited: [] },
  amounts: { workers: 1 },
  kind: '[]',
};
const sweepPlan = {
  name: 'slots',
  dimensions: { workers: [1, 2] },
  explore: 'front',
  holdSeconds: 60,
  prices: { cpuHour: 1, memoryGibHour: 1, currency: 'USD' },
  measure: buildPlan(),
};
const conditions = { values: 'a', n8n: ['2.41.1'], machine: '2 × any' };
const sweep = {
  tool: 't',
  startedAt: '',
  plan: sweepPlan,
  conditions,
  target: 20,
  candidates: [candidate],
  excluded: [],
};
const outcome = {
  id: '1',
  purpose: 'measure',
  verdict: 'PASS',
  capacity: 1,
  conclusion: '',
  loadSeconds: 1,
  seconds: 1,
};

/** The files of a run and of a sweep, each as it should be. */
const WHOLE: Record<string, string> = {
  'run.json': JSON.stringify(run),
  'steps.ndjson': `${JSON.stringify(step)}\n`,
  'samples.ndjson': `${JSON.stringify(sample)}\n`,
  'events.ndjson': `${JSON.stringify(step.events[0])}\n`,
  'rows.ndjson': `${JSON.stringify({ at: 1, rows: { execution_entity: 1, execution_data: 1 } })}\n`,
  'sweep.json': JSON.stringify(sweep),
  'outcomes.ndjson': `${JSON.stringify(outcome)}\n`,
};
const NAMES = Object.keys(WHOLE);
beforeEach(() => {
  for (const [name, content] of Object.entries(WHOLE)) write(name, content);
});
afterEach(() => expect(({} as Record<string, unknown>).polluted).toBeUndefined());

async function readAll() {
  const sweeps = new SweepFolder(folder);
  return { ...(await readRun(folder)), sweep: await sweeps.record(), outcomes: await sweeps.outcomes() };
}

/** What `work` gives, or undefined where it ends with an error of one line that names the file. */
async function orRefused<T>(work: () => Promise<T>, file: string): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    expect(error.message).toContain(join(folder, file));
    expect(error.message).not.toContain('\n');
    return undefined;
  }
}

test('what is as it should be is read', async () => {
  expect(await readAll()).toMatchObject({ steps: [step], samples: [sample], outcomes: [outcome], sweep });
});

test('any bytes are refused, with the file, or hold no line', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), fc.uint8Array({ maxLength: 200 }), async (name, bytes) => {
      write(name, bytes);
      const read = await orRefused(readAll, name);
      write(name, WHOLE[name]!);
      if (read) expect(Buffer.from(bytes).toString().trim()).toMatch(/^[^\n]*$/);
    }),
  ));

test('a line that was cut off anywhere is left out; those before it stay', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 4 }), async (cut, count) => {
      const text = WHOLE['steps.ndjson']!.repeat(count);
      const kept = Buffer.from(text).subarray(0, cut % text.length);
      write('steps.ndjson', kept);
      expect((await readRun(folder)).steps).toHaveLength(kept.toString().split('\n').length - 1);
    }),
  ));

test('a whole file that was cut off anywhere is refused', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom('run.json', 'sweep.json'), fc.nat(), async (name, cut) => {
      const text = WHOLE[name]!;
      write(name, text.slice(0, cut % text.length));
      expect(await orRefused(readAll, name)).toBeUndefined();
      write(name, text);
    }),
  ));

test.each(NAMES)('%s with anything else in one place is refused, or gives numbers that are numbers', (name) =>
  fc.assert(
    fc.asyncProperty(mutationsOf(JSON.parse(WHOLE[name]!)), async (text) => {
      write(name, name.endsWith('.ndjson') ? `${text}\n` : text);
      const read = await orRefused(readAll, name);
      if (read) expect(hasNaN(judgeSteps(read.run.plan, read.steps))).toBe(false);
    }),
    { numRuns: 300 },
  ),
);

test.each(['run.json', 'steps.ndjson', 'samples.ndjson', 'rows.ndjson'])('%s so, concluded: report and all', (name) =>
  fc.assert(
    fc.asyncProperty(mutationsOf(JSON.parse(WHOLE[name]!)), async (text) => {
      write(name, name.endsWith('.ndjson') ? `${text}\n` : text);
      await orRefused(() => conclude(folder), name);
    }),
    { numRuns: 60 },
  ),
);
