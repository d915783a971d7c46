import type { RunRecord } from '../../../../capacity/src/model/run.js';
import type { SoakReport } from '../../../../capacity/src/model/reports.js';
import type { Sample, RowsRecord } from '../../../../capacity/src/model/sample.js';
import { judgeSoak, withDrift } from '../../../../capacity/src/judge/profiles/soak.js';
import { buildGoodStep, buildPlan, regularDeployment } from '../../support/index.js';

const MINUTE = 60_000;
/** Of each soak, in seconds. */
const HORIZON = 86_400;

interface Shape {
  minutes?: number;
  /** Rows after so many minutes; undefined: not counted. */
  rows?: (minute: number) => number;
  pruning?: { maxAgeHours: number; maxCount: number };
  rssBytes?: (minute: number) => number;
}

function soak({ minutes = 40, rows, pruning, rssBytes = () => 4e8 }: Shape) {
  const step = buildGoodStep({
    measuredFrom: 0,
    measuredTo: minutes * MINUTE,
    backlog: Array.from({ length: minutes * 60 }, (_, at) => ({ at, executions: at % 3 })),
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
  const deployment = regularDeployment(pruning && { pruning });
  const run = {
    plan: buildPlan({ rates: { kind: 'soak', rate: 20, horizonSeconds: HORIZON } }),
    deployment,
  } as RunRecord;
  return judgeSoak({ run, steps: [step], samples, rows: rows ? counts : [] }, HORIZON);
}

const PRUNING = { maxAgeHours: 336, maxCount: 10_000 };
const verdicts = (report: SoakReport) => Object.fromEntries(report.drifts.map((d) => [`${d.of} ${d.name}`, d.verdict]));

/** A quantity that is not stable; without one, all are. */
test.each<[string, Shape, SoakReport['verdict'], ...string[]]>([
  ['all as it was', { rows: () => 9000, pruning: PRUNING }, 'stable'],
  ['memory grows', { rssBytes: (m) => 4e8 + m * 5e6 }, 'drifts', 'memory main-0'],
  ['rows that nothing prunes', { rows: (m) => m * 1200 }, 'drifts', 'rows execution_entity'],
  ['rows that are not yet due', { rows: (m) => m * 200, pruning: PRUNING }, 'stable'],
  [
    'rows past the count at which they are due',
    { minutes: 240, rows: (m) => m * 1200, pruning: PRUNING },
    'drifts',
    'rows execution_data',
  ],
  ['rows that n8n has marked and not yet deleted', { rows: (m) => m * 1200, pruning: PRUNING }, 'stable'],
  ['rows past no count, which is 0', { rows: (m) => m * 1200, pruning: { maxAgeHours: 336, maxCount: 0 } }, 'stable'],
  [
    'rows past their age',
    { minutes: 240, rows: (m) => m * 200, pruning: { maxAgeHours: 0.5, maxCount: 0 } },
    'drifts',
    'rows execution_entity',
  ],
  ['a minute', { minutes: 1 }, 'too-short', 'memory main-0'],
  ['ten minutes', { minutes: 10 }, 'too-short', 'latency webhook-ack'],
  ['eleven minutes', { minutes: 11 }, 'stable'],
])('%s: %#', (_, shape, verdict, ...causes) => {
  const report = soak(shape);
  expect(report.verdict).toBe(verdict);
  for (const cause of causes) expect(verdicts(report)).toMatchObject({ [cause]: verdict });
  if (causes.length === 0) expect(new Set(Object.values(verdicts(report)))).toEqual(new Set(['stable']));
});

test('rows that are not yet due: said with what they will come to', () => {
  const [rows] = soak({ rows: (m) => m * 200, pruning: PRUNING }).drifts.filter((d) => d.of === 'rows');
  expect(rows!.perHour).toBeCloseTo(12_000, 6);
  for (const fact of ['12000', '10000', '336 h']) expect(rows!.text).toContain(fact);
});

test('what was not counted is unknown, not stable', () => {
  const report = soak({});
  expect(report.drifts.map((d) => d.of)).toEqual(['memory', 'latency', 'backlog']);
  expect(report.unknown).toEqual([expect.stringContaining('tables')]);
});

test.each([
  ['PASS', 'stable', 'PASS'],
  ['PASS', 'drifts', 'FAIL'],
  ['PASS', 'too-short', 'INCONCLUSIVE'],
  ['PASS', 'unproven', 'INCONCLUSIVE'],
  ['INCONCLUSIVE', 'drifts', 'FAIL'],
  ['INCONCLUSIVE', 'stable', 'INCONCLUSIVE'],
  ['FAIL', 'stable', 'FAIL'],
  ['FAIL', 'too-short', 'FAIL'],
] as const)('a step that is %s and a drift that is %s: %s', (step, drift, expected) => {
  const report: SoakReport = { verdict: drift, horizonSeconds: 3600, drifts: [], unknown: [] };
  expect(withDrift({ verdict: step, loads: [] }, report).verdict).toBe(expected);
});
