import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PhasedRequests } from '../../../capacity/src/load/phased-requests.js';
import { streamSamples } from '../../../capacity/src/load/samples.js';

const HEADER = 'metric_name,timestamp,metric_value,error_code,expected_response,scenario,status,extra_tags,metadata';
const FROM = 1_800_000_000_000;

/** The row that k6 writes for a request sent this many ms after the start of the measured part. */
function request(rate: number, sentMs: number, tookMs: number, status = 200, phase = 'measure'): string[] {
  const micro = (FROM + sentMs + tookMs) * 1000;
  const of = `webhook-ack_${rate}_${phase}`;
  const tags = `workload=webhook-ack&step=${rate}&phase=${phase}`;
  const fault = status === 200 ? '' : `&fault=s${status}`;
  return [`latency,${micro},${tookMs.toFixed(6)},,,${of},,${tags}${fault},`];
}

test('the time until a refusal is summarised in total and for each phase', async () => {
  const refused = (rate: number, sentMs: number, tookMs: number) =>
    request(rate, sentMs, tookMs).map(
      (row) => row.replace(/,$/, '').replace(/(phase=measure)/, '$1&fault=refused') + ',',
    );
  const rows = [...request(0, 0, 3000), ...refused(0, 10, 4), ...refused(1, 20_000, 6), ...refused(1, 20_010, 8)];
  const file = join(mkdtempSync(join(tmpdir(), 'phased-')), 'samples.csv.gz');
  writeFileSync(file, gzipSync(`${[HEADER, ...rows].join('\n')}\n`));
  const requests = new PhasedRequests({ 'webhook-ack': 0 }, { errors: 0 }, [
    { name: 'overload', rate: 2, seconds: 20 },
    { name: 'return', rate: 1, seconds: 20 },
  ]);
  await streamSamples(file, requests);
  expect(requests.summary(FROM)).toMatchObject({ answered: 1, failed: 3, refusedP50: 0.006 });
  expect(requests.summarisePhases(FROM)).toMatchObject([
    { refusedP50: 0.004 },
    { refusedP50: expect.closeTo(0.007, 2) },
  ]);
});

test('a request belongs to the phase in which it was sent, however late it ended', async () => {
  const rows = [
    ...request(0, -500, 10, 200, 'warmup'),
    ...request(0, 0, 10),
    ...request(0, 19_900, 5000),
    ...request(1, 20_000, 30),
    ...request(1, 20_050, 40, 503),
    ...request(2, 21_000, 20),
  ];
  const file = join(mkdtempSync(join(tmpdir(), 'phased-')), 'samples.csv.gz');
  writeFileSync(file, gzipSync(`${[HEADER, ...rows].join('\n')}\n`));
  const requests = new PhasedRequests({ 'webhook-ack': 0 }, { errors: 0 }, [
    { name: 'base', rate: 0.1, seconds: 20 },
    { name: 'spike', rate: 2, seconds: 1 },
    { name: 'recovery', rate: 0.1, seconds: 60 },
  ]);
  await streamSamples(file, requests);
  expect(requests.summary(FROM)).toMatchObject({ offered: 5, answered: 4, failed: 1 });
  expect(requests.summarisePhases(FROM)).toMatchObject([
    { name: 'base', from: 0, to: 20, answered: 2, served: 1, failed: 0, latency: { max: 5 } },
    {
      name: 'spike',
      from: 20,
      to: 21,
      answered: 1,
      served: 1,
      failed: 1,
      failures: { 'HTTP 503': 1 },
      latency: { max: 0.03 },
    },
    { name: 'recovery', from: 21, to: 81, answered: 1, served: 2, failed: 0, latency: { p50: 0.02 } },
  ]);
});
