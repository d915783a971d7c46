import { answerLoads } from '../../../capacity/src/recommend/answer.js';
import { judgeBurst } from '../../../capacity/src/judge/profiles/burst.js';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { renderHtml } from '../../../capacity/src/report/html/page.js';
import { burstSeconds } from '../../../capacity/src/report/html/burst-plots.js';
import { burstTable } from '../../../capacity/src/report/terminal/run.js';
import { runAsJunit } from '../../../capacity/src/report/junit.js';
import { runAsMarkdown } from '../../../capacity/src/report/markdown.js';
import {
  readBadges,
  readFigures,
  readHeadings,
  buildQueueRun,
  buildBurst,
  readRows,
  type Truth,
} from '../support/index.js';

function recorded(truth: Truth): RecordedRun {
  const { plan, deployment, steps, samples } = buildBurst(truth);
  const run = { ...buildQueueRun(), plan, deployment };
  return { folder: 'results/x', run, steps, samples, events: [], rows: [] };
}

const SCALED: Truth = {
  perSecond: (second) => (second < 45 ? 6 : 18),
  pods: (second) => ({ wanted: second < 35 ? 1 : 3, ready: second < 45 ? 1 : 3 }),
  deployment: {
    autoscalers: [{ component: 'worker', kind: 'HorizontalPodAutoscaler', minReplicas: 1, maxReplicas: 3 }],
  },
};
const verdictOf = (run: RecordedRun) => judgeBurst({ ...run.run, ...run });

test('the page of a burst has its results, phases, plots and their table', async () => {
  const run = recorded(SCALED);
  const page = await renderHtml(run, verdictOf(run));
  expect(readBadges(page)[0]).toBe('PASS');
  expect(readHeadings(page, 2)).toEqual(['webhook-ack PASS', 'Burst', 'Processes over time', 'Configuration', 'Terms']);
  expect(readHeadings(page, 3).slice(0, 4)).toEqual([
    'Requests and executions',
    'Backlog',
    'Median latency per second',
    'Ready pods',
  ]);
  expect(readFigures(page)).toEqual(['360']);
  const results = Object.fromEntries(readRows(page, 'Results of the burst').map((r) => [r.Burst, r.Measured]));
  expect(results).toMatchObject({ 'Executions lost': '0', 'Peak backlog': expect.stringContaining('360') });
  expect(results['Scaling of worker']).toContain('1 to 3 pods');
  expect(readRows(page, 'Phases of the burst')).toMatchObject([
    { Phase: 'base', From: '0 s', To: '20 s' },
    { Phase: 'spike', 'Offered/s': '20', Answered: '600' },
    { Phase: 'recovery', To: '120 s' },
  ]);
  expect(readRows(page, 'The burst over time')[0]).toMatchObject({ Second: '0', 'Offered/s': '2', 'worker pods': '1' });
});

describe('a phase that fails in many ways', () => {
  const failures = { unproved: 3, 'HTTP 503': 120, 'no answer (k6 1050)': 40, 'no answer (k6 1220)': 7, 'HTTP 500': 1 };
  const kinds = 'HTTP 503 120, no answer (k6 1050) 40, no answer (k6 1220) 7, unproved 3, HTTP 500 1';
  const run = recorded({
    perSecond: () => 12,
    phases: ({ name }) => (name === 'spike' ? { failed: 171, answered: 429, failures } : {}),
  });

  test('lists the failures by kind on the page, most frequent first', async () => {
    const [base, spike] = readRows(await renderHtml(run, verdictOf(run)), 'Phases of the burst');
    expect(spike).toMatchObject({ Answered: '429', Failed: '171', p50: '+10 ms', p99: '+30 ms', Failures: kinds });
    expect(base).toMatchObject({ Answered: '40', Failed: '0', Failures: '' });
  });

  test('fits into 120 characters on a terminal', () => {
    const lines = burstTable(verdictOf(run).burst!).split('\n').slice(0, 6);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(lines.find((line) => line.includes('spike'))).toMatch(/ 429 +171 +\+10 ms +\+20 ms +\+30 ms +HTTP 503 120,/);
  });
});

test('without a cluster there are no pods to plot', async () => {
  const run = recorded({ perSecond: () => 12 });
  expect(readHeadings(await renderHtml(run, verdictOf(run)), 3)).not.toContain('Ready pods');
});

test('each second says what arrived, what ended and what waits', () => {
  const run = recorded({ perSecond: () => 12 });
  const seconds = burstSeconds(run, verdictOf(run).burst!);
  expect(seconds).toHaveLength(140);
  expect(seconds[10]).toMatchObject({ at: 10, sent: 2, completed: 2, backlog: 0 });
  expect(seconds[30]).toMatchObject({ at: 30, completed: 12, backlog: 88 });
  expect(seconds[130]).toEqual({ at: 130, completed: 0, backlog: 0, ready: {} });
});

test('CI sees the verdict and its reason', () => {
  const run = recorded({ perSecond: () => 2.5 });
  const verdict = verdictOf(run);
  expect(runAsJunit(verdict, run.run.plan.slo)).toMatch(/name="[^"]*drained[^"]*" time="0"><failure /);
  const confidence = { word: 'provisional', text: 'x', reasons: [] } as const;
  const markdown = runAsMarkdown({
    n8n: { asked: '2.41.4', measured: '2.41.4' },
    verdict,
    answers: answerLoads(run, verdict),
    confidence: { ...confidence, reasons: [] },
    folder: 'results/1',
    report: 'report.html',
  });
  expect(markdown).toMatch(/## n8n-capacity: FAIL/);
  expect(markdown).toMatch(/2\/s, 20\/s, 2\/s/);
  expect(markdown).toMatch(/\| Peak backlog \| 525 /);
});
