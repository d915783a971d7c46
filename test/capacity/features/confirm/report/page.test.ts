import { judgeConfirm } from '../../../../../capacity/src/features/confirm/conclude.js';
import { renderConfirmHtml, type ConfirmReport } from '../../../../../capacity/src/features/confirm/report/page.js';
import { triesPlot } from '../../../../../capacity/src/features/confirm/report/plot.js';
import { record, shown, soak } from '../support.js';
import {
  readBadges,
  contentOf,
  readFacts,
  readFigures,
  readHeadings,
  readRows,
  buildRunRecord,
} from '../../../support/index.js';

const GOOD = ['held', 'held'] as ['held', 'held'];
const SOAK = 'soaks/webhook-ack/report.html';

function report(of: Parameters<typeof shown>, changes: Partial<ConfirmReport['conclusion']> = {}): ConfirmReport {
  const whole = record({ before: [{ load: 'webhook-ack', rate: 40, held: false }] });
  const conclusion = { ...judgeConfirm(whole, shown(...of)), folder: 'f', report: 'f/report.html', ...changes };
  const runs = of[0].map((_, i) => ({ load: 'webhook-ack', deployment: i + 1, report: `runs/0${i + 1}/report.html` }));
  return {
    record: whole,
    conclusion,
    runs: [...runs, ...(of[1] ? [{ load: 'webhook-ack', report: SOAK }] : [])],
    first: buildRunRecord({}),
  };
}

test('what was confirmed: the answer, each run with its report, where the values are', async () => {
  const page = await renderConfirmHtml(
    report([[GOOD, GOOD, GOOD], [soak('PASS')]], { recommended: 'f/values.recommended.yaml' }),
  );
  expect(readBadges(page)).toEqual(['PASS', 'PASS']);
  expect(readFigures(page)).toEqual(['20/s']);
  expect(readHeadings(page, 2)).toEqual(['webhook-ack PASS', 'Recommended values', 'webhook-ack', 'Plan', 'Terms']);
  const rows = readRows(page, 'Tries of webhook-ack');
  expect(rows.map((r) => [r.Run, r.Arrivals, r.Outcome])).toEqual([
    ...[1, 2, 3].flatMap((n) => ['20/s', '26/s'].map((rate) => [`deployment ${n}`, rate, 'held'])),
    ['soak of 15 min', '26/s', 'PASS'],
  ]);
  for (const link of ['runs/02/report.html', SOAK, 'values.recommended.yaml'])
    expect(contentOf(page)).toContain(`href="${link}"`);
  expect(readFacts(page)).toMatchObject({ Headroom: '× 1.3', 'With headroom': '26/s (× 1.3)', Of: 'results/friday' });
  expect(contentOf(page)).not.toMatch(/NaN|Infinity|undefined/);
});

test('what broke: which deployment, and no values', async () => {
  const page = await renderConfirmHtml(report([[GOOD, GOOD, ['held', 'broken']]]));
  expect(readBadges(page)[0]).toBe('FAIL');
  expect(readFacts(page)).toMatchObject({ 'Broke at': '26/s, in deployment 3', Soak: 'none' });
  expect(readHeadings(page, 2)).not.toContain('Recommended values');
});

test('before anything ran: a page without a plot', async () => {
  const page = await renderConfirmHtml({ ...report([[]]), runs: [] });
  expect(readBadges(page)[0]).toBe('INCONCLUSIVE');
  expect(contentOf(page)).not.toMatch(/<figure|NaN|Infinity|undefined/);
});

test('the plot holds every try, those of the record too, and the interval', () => {
  const { conclusion, record: whole } = report([[GOOD, GOOD, ['held', 'broken']]]);
  const { series } = triesPlot(conclusion.loads[0]!, whole).option as { series: any[] };
  const points = (name: string) => series.find((s) => s.name === name).data;
  expect(points('held')).toHaveLength(5);
  expect(points('broken')).toEqual([
    ['before', 40],
    ['deployment 3', 26],
  ]);
  const [[from, to]] = series[0].markArea.data;
  expect(from.yAxis).toBeGreaterThan(20);
  expect(to.yAxis).toBeLessThan(40);
});

test('hostile names stay text', async () => {
  const whole = report([[GOOD, GOOD, GOOD]]);
  const of = '"><script>alert(1)</script>';
  expect(contentOf(await renderConfirmHtml({ ...whole, record: { ...whole.record, of } }))).not.toContain(
    '<script>alert',
  );
});
