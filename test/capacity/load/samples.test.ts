import { UsageError } from '../../../capacity/src/core/errors.js';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { streamSamples, readSamples } from '../../../capacity/src/load/samples.js';
import { Requests, summariseSamples } from '../../../capacity/src/load/requests.js';

const HEADER = 'metric_name,timestamp,metric_value,error_code,expected_response,scenario,status,extra_tags,metadata';
const T0 = 1_800_000_000_000_000; // microseconds, as k6 writes them

interface Request {
  at: number;
  ms: number;
  /** As loadtests/lib/workload.js writes it; empty for a correct answer. */
  fault?: string;
  phase?: string;
  workload?: string;
}

/** The rows that k6 writes for a request: k6's own, which are not read, and the script's. The order of tags differs. */
function rows({ at, ms, fault = '', phase = 'measure', workload = 'webhook-wait' }: Request): string[] {
  const time = T0 + at * 1e6;
  const scenario = `${workload}_0_${phase}`;
  const tags = `step=0&rate=5&phase=${phase}&workload=${workload}`;
  return [
    `http_req_duration,${time},${ms},,true,${scenario},200,workload=${workload}&phase=${phase}&step=0&rate=5,`,
    `lag,${time},2.000000,,,${scenario},,${tags},`,
    `latency,${time},${ms},,,${scenario},,${fault && `fault=${fault}&`}${tags},`,
  ];
}

function csv(...lines: string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'k6-')), 'k6.csv.gz');
  writeFileSync(file, gzipSync([HEADER, ...lines, ''].join('\n')));
  return file;
}

test('readSamples describes the failure of each request', async () => {
  const samples = await readSamples(
    csv(
      ...rows({ at: 1, ms: 1100, phase: 'warmup' }),
      ...rows({ at: 2, ms: 1050 }),
      ...rows({ at: 3, ms: 3, fault: 's500' }),
      ...rows({ at: 4, ms: 2, fault: 'operation' }),
      ...rows({ at: 5, ms: 0, fault: 'c1212' }),
      `dropped_iterations,${T0},3,,,webhook-wait_0_measure,,,`,
      `dropped_iterations,${T0},9,,,webhook-wait_0_warmup,,,`,
      `vus,${T0},7,,,,,,`,
      `vus_max,${T0},20,,,,,,`,
    ),
  );
  expect(samples.warmup).toHaveLength(1);
  expect(samples.measured.map((s) => [s.correct, s.failure])).toEqual([
    [true, undefined],
    [false, 'HTTP 500'],
    [false, 'wrong answer (operation)'],
    [false, 'no answer (connection refused)'],
  ]);
  expect(samples.measured[0]).toMatchObject({ sentAt: T0 / 1000 + 2000 - 1050, endedAt: T0 / 1000 + 2000 });
  expect(samples).toMatchObject({ dropped: 3, vusMost: 7 });
});

test('a truncated file is an error, not half a result', async () => {
  const whole = gzipSync([HEADER, ...rows({ at: 1, ms: 5 }), ''].join('\n'));
  const file = join(mkdtempSync(join(tmpdir(), 'k6-')), 'k6.csv.gz');
  writeFileSync(file, whole.subarray(0, whole.length - 10));
  await expect(readSamples(file)).rejects.toThrow();
  await expect(readSamples(`${file}.missing`)).rejects.toThrow(/ENOENT/);
});

test('the summary has the overheads of correct answers, by the second of sending', async () => {
  const samples = await readSamples(
    csv(
      ...rows({ at: 1.2, ms: 1100 }),
      ...rows({ at: 1.4, ms: 1200 }),
      ...rows({ at: 2.3, ms: 1300 }),
      ...rows({ at: 3.0, ms: 0.5, fault: 's404' }),
      `dropped_iterations,${T0},2,,,webhook-wait_0_measure,,,`,
    ),
  );
  const summary = summariseSamples(samples, { 'webhook-wait': 1 }, T0 / 1000, { errors: 0 });
  expect(summary).toMatchObject({
    offered: 6,
    answered: 3,
    failed: 1,
    dropped: 2,
    failures: { 'HTTP 404': 1 },
  });
  expect(summary.latency!.p50).toBeCloseTo(0.2);
  expect(summary.latency!.max).toBeCloseTo(0.3);
  expect(summary.seconds.map((s) => [s.at, s.sent, s.answered])).toEqual([
    [0, 2, 2],
    [1, 1, 1],
    [2, 1, 0],
  ]);
});

test('a step begins at the time that k6 reports, and the lag of requests is summarised', async () => {
  const requests = new Requests({}, { errors: 0 });
  const begun = `begun,${T0},${T0 / 1000 - 250},,,webhook-wait_0_measure,,,`;
  await streamSamples(csv(begun, ...rows({ at: 1, ms: 5 }), ...rows({ at: 2, ms: 5, phase: 'warmup' })), requests);
  expect(requests.begunAt).toBe(T0 / 1000 - 250);
  expect(requests.summary(requests.begunAt!)).toMatchObject({ offered: 1, lagP95: 0.002 });
});

describe('a file that k6 did not write', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'samples-')), 'samples.csv.gz');
  const written = gzipSync([HEADER, ...rows({ at: 0, ms: 5 }), ...rows({ at: 1, ms: 7 }), ''].join('\n'));

  /** Samples whose numbers are all numbers, or an error of one line that names the file. */
  async function readOrRefuse(content: Uint8Array): Promise<void> {
    writeFileSync(file, content);
    try {
      const { measured, warmup, dropped, vusMost } = await readSamples(file);
      const numbers = [dropped, vusMost, ...[...measured, ...warmup].flatMap((s) => [s.sentAt, s.endedAt])];
      expect(numbers.every(Number.isFinite)).toBe(true);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      expect(error.message).toMatch(/^[^\n]*samples\.csv\.gz: [^\n]*$/);
    }
  }

  test('any bytes give valid numbers or a UsageError', () =>
    fc.assert(fc.asyncProperty(fc.uint8Array(), readOrRefuse)));

  test('a truncated file is refused', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(written.length - 1), async (cut) => {
        writeFileSync(file, written.subarray(0, cut));
        await expect(readSamples(file)).rejects.toThrow(UsageError);
      }),
    ));

  test('any rows give valid numbers or a UsageError', () => {
    const cell = fc.oneof(
      fc.constantFrom('latency', 'lag', 'begun', 'dropped_iterations', 'vus', '', '1', 'NaN', '1e999'),
      fc.string(),
    );
    const lines = fc.array(fc.array(cell, { maxLength: 10 }).map((cells) => cells.join(',')));
    return fc.assert(fc.asyncProperty(lines, (rest) => readOrRefuse(gzipSync([HEADER, ...rest].join('\n')))));
  });
});
