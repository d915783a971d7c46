import { UsageError } from '../../../capacity/src/core/errors.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { payloadLimitPlan } from '../../../capacity/src/plan/payload-limit.js';
import { STEP_DEFAULTS } from '../../../capacity/src/plan/times.js';
import { readMix } from '../../../capacity/src/plan/loads.js';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';
import { arrivalRate, duration, percentage, wholeNumber } from '../../../capacity/src/plan/quantities.js';
import { parseSlo } from '../../../capacity/src/plan/slo.js';
import { soakPlan } from '../../../capacity/src/plan/soak.js';
import { readSweepPlan } from '../../../capacity/src/features/sweep/plan/sweep.js';
import { readValuesFile } from '../../../capacity/src/plan/values.js';
import { mutationsOf } from '../record/mutations.js';
import { expectRecordable } from './recordable.js';

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'plan-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'plan.yaml');

/** Numbers that anyone, or a broken script, may write, with and without a unit, and any text. */
const digits = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom('0', '1e9', '-1', '.5', '1.', '٣', '9'.repeat(400), '0.'.padEnd(400, '0')),
);
const unit = fc.constantFrom('', 's', 'ms', 'm', 'h', '/s', '/d', '%', 'x', ' s', 'S');
/** Without line breaks: a refusal repeats what was given. */
const written = fc
  .oneof(
    fc.tuple(digits, unit).map(([n, u]) => n + u),
    fc.string(),
    fc.string({ unit: 'binary' }),
  )
  .map((text) => text.replace(/[\n\r\u2028\u2029]/g, ''));

/** What `read` gives, whose numbers are all finite, or undefined where it refuses: in words that match. */
function finiteOrRefused<T>(read: () => T, source = /^[^\n]*$/): T | undefined {
  let value: T;
  try {
    value = read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const problem of error.problems) expect(problem).toMatch(source);
    return undefined;
  }
  expect(hasOnlyFinite(value)).toBe(true);
  return value;
}

function hasOnlyFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasOnlyFinite);
}

const STEP = { warmup: STEP_DEFAULTS.warmup, drain: STEP_DEFAULTS.drain, timeout: STEP_DEFAULTS.timeout };

test.each([
  ['duration', (text: string) => duration(text, '--x')],
  ['percentage', (text: string) => percentage(text, '--x')],
  ['arrivalRate', (text: string) => arrivalRate(text, '--x')],
  ['wholeNumber', (text: string) => wholeNumber(text, '--x', 1, 10)],
  ['parseSlo', parseSlo],
  ['parseSlo p95=', (text: string) => parseSlo(`p95=${text}`)],
  ['--target', (target: string) => planFromOptions({ ...STEP, target })],
  ['--target and --headroom', (headroom: string) => planFromOptions({ ...STEP, target: '20/s', headroom })],
  ['--per-day and --peak', (peak: string) => planFromOptions({ ...STEP, perDay: '1000', peak })],
  ['--rates', (rates: string) => planFromOptions({ ...STEP, rates })],
  ['--clients', (clients: string) => planFromOptions({ ...STEP, clients })],
  ['--precision', (precision: string) => planFromOptions({ ...STEP, precision })],
  ['--step-duration', (stepDuration: string) => planFromOptions({ ...STEP, stepDuration })],
  ['--warmup', (warmup: string) => planFromOptions({ ...STEP, warmup })],
  ['--query', (text: string) => planFromOptions({ ...STEP, workload: ['cpu-burn'], query: [text] })],
  ['--query n=', (text: string) => planFromOptions({ ...STEP, workload: ['cpu-burn'], query: [`n=${text}`] })],
  ['--set', (text: string) => planFromOptions({ ...STEP, set: [text] })],
  ['soak --duration', (text: string) => soakPlan({ ...STEP, rate: '10/s', duration: text })],
  ['ceiling --concurrency', (concurrency: string) => payloadLimitPlan({ concurrency, hold: '1s', timeout: '60s' })],
  ['ceiling --hold', (hold: string) => payloadLimitPlan({ concurrency: '1', hold, timeout: '60s' })],
])('%s: any text is read as finite numbers, or refused in one line', (_, read) =>
  fc.assert(fc.property(written, (text) => void finiteOrRefused(() => read(text)))),
);

const PLAN = {
  name: 'right-size',
  question: 'q',
  values: { files: [], set: ['webhook.replicas=2'] },
  dimensions: { workers: [1, 2], heap: ['500'], 'worker.resources.limits.cpu': ['500m', 1] },
  workload: ['webhook-wait'],
  query: { seconds: 2 },
  target: '20/s',
  headroom: 1.5,
  slo: { p95: '500ms', errors: '1%' },
  step: { duration: '20s', warmup: '3s', drain: '30s', timeout: '60s', hold: '60s' },
  prices: { cpuHour: 0.05, memoryGibHour: 0.01, currency: 'EUR' },
  explore: 'all',
};

/** As `finiteOrRefused`, of a file, which every refusal names. */
function readFile<T>(content: string | Uint8Array, read: (file: string) => T): T | undefined {
  writeFileSync(file, content);
  return finiteOrRefused(() => read(file), /plan\.yaml/);
}

test('the plan that is changed below is a plan', () =>
  expect(readFile(JSON.stringify(PLAN), readSweepPlan)).toBeDefined());

test('a plan with anything else in one place is a plan that can be recorded, or refused', () => {
  fc.assert(
    fc.property(mutationsOf(PLAN), (text) => {
      const plan = readFile(text, readSweepPlan);
      if (plan) expectRecordable(plan.measure);
    }),
    { numRuns: 500 },
  );
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each([
  ['a plan', readSweepPlan],
  ['a mix', (path: string) => readMix(path, new Map())],
  ['values', readValuesFile],
])('%s of any bytes, or of any text, is read or refused', (_, read: (path: string) => unknown) =>
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' }), fc.json()),
      (content) => void readFile(content, read),
    ),
  ),
);
