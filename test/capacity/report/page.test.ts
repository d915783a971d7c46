import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { judgeRun, judgeSteps } from '../../../capacity/src/judge/run.js';
import type { ProfileRecord } from '../../../capacity/src/model/profile.js';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { renderHtml } from '../../../capacity/src/report/html/page.js';
import { explainedWord } from '../../../capacity/src/report/html/terms.js';
import { conclude } from '../../../capacity/src/run/conclude.js';
import {
  readBadges,
  contentOf,
  readFacts,
  readFigures,
  readHeadings,
  buildHostileRun,
  buildPassingRun,
  buildPayloadRun,
  buildQueueSteps,
  recommendation,
  readRows,
  writeRun,
} from '../support/index.js';

const render = (run: RecordedRun, next?: typeof recommendation) =>
  renderHtml(run, judgeSteps(run.run.plan, run.steps), next);
const withoutScripts = (page: string) => page.replace(/<script>[^]*?<\/script>/g, '');

test('the page has its sections in order, the verdict first', async () => {
  const page = await render(buildPassingRun(), recommendation);
  expect(readBadges(page)[0]).toBe('CAPACITY');
  expect(readHeadings(page, 1)).toHaveLength(1);
  expect(readHeadings(page, 2)).toEqual([
    'webhook-wait CAPACITY',
    'Values that held',
    'webhook-wait',
    'Processes over time',
    'Configuration',
    'Terms',
  ]);
  expect(readHeadings(page, 3).slice(0, 3)).toEqual([
    'p95 against arrival rate',
    'Latency against arrival rate',
    'Throughput against arrival rate',
  ]);
  expect(readHeadings(page, 3).slice(3)).toEqual([
    ...['main', 'webhook', 'worker', 'postgresql', 'redis', 'queue'],
    ...['PostgreSQL over time', 'Spread over processes'],
  ]);
});

test('the page has the numbers of the run', async () => {
  const page = await render(buildPassingRun(), recommendation);
  expect(readFigures(page)).toEqual(['64/s']);
  const facts = readFacts(page);
  expect(facts).toMatchObject({ 'Not sustained at': '66/s', Mode: 'queue', Database: 'postgresdb', n8n: '2.41.1' });
  expect(facts['Upper limit by arithmetic']).toBe('80/s (40 slots ÷ 0.5 s)');
  expect(contentOf(page)).toContain(recommendation.values);
});

test('a rate that holds far below the lowest one that does not is not called the highest', async () => {
  const run = buildPassingRun();
  const judged = judgeSteps(run.run.plan, run.steps);
  const highest = async (broken: number) =>
    (await renderHtml(run, { ...judged, loads: [{ ...judged.loads[0]!, broken }] })).includes('highest sustained');
  expect([await highest(66), await highest(130)]).toEqual([true, false]);
});

test('what n8n did in each step, and who used the cores of the machine, where it was seen', async () => {
  const run = buildPassingRun();
  const [first] = run.steps;
  const machine = { cores: 2, busyCores: 1.5, otherCores: 0.4, takenCores: 0 };
  const counted = run.samples.map((sample) => ({
    ...sample,
    instances: sample.instances.map((instance) => {
      const seconds = (sample.at - first!.measuredFrom) / 1000 + 100;
      const inside = { isolates: 12 * seconds, coldIsolateSeconds: 0.3 * seconds, gcSeconds: 0.05 * seconds };
      return instance.name.includes('worker') ? { ...instance, threadCpuSeconds: 0.72 * seconds, inside } : instance;
    }),
  }));
  const page = await render({ ...run, samples: counted, steps: run.steps.map((step) => ({ ...step, machine })) });
  expect(readRows(page, 'What the processes of n8n did in each step')[0]).toMatchObject({
    '#': '1',
    'Main thread': '72 %',
    'Garbage collection': '5 %',
    'Isolates/s': '12.00',
    'Building isolates': '30 %',
    'Wait for a connection': '–',
  });
  expect(readRows(page, 'Cores of the machine in each step')[0]).toMatchObject({
    Busy: '1.50',
    'Other processes': '0.40',
  });
});

test('a CPU profile is a flame graph and a table, with what profiling cost; no other page carries its renderer', async () => {
  const profile: ProfileRecord = {
    load: 'webhook-wait',
    rate: 80,
    broke: true,
    instance: 'worker-0',
    component: 'worker',
    intervalMicros: 1000,
    seconds: 10,
    idle: 0.04,
    frames: [
      { depth: 0, from: 0, to: 0.9, name: 'serve', package: 'n8n' },
      { depth: 1, from: 0, to: 0.5, name: '</script><b>evaluate', package: 'x' },
    ],
    functions: [{ name: 'evaluate', package: '@n8n/expression-runtime', self: 0.5, total: 0.5 }],
    cpuMillisPerRequest: { profiled: 71.8, unprofiled: 62.4 },
    file: 'cpu-profile-webhook-wait.cpuprofile',
  };
  const page = await render({ ...buildPassingRun(), profiles: [profile] });
  expect(readHeadings(page, 2)).toContain('CPU profile of webhook-wait');
  const text = contentOf(page);
  for (const fact of ['worker-0 at 80/s', '4 %', '71.8 ms', '62.4 ms', profile.file]) expect(text).toContain(fact);
  expect(readRows(page, 'Functions that took most of the CPU under webhook-wait')).toEqual([
    { Function: 'evaluate', Package: '@n8n/expression-runtime', Itself: '50 %', 'With what it called': '50 %' },
  ]);
  expect(page).not.toContain('</script><b>evaluate');
  expect((await render(buildPassingRun())).length).toBeLessThan(page.length - 200_000);
});

test('the table of steps has a row for each step, and marks the capacity', async () => {
  const rows = readRows(await render(buildPassingRun()), 'Steps of webhook-wait');
  expect(rows).toHaveLength(12);
  expect(rows[4]).toMatchObject({ '#': '5', Arrivals: '80/s', Verdict: 'broken', Executions: '832 of 1040' });
  expect(rows[9]).toMatchObject({ Arrivals: '64/s', Verdict: 'sustained capacity', Failed: '0 ≤ 0.467 %' });
  expect(rows.filter((row) => row.Verdict!.includes('capacity'))).toHaveLength(1);
});

test('a run for the payload limit has a card and a row for each number of clients', async () => {
  const run = buildPayloadRun();
  const page = await renderHtml(run, judgeRun(run));
  expect(readBadges(page)[0]).toBe('PASS');
  expect(readHeadings(page, 2)).toContain('Payload limit');
  expect(readFigures(page)).toEqual(['584 MiB', '190 MiB']);
  expect(readRows(page, 'Payload limits by number of clients')).toMatchObject([
    { Clients: '1', Survives: '584 MiB', 'In total': '584 MiB', 'Does not survive': '600 MiB', Tries: '4' },
    { Clients: '4', Survives: '190 MiB', 'In total': '760 MiB', 'Does not survive': '200 MiB', Tries: '3' },
  ]);
  expect(readRows(page, 'Tries')).toHaveLength(7);
  expect(contentOf(page)).not.toMatch(/NaN|Infinity|undefined/);
});

test('a run for the payload limit that tried nothing still has a report', async () => {
  const run = { ...buildPayloadRun(), steps: [], samples: [], events: [] };
  const page = await renderHtml(run, judgeRun(run));
  expect(readBadges(page)[0]).toBe('INCONCLUSIVE');
  expect(contentOf(page)).not.toMatch(/NaN|Infinity|undefined/);
});

test('a soak has a row for each quantity that drifts or not', async () => {
  const run = buildPassingRun();
  const drift = { of: 'memory', name: 'main-0', perHour: 2 ** 20, low: 2 ** 19, high: 2 ** 21, text: 'x' } as const;
  const soak = {
    verdict: 'drifts',
    horizonSeconds: 86_400,
    drifts: [
      { ...drift, verdict: 'drifts', hoursToLimit: 12, provedHours: 6 },
      { of: 'rows', name: 'execution_data', perHour: 0, verdict: 'too-short', text: 'x' },
    ],
    unknown: ['y'],
  } as const;
  const page = await renderHtml(run, { ...judgeRun(run), soak: { ...soak, drifts: [...soak.drifts], unknown: ['y'] } });
  expect(readRows(page, 'Drift of each quantity')).toMatchObject([
    {
      ...{ Of: 'main-0', 'Change per hour': '+1 MiB', 'At least, at most': '+0.5 MiB, +2 MiB', Verdict: 'FAIL' },
      ...{ 'Limit reached in': '12 h', 'Proved for': '6 h' },
    },
    { Of: 'execution_data', 'Change per hour': '–', 'At least, at most': '–', Verdict: 'INCONCLUSIVE' },
  ]);
});

describe('while the run goes on', () => {
  const livePage = (run: RecordedRun, verdict = judgeRun(run)) => renderHtml(run, verdict, undefined, true);

  test('no step is marked as the capacity', async () => {
    const page = await livePage(buildPassingRun());
    expect(readBadges(page)).toEqual(['RUNNING', 'RUNNING']);
    expect(readRows(page, 'Steps of webhook-wait')[9]).toMatchObject({ Arrivals: '64/s', Verdict: 'sustained' });
  });

  test('payload limits are those so far, without verdicts', async () => {
    const run = buildPayloadRun();
    const page = await livePage({ ...run, steps: run.steps.slice(0, 2) });
    expect(readBadges(page)).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
    expect(readFigures(page)).toEqual(['16 MiB', '–']);
    expect(readRows(page, 'Payload limits by number of clients')).toEqual([
      expect.objectContaining({ Clients: '1', Survives: '16 MiB', 'Does not survive': '600 MiB', Tries: '2' }),
      expect.objectContaining({ Clients: '4', Survives: '–', 'Does not survive': '–', Tries: '0' }),
    ]);
    expect(contentOf(page)).not.toMatch(/PASS|FAIL|INCONCLUSIVE|cannot judge/);
  });

  test('the page says what set a payload limit whose search has ended', async () => {
    const run = buildPayloadRun();
    const steps = run.steps.slice(0, 4);
    const page = await livePage({ ...run, steps, events: steps.flatMap((s) => s.events) });
    expect(contentOf(page)).toContain('584 MiB survive, 600 MiB do not');
    expect(contentOf(page)).not.toContain('cannot judge');
  });

  test('drift is what was measured so far, without verdicts', async () => {
    const run = buildPassingRun();
    const drift = { of: 'memory', name: 'main-0', perHour: 2 ** 20, verdict: 'drifts', text: 'reaches it' } as const;
    const soak = { verdict: 'drifts', horizonSeconds: 86_400, drifts: [drift], unknown: [] } as const;
    const verdict = judgeRun(run);
    const page = await livePage(run, {
      ...verdict,
      verdict: 'FAIL',
      soak: { ...soak, drifts: [...soak.drifts], unknown: [] },
    });
    expect(readBadges(page)).toEqual(['RUNNING', 'RUNNING']);
    expect(readRows(page, 'Drift of each quantity')).toEqual([
      expect.objectContaining({ Of: 'main-0', 'Change per hour': '+1 MiB' }),
    ]);
    expect(contentOf(page)).not.toMatch(/PASS|FAIL|INCONCLUSIVE|reaches it/);
  });
});

test('nothing in the page leads out of it', async () => {
  const page = withoutScripts(await render(buildPassingRun(), recommendation));
  expect(page.match(/(?:src|href|action|url)\s*[=(]\s*["']?\s*(?:https?:)?\/\//gi)).toBeNull();
  expect(page).not.toMatch(/@import|<link (?!rel="icon" href="data:,")/);
});

test('the policy allows the scripts of the page and no others', async () => {
  const page = await render(buildPassingRun());
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, text]) => `&#39;sha256-${createHash('sha256').update(text!).digest('base64')}&#39;`,
  );
  expect(scripts).toHaveLength(2);
  expect(page).toContain(`default-src &#39;none&#39;; script-src ${scripts.join(' ')};`);
});

test('a name that every object of JavaScript has is no term', () => {
  expect(explainedWord('constructor')).toBe('constructor');
});

test('each word with an explanation has it on the page, once', async () => {
  const page = contentOf(await render(buildPassingRun()));
  const ids = [...page.matchAll(/aria-describedby="(term-[^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBeGreaterThan(10);
  for (const id of new Set(ids)) expect(page.split(`id="${id}"`)).toHaveLength(2);
});

test('the page of a run that goes on asks for news of it, that of an ended one asks for nothing', async () => {
  const run = buildPassingRun();
  const page = await renderHtml(run, judgeRun(run), undefined, true);
  expect(page).toContain('connect-src &#39;self&#39;');
  expect(page.match(/<script>/g)).toHaveLength(3);
  expect(await render(run)).not.toContain('connect-src');
});

test('names and log lines that hold markup stay text', async () => {
  const page = withoutScripts(
    await render(buildHostileRun(), { title: '<b>x</b>', text: '<i>y</i>', values: '</pre><u>z</u>' }),
  );
  expect(page).not.toMatch(/<img|<b>x|<i>y|<u>z|<script(?! type="application\/json")/);
  expect(page.match(/<\/script>/g)).toHaveLength(1);
  expect(JSON.parse(/id="plots">([^]*?)<\/script>/.exec(page)![1]!)).toHaveProperty('plot-1.option');
});

test('every plot has a text alternative, and every header cell a scope', async () => {
  const page = withoutScripts(await render(buildPassingRun()));
  expect(page.match(/role="img"/g)).toHaveLength(18);
  expect(page.match(/role="img"\s+aria-label="[^"]{20,}/g)).toHaveLength(18);
  expect(page.match(/<th(?![a-z])(?![^>]*scope=)/g)).toBeNull();
});

test.each([
  ['the capacity', buildQueueSteps(), ['64/s']],
  ['the highest rate when nothing broke', buildQueueSteps().slice(0, 4), ['40/s']],
  ['that nothing held', buildQueueSteps().slice(4, 5), ['none']],
  ['that nothing could be judged', buildQueueSteps().slice(11), ['–']],
])('the card says %s', async (_what, steps, figures) => {
  expect(readFigures(await render({ ...buildPassingRun(), steps }))).toEqual(figures);
});

test('the card says the answers of closed clients', async () => {
  const closed = buildPassingRun();
  closed.run.plan.rates = { kind: 'closed', clients: 8 };
  const steps = buildHostileRun().steps.map((s) => ({ ...s, load: 'webhook-wait' }));
  expect(readFigures(await render({ ...closed, steps }))).toEqual(['40/s']);
});

test('a run that was interrupted before its first step still has a report', async () => {
  const page = await render({ ...buildPassingRun(), steps: [], samples: [] });
  expect(readBadges(page)[0]).toBe('INCONCLUSIVE');
  expect(readFigures(page)).toEqual(['–']);
  expect(contentOf(page)).not.toMatch(/NaN|Infinity|undefined/);
});

describe('the command', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'report-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('judges what is recorded and writes the report whole', async () => {
    await writeRun(folder, buildPassingRun());
    await appendFile(join(folder, 'samples.ndjson'), '{"cut off');
    expect(await conclude(folder)).toMatchObject({
      verdict: { verdict: 'CAPACITY', loads: [{ capacity: 64, broken: 66 }] },
    });
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toMatch(/^<!doctype html>[^]*<\/html>\s*$/);
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test('writes the report of a run for the payload limit, and recommends no values', async () => {
    await writeRun(folder, buildPayloadRun());
    const conclusion = await conclude(folder);
    expect(conclusion).toMatchObject({ verdict: { payloadLimits: [{ survivedMiB: 584 }, { survivedMiB: 190 }] } });
    expect(conclusion).not.toHaveProperty('values');
    expect(readBadges(await readFile(conclusion.report!, 'utf8'))[0]).toBe('PASS');
  });

  test('refuses a folder that holds no run', async () => {
    await expect(conclude(folder)).rejects.toThrow(UsageError);
  });

  test('and says so where there is no folder', async () => {
    const missing = conclude(join(folder, 'nothing'));
    await expect(missing).rejects.toThrow(UsageError);
    await expect(missing).rejects.toThrow('does not exist');
  });
});
