import type { RunRecord } from '../../../../capacity/src/model/run.js';
import type { SoakReport } from '../../../../capacity/src/model/reports.js';
import type { Sample, RowsRecord } from '../../../../capacity/src/model/sample.js';
import { judgeSoak, withDrift } from '../../../../capacity/src/judge/profiles/soak.js';
import { driftLine, driftTable } from '../../../../capacity/src/report/terminal/run.js';
import { goodStep, plan, regular } from '../../support/index.js';

const MINUTE = 60_000;

interface Shape {
  minutes?: number;
  /** Rows after so many minutes; absent: not counted. */
  rows?: (minute: number) => number;
  pruning?: { maxAgeHours: number; maxCount: number };
  rssBytes?: (minute: number) => number;
}

function soak({ minutes = 40, rows, pruning, rssBytes = () => 4e8 }: Shape) {
  const step = goodStep({
    measuredFrom: 0,
    measuredTo: minutes * MINUTE,
    summary: {
      answered: minutes * 1200,
      seconds: Array.from({ length: minutes * 60 }, (_, at) => ({
        at,
        sent: 20,
        answered: 20,
        failed: 0,
        p50: 0.05 + (at % 7) / 1e4,
      })),
    },
  });
  const at = Array.from({ length: minutes * 6 }, (_, i) => i * 10_000);
  const samples = at.map((time, i): Sample => ({
    at: time,
    instances: [{ name: 'main-0', rssBytes: rssBytes(time / MINUTE) + (i % 5) * 1e5, cpuSeconds: i, processes: 1 }],
  }));
  const counts = Array.from({ length: minutes }, (_, m): RowsRecord => {
    const n = rows?.(m) ?? 0;
    return { at: m * MINUTE, rows: { execution_entity: n, execution_data: n } };
  });
  const deployment = regular(pruning && { pruning });
  const run = { plan: plan({ rates: { kind: 'soak', rate: 20 } }), deployment } as RunRecord;
  return judgeSoak({ run, steps: [step], samples, rows: rows ? counts : [] });
}

const PRUNING = { maxAgeHours: 336, maxCount: 10_000 };
const verdicts = (report: SoakReport) => Object.fromEntries(report.drifts.map((d) => [`${d.of} ${d.name}`, d.verdict]));

test.each<[string, Shape, SoakReport['verdict'], RegExp]>([
  ['all as it was', { rows: () => 9000, pruning: PRUNING }, 'stable', /PASS +drift: none in 4 quantities/],
  [
    'memory grows',
    { rssBytes: (m) => 4e8 + m * 5e6 },
    'drifts',
    /FAIL +drift: main-0's memory grows by .*its limit of 2048 MiB would be reached/,
  ],
  [
    'rows that nothing prunes',
    { rows: (m) => m * 1200 },
    'drifts',
    /FAIL +drift: execution_entity grows by 72000 rows an hour/,
  ],
  ['rows that are not yet due', { rows: (m) => m * 200, pruning: PRUNING }, 'stable', /PASS/],
  ['rows past the count at which they are due', { rows: (m) => m * 1200, pruning: PRUNING }, 'drifts', /FAIL/],
  [
    'rows past no count, which is 0',
    { rows: (m) => m * 1200, pruning: { maxAgeHours: 336, maxCount: 0 } },
    'stable',
    /PASS/,
  ],
  ['rows past their age', { rows: (m) => m * 200, pruning: { maxAgeHours: 0.5, maxCount: 0 } }, 'drifts', /FAIL/],
  ['a minute', { minutes: 1 }, 'too-short', /INCONCLUSIVE drift: main-0's memory was seen in fewer than 8 windows/],
  ['ten minutes', { minutes: 10 }, 'too-short', /INCONCLUSIVE/],
  ['eleven minutes', { minutes: 11 }, 'stable', /PASS/],
])('%s: %#', (_, shape, verdict, line) => {
  const report = soak(shape);
  expect({ verdict: report.verdict, of: verdicts(report) }).toMatchObject({ verdict });
  expect(driftLine(report)).toMatch(line);
});

test('rows that are not yet due: said with what they will come to', () => {
  const [rows] = soak({ rows: (m) => m * 200, pruning: PRUNING }).drifts.filter((d) => d.of === 'rows');
  expect(rows!.text).toBe(
    'execution_entity grows by 12000 rows an hour as it should: none is due to be pruned before it holds 10000 or they are 336 h old',
  );
});

test('what was not counted is unknown, not stable', () => {
  const report = soak({});
  expect(report.drifts.map((d) => d.of)).toEqual(['memory', 'latency']);
  expect(report.unknown).toEqual(["the growth of n8n's tables: their rows could not be counted"]);
  expect(driftTable(report)).toMatch(/unknown.*could not be counted/);
});

test.each([
  ['PASS', 'stable', 'PASS'],
  ['PASS', 'drifts', 'FAIL'],
  ['PASS', 'too-short', 'INCONCLUSIVE'],
  ['INCONCLUSIVE', 'drifts', 'FAIL'],
  ['INCONCLUSIVE', 'stable', 'INCONCLUSIVE'],
  ['FAIL', 'stable', 'FAIL'],
  ['FAIL', 'too-short', 'FAIL'],
] as const)('a step that is %s and a drift that is %s: %s', (step, drift, expected) => {
  const report: SoakReport = { verdict: drift, drifts: [], unknown: [] };
  expect(withDrift({ verdict: step, loads: [] }, report).verdict).toBe(expected);
});
