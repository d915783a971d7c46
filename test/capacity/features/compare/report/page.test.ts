import { judgeSteps } from '../../../../../capacity/src/judge/run.js';
import type { CompareConclusion } from '../../../../../capacity/src/features/compare/judge/compare.js';
import { renderCompareHtml } from '../../../../../capacity/src/features/compare/report/page.js';
import { plotAnsweredRates, plotLatencies } from '../../../../../capacity/src/features/compare/report/plots.js';
import {
  readBadges,
  contentOf,
  readHeadings,
  buildPassingRun,
  buildQueueSteps,
  readRows,
} from '../../../support/index.js';

const run = buildPassingRun();
const { slo } = run.run.plan;
const a = judgeSteps(run.run.plan, buildQueueSteps());
const b = judgeSteps(run.run.plan, buildQueueSteps().slice(0, 5));

const conclusion: CompareConclusion = {
  a: 'results/<before>',
  b: 'results/after',
  noise: { source: 'measured', rate: 0.05 },
  outcome: 'worse',
  loads: [{ load: 'webhook-wait', outcome: 'worse', a: 64, b: 40, difference: -0.375, band: 0.05 }],
  notComparable: [{ load: 'code', code: 'one-sided', reason: 'only A ran this load' }],
  differences: [{ kind: 'version', what: 'n8n', a: '2.41.1', b: '2.39.10' }],
  warnings: ['the machines differ'],
};

test('both runs side by side: the answer first, a table and plots of each load, what differs', async () => {
  const page = await renderCompareHtml({ conclusion, verdicts: [a, b], slo });
  expect(readBadges(page)[0]).toBe('FAIL');
  expect(readHeadings(page, 2)).toEqual(['Both runs', 'webhook-wait', 'What differs in their setups']);
  expect(readHeadings(page, 3)).toEqual(['p95 against arrival rate', 'Answered against arrival rate']);
  expect(readRows(page, 'Both runs')).toMatchObject([
    { Load: 'webhook-wait', 'A sustains/s': '64', 'B sustains/s': '40', 'B is': 'worse' },
  ]);
  expect(readRows(page, 'Differences of the setups')).toMatchObject([
    { Differs: 'version', A: '2.41.1', B: '2.39.10' },
  ]);
  expect(contentOf(page)).toContain('results/&lt;before&gt;');
  expect(contentOf(page)).not.toMatch(/NaN|Infinity|undefined/);
});

test('where nothing can be compared or differs, the page says so', async () => {
  const { outcome: _, ...rest } = conclusion;
  const page = await renderCompareHtml({
    conclusion: { ...rest, loads: [], differences: [] },
    verdicts: [a, { ...b, loads: [] }],
    slo,
  });
  expect(readBadges(page)[0]).toBe('INCONCLUSIVE');
  expect(readHeadings(page, 3)).toEqual([]);
  expect(readHeadings(page, 2)).toEqual(['Both runs', 'What differs in their setups']);
});

test('both runs share the axes of a plot, and each capacity is a line', () => {
  const pair = [a.loads[0]!, b.loads[0]!] as [(typeof a.loads)[0], (typeof b.loads)[0]];
  const latency = plotLatencies(pair, slo).option;
  const answered = plotAnsweredRates(pair).option;
  for (const { series } of [latency, answered] as any[]) {
    expect(series.filter((s: any) => s.type === 'scatter').map((s: any) => s.name)).toEqual(['A', 'B']);
    expect(series[0].markLine.data.slice(0, 2)).toMatchObject([
      { xAxis: a.loads[0]!.capacity },
      { xAxis: b.loads[0]!.capacity },
    ]);
  }
  expect((answered as any).xAxis.max).toBeGreaterThanOrEqual(80);
});
