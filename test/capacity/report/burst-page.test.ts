import { judgeBurst } from '../../../capacity/src/judge/profiles/burst.js';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { renderHtml } from '../../../capacity/src/report/html/page.js';
import { burstSeconds } from '../../../capacity/src/report/html/burst-plots.js';
import { burstTable } from '../../../capacity/src/report/terminal/run.js';
import { runAsJunit } from '../../../capacity/src/report/junit.js';
import { runAsMarkdown } from '../../../capacity/src/report/markdown.js';
import { recordedBurst, type Truth } from '../bursts.js';
import { queueRun } from './fixtures.js';

function recorded(truth: Truth): RecordedRun {
  const { plan, deployment, steps, samples } = recordedBurst(truth);
  const run = { ...queueRun(), plan, deployment };
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

test('the page of a burst: verdict, figures, phases, plots and their table', async () => {
  const run = recorded(SCALED);
  const page = (await renderHtml(run, verdictOf(run))).replace(/<script>[^]*?<\/script>/g, '');
  const order = [
    'PASS</span>',
    'webhook-ack</b> takes 20/s for 30 s above 2/s',
    'executions of backlog at most',
    'Burst</h2>',
    'Peak backlog',
    'Time to drain',
    'Scaling of worker',
    '1 to 3: the first new pod ready',
    'Executions lost',
    'recovery',
    'Requests and executions</h3>',
    'Backlog</h3>',
    'Median latency of each second</h3>',
    'Pods that take requests</h3>',
    'The plots as a table',
    'worker pods',
    'Processes over time',
    '2/s, 20/s for 30 s, 2/s again; to be drained within 60 s',
  ];
  const found = order.map((text) => page.indexOf(text, page.indexOf('<main>')));
  expect(found.every((at) => at >= 0)).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
});

describe('a phase that fails in many ways', () => {
  const failures = { unproved: 3, 'HTTP 503': 120, 'no answer (k6 1050)': 40, 'no answer (k6 1220)': 7, 'HTTP 500': 1 };
  const kinds = 'HTTP 503 120, no answer (k6 1050) 40, no answer (k6 1220) 7, unproved 3, HTTP 500 1';
  const run = recorded({
    perSecond: () => 12,
    phases: ({ name }) => (name === 'spike' ? { failed: 171, answered: 429, failures } : {}),
  });

  test('says on the page how many failed, and of what, the most first', async () => {
    const page = (await renderHtml(run, verdictOf(run))).replaceAll(/\s+/g, ' ');
    expect(page).toContain(
      `<td>429</td><td>171</td><td>+10 ms</td><td>+20 ms</td><td>+30 ms</td> <td class="text">${kinds}</td>`,
    );
    expect(page).toContain('<td>40</td><td>0</td><td>+10 ms</td><td>+20 ms</td><td>+30 ms</td> <td class="text"></td>');
  });

  test('says so on a terminal in a table that stays narrow', () => {
    const lines = burstTable(verdictOf(run).burst!).split('\n').slice(0, 6);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(lines.find((line) => line.includes('spike'))).toMatch(
      / 429 +171 +\+10 ms +\+20 ms +\+30 ms +HTTP 503 120, no answer/,
    );
  });
});

test('without a cluster there are no pods to plot', async () => {
  const run = recorded({ perSecond: () => 12 });
  const page = await renderHtml(run, verdictOf(run));
  expect(page).toContain('at a fixed scale (no autoscaler)');
  expect(page).not.toContain('Pods that take requests');
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
  expect(runAsJunit(verdict, run.run.plan.slo)).toMatch(
    /name="backlog drained in time" time="0"><failure message="[^"]*the backlog was back at 1/,
  );
  const confidence = { word: 'provisional', text: 'x', reasons: [] } as const;
  const markdown = runAsMarkdown({
    verdict,
    confidence: { ...confidence, reasons: [] },
    folder: 'results/1',
    report: 'report.html',
  });
  expect(markdown).toMatch(/## n8n-capacity: FAIL/);
  expect(markdown).toMatch(/2\/s, 20\/s, 2\/s/);
  expect(markdown).toMatch(/\| Peak backlog \| 525 executions/);
});
