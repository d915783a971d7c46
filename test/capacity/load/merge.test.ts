import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isCompleteOutput, mergeSamples } from '../../../capacity/src/load/merge.js';
import { readSamples } from '../../../capacity/src/load/samples.js';

const HEADER = 'metric_name,timestamp,metric_value,error_code,expected_response,scenario,status,extra_tags,metadata';
const SECOND = 1_000_000;
const T0 = 1_795_193_776 * SECOND;

const row = (metric: string, second: number, value: number, more = ',,,,,') =>
  `${metric},${T0 + second * SECOND},${value},${more}`;
/** One request and the script's verdict on its answer. */
const request = (second: number, milliseconds: number, fault = '') => [
  row('latency', second, milliseconds, `,,w_measure,,workload=w&phase=measure${fault && `&fault=${fault}`},`),
  row('iterations', second, 1, ',,w_measure,,workload=w&phase=measure,'),
];

const summary = (iterations: number) => [
  '',
  '    EXECUTION',
  `    iterations...........: ${iterations}      5.3/s`,
  '',
];
const output = (rows: string[], iterations: number) =>
  ['time="2026-11-20T16:56:16Z" level=warning msg="a, b, c"', HEADER, ...rows, ...summary(iterations)].join('\n');

const first = output([...request(0, 10), row('vus', 0, 3), ...request(1, 20, 's500'), row('vus', 1, 4)], 2);
const second = output(
  [
    row('vus', 0, 2),
    ...request(0, 30),
    row('vus', 1, 5),
    row('vus', 1, 7),
    row('dropped_iterations', 1, 2, ',,w_measure,,,'),
  ],
  1,
);

test('mergeSamples keeps all samples of several pods and sums their virtual users', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'merge-')), 's.csv.gz');
  await writeFile(file, gzipSync(mergeSamples([first, second])));
  const read = await readSamples(file);
  expect(read.measured.map((s) => [Math.round(s.endedAt - s.sentAt), s.correct])).toEqual([
    [10, true],
    [20, false],
    [30, true],
  ]);
  expect(read).toMatchObject({ dropped: 2, vusMost: 11 });
});

test('mergeSamples accepts the output of one pod and of none', () => {
  expect(mergeSamples([first]).split('\n')[0]).toBe(HEADER);
  expect(mergeSamples([])).toBe('');
  expect(mergeSamples(['sh: k6: not found'])).toBe('');
});

test.each([
  ['everything is there', first, true],
  ['a row is missing', first.replace(/^iterations.*$/m, ''), false],
  ['the summary is missing', first.slice(0, first.indexOf('EXECUTION')), false],
  ['it is empty', '', false],
])("isCompleteOutput compares the iterations with k6's summary: %s", (_, text, whole) => {
  expect(isCompleteOutput(text)).toBe(whole);
});
