import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { renderHtml } from '../../../capacity/src/report/html/page.js';
import { conclude } from '../../../capacity/src/run/conclude.js';
import { hostileRun, passingRun, queueSteps, recommendation } from './fixtures.js';

const render = (run: RecordedRun, next?: typeof recommendation) =>
  renderHtml(run, judgeSteps(run.run.plan, run.steps), next);
const withoutScripts = (page: string) => page.replace(/<script>[^]*?<\/script>/g, '');

test('the page says what there is to say, the verdict first', async () => {
  const page = withoutScripts(await render(passingRun(), recommendation));
  const order = [
    'PASS</span>',
    'webhook-wait</b> sustains 64/s (held in 1 of 2 steps), breaks at 66/s',
    'Provisional.',
    'at 95 % confidence',
    '80/s (40 slots ÷ 0.5 s)',
    'Recommended values',
    'concurrency: 20',
    'Arrivals',
    'Latency against arrival rate',
    'Throughput against arrival rate',
    'Processes over time',
    'Memory (RSS)',
    'CPU</h4>',
    'Jobs in the queue',
    'PostgreSQL over time',
    'Transactions</h4>',
    'Connections</h4>',
    'Spread over processes',
    'Executions by process: webhook</h4>',
    'CPU seconds by process: worker</h4>',
    'Configuration',
    'postgresdb',
    'worker.replicas=2',
  ];
  const found = order.map((text) => page.indexOf(text, page.indexOf('<main>')));
  expect(found.every((at) => at >= 0)).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
});

test('nothing in the page leads out of it', async () => {
  const page = withoutScripts(await render(passingRun(), recommendation));
  expect(page.match(/(?:src|href|action|url)\s*[=(]\s*["']?\s*(?:https?:)?\/\//gi)).toBeNull();
  expect(page).not.toMatch(/@import|<link (?!rel="icon" href="data:,")/);
});

test('the policy allows the scripts of the page and no others', async () => {
  const page = await render(passingRun());
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, text]) => `&#39;sha256-${createHash('sha256').update(text!).digest('base64')}&#39;`,
  );
  expect(scripts).toHaveLength(2);
  expect(page).toContain(`default-src &#39;none&#39;; script-src ${scripts.join(' ')};`);
});

test('names and log lines that hold markup stay text', async () => {
  const page = withoutScripts(
    await render(hostileRun(), { title: '<b>x</b>', text: '<i>y</i>', values: '</pre><u>z</u>' }),
  );
  expect(page).not.toMatch(/<img|<b>x|<i>y|<u>z|<script(?! type="application\/json")/);
  expect(page.match(/<\/script>/g)).toHaveLength(1);
  expect(JSON.parse(/id="plots">([^]*?)<\/script>/.exec(page)![1]!)).toHaveProperty('plot-1.option');
});

test('every plot has a text alternative, and every header cell a scope', async () => {
  const page = withoutScripts(await render(passingRun()));
  expect(page.match(/role="img"/g)).toHaveLength(17);
  expect(page.match(/role="img"\s+aria-label="[^"]{20,}/g)).toHaveLength(17);
  expect(page.match(/<th(?![a-z])(?![^>]*scope=)/g)).toBeNull();
});

test.each([
  ['the capacity', queueSteps(), '64</strong>/s <span>highest sustained arrival rate'],
  ['what held when nothing broke', queueSteps().slice(0, 4), '40</strong>/s <span>sustained; no step broke it'],
  ['that nothing held', queueSteps().slice(4, 5), 'none</strong> <span>no rate that was tried was sustained'],
  ['that nothing could be judged', queueSteps().slice(11), '–</strong> <span>no step could be judged'],
  ['what closed clients got', hostileRun().steps.map((s) => ({ ...s, load: 'webhook-wait' })), '10</strong>/s'],
])('the card says %s', async (_what, steps, headline) => {
  expect(await render({ ...passingRun(), steps })).toContain(headline);
});

test('a run that was cut off before its first step still has a report', async () => {
  const page = withoutScripts(await render({ ...passingRun(), steps: [], samples: [] }));
  expect(page).toContain('no step has ended');
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

describe('the command', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'report-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('judges what is recorded and writes the report whole', async () => {
    const { run, steps, samples } = passingRun();
    await writeFile(join(folder, 'run.json'), JSON.stringify(run));
    await writeFile(join(folder, 'steps.ndjson'), steps.map((s) => `${JSON.stringify(s)}\n`).join(''));
    await writeFile(
      join(folder, 'samples.ndjson'),
      samples.map((s) => `${JSON.stringify(s)}\n`).join('') + '{"cut off',
    );
    expect(await conclude(folder)).toMatchObject({
      verdict: { verdict: 'PASS', loads: [{ capacity: 64, broken: 66 }] },
    });
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toMatch(/^<!doctype html>[^]*<\/html>\s*$/);
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test('refuses a folder that holds no run', async () => {
    await expect(conclude(folder)).rejects.toThrow(/holds no run\.json/);
  });
});
