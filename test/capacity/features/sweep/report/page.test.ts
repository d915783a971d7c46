import { latencyByCost, paretoPlot } from '../../../../../capacity/src/features/sweep/report/cost-plots.js';
import { highestCommonLoad, type SweepReport } from '../../../../../capacity/src/features/sweep/report/facts.js';
import { axisPairs, makeGrids } from '../../../../../capacity/src/features/sweep/report/heat-map.js';
import type { Plot } from '../../../../../capacity/src/report/html/plot.js';
import { renderSweepHtml } from '../../../../../capacity/src/features/sweep/report/page.js';
import { fitScalings } from '../../../../../capacity/src/features/sweep/report/scalability.js';
import { scalabilityPlot } from '../../../../../capacity/src/features/sweep/report/scalability-section.js';
import {
  readBadges,
  contentOf,
  readFacts,
  readFigures,
  readHeadings,
  buildHostileSweep,
  recommendation,
  readRows,
  buildSearchSweep,
  buildTargetSweep,
} from '../../../support/index.js';

const series = (plot: Plot, name: string, type: string): any[] =>
  (plot.option.series as any[]).filter((s) => s.name === name && s.type === type);
const withoutScripts = (page: string) => page.replace(/<script>[^]*?<\/script>/g, '');

describe('the page', () => {
  test('has its sections in order, the verdict first', async () => {
    const page = await renderSweepHtml(buildTargetSweep(), recommendation);
    expect(readBadges(page)[0]).toBe('PASS');
    expect(readHeadings(page, 2)).toEqual([
      'Cheapest that held',
      'Values that held',
      'Configurations',
      'Two dimensions at a time',
      'Plan',
      'Terms',
    ]);
    expect(readHeadings(page, 3)).toEqual([
      'Cost against sustained rate',
      'Cost against latency at the target',
      'p99 at 39/s',
    ]);
    expect(readFigures(page)).toEqual(['39/s']);
    expect(readFacts(page).Configurations).toContain('3 misses, 3 meets, 2 ruled out');
    expect(contentOf(page)).toContain(recommendation.values);
  });

  test('has a row for each configuration; one that was not measured has no number', async () => {
    const page = await renderSweepHtml(buildSearchSweep());
    const rows = readRows(page, 'Configurations');
    const row = (id: string) => rows.find((r) => r['#'] === id);
    expect(rows).toHaveLength(24);
    expect(contentOf(page)).toContain('<a href="runs/01-workers-1-concurrency-5-cpu-500m/report.html">01</a>');
    expect(row('04')).toMatchObject({ 'Sustains/s': 'none', Status: 'measured' });
    expect(row('15')).toMatchObject({ 'Sustains/s': '≥ 43', Status: 'dominated' });
    expect(row('22')).toMatchObject({ 'Sustains/s': '–', 'USD/million': '–', Status: 'open' });
    expect(row('24')).toMatchObject({ Cores: '–', Status: 'excluded' });
    expect(contentOf(page)).toContain('worker.concurrency: 8 workers × 20 connections');
    expect(contentOf(page)).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('every plot has a text alternative, every header cell a scope, and nothing leads out', async () => {
    const page = withoutScripts(await renderSweepHtml(buildSearchSweep(), recommendation));
    expect(page.match(/role="img"\s+aria-label="[^"]{20,}/g)).toHaveLength(page.match(/role="img"/g)!.length);
    expect(page.match(/<th(?![a-z])(?![^>]*scope=)/g)).toBeNull();
    expect(page.match(/(?:src|href|action|url)\s*[=(]\s*["']?\s*(?:https?:)?\/\//gi)).toBeNull();
  });

  test('names that hold markup stay text, and secrets stay out', async () => {
    const page = withoutScripts(await renderSweepHtml(buildHostileSweep()));
    expect(page).not.toMatch(/<img|<script(?! type="application\/json")/);
    expect(page).not.toContain('secret<');
    expect(page).toContain('a.password=&lt;not recorded&gt;');
  });
});

describe('the highest load that all have met', () => {
  const at = (report: SweepReport) => highestCommonLoad(report)?.at;

  test('is that of the smallest', () => expect(at(buildSearchSweep())).toBe('8/s'));
  test('is the target where there is one', () => expect(at(buildTargetSweep())).toBe('39/s'));
  test('is none when nothing ran', () => expect(at(buildHostileSweep())).toBeUndefined());

  test('does not count what could not be judged', () => {
    const report = buildSearchSweep();
    const [id, run] = [...report.runs][0]!;
    const steps = run.load.steps.map((s) => ({ ...s, judged: { ...s.judged, verdict: 'INCONCLUSIVE' as const } }));
    const runs = new Map([...report.runs, [id, { ...run, load: { ...run.load, steps } }]]);
    expect(at({ ...report, runs })).toBe('8/s');
    expect(highestCommonLoad({ ...report, runs })!.p99.has(id)).toBe(false);
  });
});

test.each([
  [['a'], [{ across: 'a' }]],
  [['a', 'b'], [{ down: 'a', across: 'b' }]],
  [
    ['a', 'b', 'c'],
    [
      { down: 'a', across: 'b' },
      { down: 'a', across: 'c' },
      { down: 'b', across: 'c' },
    ],
  ],
])('of %j the choices are %j', (names, expected) => {
  expect(axisPairs(names)).toEqual(expected);
});

test('a grid for each value of the third dimension holds every configuration once', () => {
  const { record, conclusion } = buildSearchSweep();
  const all = makeGrids(conclusion.rows, record.plan.dimensions, { down: 'workers', across: 'concurrency' });
  expect(all.map((g) => g.fixed)).toEqual([{ cpu: '500m' }, { cpu: '1' }]);
  const ids = all.flatMap((g) => g.lines.flatMap((l) => l.cells.map((c) => c!.id)));
  expect(new Set(ids).size).toBe(24);
  expect(all[1]!.lines[3]!.cells[2]!.values).toEqual({ workers: 8, concurrency: 20, cpu: '1' });
});

describe('against cost', () => {
  test('the front is a line of steps, others are points, and what was stopped early has a shape of its own', () => {
    const plot = paretoPlot(buildSearchSweep())!;
    const front = series(plot, 'front', 'line')[0].data;
    expect(front.map(([, rate]: number[]) => rate)).toEqual(
      [...front.map(([, r]: number[]) => r)].sort((a, b) => a - b),
    );
    expect(series(plot, 'others', 'scatter')[0].data.filter((p: any) => p.symbol === 'triangle').length).toBe(
      buildSearchSweep().conclusion.rows.filter((r) => r.status === 'dominated' && !r.onFront).length,
    );
    expect(plot.note).toMatch(/: 04\./);
    expect(plot.note).toMatch(/: 21, 22, 23, 24\./);
  });

  test('with a target the recommended one is marked, and what misses is a cross at the rate that it misses', () => {
    const plot = paretoPlot(buildTargetSweep())!;
    const points = ['front', 'others'].flatMap((name) => series(plot, name, 'scatter')[0].data);
    expect(points.filter((p) => p.label?.formatter === 'cheapest that held')).toHaveLength(1);
    expect(points.filter((p) => String(p.symbol).startsWith('path')).map((p) => p.value[1])).toEqual([39, 39, 39]);
    expect(
      Object.values(plot.tips!)
        .map((t) => t.text)
        .join(' '),
    ).toContain('misses 39/s');
  });

  test('latency has its objective as a line; without a target there is no such plot', () => {
    expect(series(latencyByCost(buildTargetSweep())!, 'marks', 'line')[0].markLine.data).toMatchObject([{ yAxis: 2 }]);
    expect(latencyByCost(buildSearchSweep())).toBeUndefined();
  });

  test('nothing sustained, nothing drawn', () => expect(paretoPlot(buildHostileSweep())).toBeUndefined());
});

describe('scalability', () => {
  const { record, conclusion } = buildSearchSweep();
  const all = fitScalings(record, conclusion.rows);

  test('a series for each combination of the other dimensions, of capacities alone', () => {
    expect(all.map((s) => [s.fixed, s.points.map((p) => p.workers), s.left])).toEqual([
      ['concurrency 5, cpu 500m', [1, 2, 4, 8], []],
      ['concurrency 5, cpu 1', [1, 2, 4, 8], []],
      ['concurrency 10, cpu 500m', [1, 2], ['4 (stopped early)', '8 (not measured)']],
      ['concurrency 10, cpu 1', [2, 4], ['1 (sustained no rate)', '8 (not measured)']],
      ['concurrency 20, cpu 500m', [1, 2, 4], ['8 (not measured)']],
      ['concurrency 20, cpu 1', [1, 2, 4], ['8 (excluded)']],
    ]);
    expect(all[2]!.fit).toHaveProperty('refused');
  });

  test('the law is drawn to four times what was measured, beyond it in another style', () => {
    const plot = scalabilityPlot(all[0] as any);
    const ends = (name: string) => {
      const { data } = series(plot, name, 'line')[0];
      return [data[0][0], data.at(-1)[0]];
    };
    expect(ends('law')).toEqual([1, 8]);
    expect(ends('law, extrapolated')).toEqual([8, 32]);
    expect(series(plot, 'law, extrapolated', 'scatter')[0].data.map(([n]: number[]) => n)).toEqual([16, 32]);
    expect(series(plot, 'law, extrapolated', 'line')[0].lineStyle.type).toBe('dashed');
  });

  test('the table has a row for each fitted series, and the page names those without a curve', async () => {
    const page = await renderSweepHtml(buildSearchSweep());
    expect(readRows(page, 'Coefficients and predictions').map((r) => r.Series)).toEqual([
      'concurrency 5, cpu 500m',
      'concurrency 5, cpu 1',
      'concurrency 20, cpu 500m',
      'concurrency 20, cpu 1',
    ]);
    expect(contentOf(page)).toContain('class="warning"');
    expect(contentOf(page)).toContain('<b>concurrency 10, cpu 500m</b>');
  });

  test.each([
    ['a target', buildTargetSweep()],
    ['no count of workers', buildHostileSweep()],
  ])('%s: no curve', (_what, report) => {
    expect(fitScalings(report.record, report.conclusion.rows)).toEqual([]);
  });
});
