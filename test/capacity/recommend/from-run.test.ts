import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../../capacity/src/core/paths.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import { readRun } from '../../../capacity/src/record/recorder.js';
import { firstChange } from '../../../capacity/src/recommend/first-change.js';
import { changeText } from '../../../capacity/src/recommend/variables.js';
import { conclude } from '../../../capacity/src/run/conclude.js';
import { recommendFromRun } from '../../../capacity/src/recommend/from-run.js';
import { buildGoodStep, regularDeployment, buildRunRecord, recordRun } from '../support/index.js';
import { expectRefused, expectSound } from './expectations.js';

const EXAMPLE = join(repositoryFolder, 'docs', 'example-run');

const folder = mkdtempSync(join(tmpdir(), 'recommend-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('of a run', () => {
  const search = { kind: 'search', start: 5, factor: 2, precision: 0.2, maxSteps: 10, lowest: 2 } as const;
  const late = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
  const found = [buildGoodStep({ rate: 21 }), buildGoodStep({ index: 1, rate: 26, summary: late })];

  test('validate, its report and recommend say the same of the same record', async () => {
    const path = await recordRun(join(folder, 'search'), search, found);
    const { verdict, answer, values, confirm } = await recommendFromRun(path, {});
    expect({ verdict, confirm }).toEqual({ verdict: 'CAPACITY', confirm: `n8n-capacity confirm ${path}` });
    const concluded = await conclude(path);
    expect(concluded.verdict.verdict).toBe(verdict);
    expect(answer).toContain(concluded.answers[0]!.headline);
    expect(readFileSync(concluded.values!, 'utf8')).toBe(values);
    const page = readFileSync(concluded.report!, 'utf8');
    expect(page).toContain('Values that held');
    for (const text of [page, values!, answer, concluded.recommendation!.text])
      expect(
        text.replaceAll(/class="recommendation"|(id|labelledby)="recommendation"|\.recommendation/g, ''),
      ).not.toMatch(/recommend(?!-)/i);
    await expectSound(values!);
  });

  test('values that held say for how long, that they are not confirmed, and how to confirm them', async () => {
    const path = await recordRun(join(folder, 'heading'), search, found);
    const { values } = await recommendFromRun(path, {});
    expect(values).toMatch(/^# Values that held for 20 s, by n8n-capacity \(CAPACITY\): webhook-ack: 21\/s/);
    expect(values).toContain(
      `Not confirmed. To confirm them in fresh deployments and a soak, run:\n#   n8n-capacity confirm ${path}`,
    );
  });

  test.each([
    ['below what held', '5/s', 'PASS', true, ['6.5/s']],
    ['between what held and what broke', '18/s', 'INCONCLUSIVE', false, ['23.4/s']],
    ['above what broke', '20/s', 'FAIL', false, ['26/s', 'webhook-ack', '21/s']],
  ])('%s', async (what, target, verdict, hasValues, facts) => {
    const path = await recordRun(join(folder, what), search, found);
    const recommended = await recommendFromRun(path, { target });
    expect(recommended.verdict).toBe(verdict);
    for (const fact of facts) expect(recommended.answer).toContain(fact);
    expect(recommended.values !== undefined).toBe(hasValues);
  });

  test('a soak that proves nothing supports no values, though its rate held', async () => {
    const rates = { kind: 'soak', rate: 26, horizonSeconds: 604_800 } as const;
    const path = await recordRun(join(folder, 'soak'), rates, [buildGoodStep({ rate: 26 })]);
    expect((await conclude(path)).verdict).toMatchObject({ verdict: 'INCONCLUSIVE', soak: { verdict: 'too-short' } });
    for (const target of [undefined, '20/s']) {
      const { verdict, values, answer } = await recommendFromRun(path, target === undefined ? {} : { target });
      expect({ verdict, values }).toEqual({ verdict: 'INCONCLUSIVE', values: undefined });
      expect(answer).toContain('memory');
    }
  });

  test('recorded arrivals: values that held, and no command that would confirm them', async () => {
    const rates = { kind: 'replay', rate: 20, busiest: 60, times: 1 } as const;
    const path = await recordRun(join(folder, 'replay'), rates, [buildGoodStep({ replayed: true })]);
    const { verdict, values, ...more } = await recommendFromRun(path, {});
    expect({ verdict, more }).toEqual({ verdict: 'PASS', more: { answer: expect.any(String) as string } });
    expect(values).toContain('Values that held');
    for (const text of [values, (await conclude(path)).recommendation!.text])
      expect(text).not.toContain('n8n-capacity confirm');
    expect((await recommendFromRun(path, { target: '10/s' })).confirm).toBeUndefined();
  });

  test.each([
    ['under no more than three times the target', '15/s', 'FAIL'],
    ['under more than that', '10/s', 'INCONCLUSIVE'],
  ])('no values of a run whose n8n died %s', async (_, target, verdict) => {
    const died = { at: 1_050_000, instance: 'main-0', component: 'main', kind: 'died', detail: 'OOMKilled' } as const;
    const phase = { answered: 1200, served: 1200, failed: 0, failures: {}, latency: null };
    const { rate: _rate, ...step } = buildGoodStep({ index: 2, events: [died] });
    const overload: StepRecord = {
      ...step,
      phases: [
        { ...phase, name: 'overload', rate: 40, from: 0, to: 30 },
        { ...phase, name: 'return', rate: 16, from: 30, to: 45, answered: 240, served: 240 },
      ],
    };
    const path = await recordRun(join(folder, `died-${verdict}`), search, [...found, overload]);
    const recommended = await recommendFromRun(path, { target });
    expect({ verdict: recommended.verdict, values: recommended.values }).toEqual({ verdict, values: undefined });
  });

  test('executions a day are another target', async () => {
    const path = await recordRun(join(folder, 'per-day'), search, found);
    const { verdict, answer, confirm } = await recommendFromRun(path, { perDay: '108k', peak: '4x' });
    expect({ verdict, confirm }).toEqual({
      verdict: 'PASS',
      confirm: `n8n-capacity confirm ${path} --per-day 108k --peak 4x`,
    });
    expect(answer).toContain('6.5/s');
  });

  test('nothing, where the memory that was used needs more than its limit', async () => {
    const path = await recordRun(join(folder, 'full'), search, found);
    const { measuredFrom: at } = found[0]!;
    const instance = { name: 'main-0', rssBytes: 2 * 2 ** 30, cpuSeconds: 1, processes: 1 };
    const samples = [0, 1].map((i) => ({ at: at + i * 1000, instances: [{ ...instance, cpuSeconds: 1 + i }] }));
    await writeFile(join(path, 'samples.ndjson'), samples.map((s) => `${JSON.stringify(s)}\n`).join(''));
    const { verdict, answer, values } = await recommendFromRun(path, {});
    expect({ verdict, values }).toEqual({ verdict: 'INCONCLUSIVE', values: undefined });
    for (const fact of ['2048 MiB', 'main.resources.limits.memory']) expect(answer).toContain(fact);
  });

  test('a target that broke says what to change first, and recommends nothing', async () => {
    const slow = buildGoodStep({ summary: { latency: { p50: 1, p95: 2, p99: 3, max: 4 } } });
    const path = await recordRun(join(folder, 'broken'), { kind: 'target', rate: 20, headroom: 1 }, [slow]);
    const { verdict, answer, values } = await recommendFromRun(path, {});
    expect({ verdict, values }).toEqual({ verdict: 'FAIL', values: undefined });
    const { run, samples, steps } = await readRun(path);
    const change = firstChange(run.deployment, judgeSteps(run.plan, steps), samples)!;
    for (const fact of ['20/s', 'webhook-ack', 'p95', changeText(change).slice(0, -1)]) expect(answer).toContain(fact);
  });

  test('the values that were given stay, and are named as such', async () => {
    const target = { kind: 'target', rate: 20, headroom: 1 } as const;
    const given = { executions: { concurrencyLimit: 30 } };
    const path = await recordRun(join(folder, 'given'), target, [buildGoodStep()], given);
    const { values } = await recommendFromRun(path, {});
    expect(values).toContain('concurrencyLimit: 30 # given: values.given.yaml');
    await expectSound(values!);
    rmSync(join(path, 'values.given.yaml'));
    await expectRefused(recommendFromRun(path, {}), 'values.given.yaml');
  });

  test.each([
    ['a price', EXAMPLE, { cpuPrice: '1' }, 'prices'],
    ['a headroom of nothing', EXAMPLE, { headroom: '2' }, '--target'],
    ['a bad target', EXAMPLE, { target: 'lots' }, '--target: "lots"'],
    ['no record', folder, {}, 'run.json'],
  ])('refuses %s', async (_, path, asked, fact) => {
    await expectRefused(recommendFromRun(path, asked), fact);
  });

  test('clients are no rate, and an n8n that was there has no values', async () => {
    const closed = await recordRun(join(folder, 'closed'), { kind: 'closed', clients: 8 }, [buildGoodStep()]);
    await expectRefused(recommendFromRun(closed, {}), '--target');
    const existing = await recordRun(join(folder, 'existing'), { kind: 'rates', rates: [20] }, [buildGoodStep()]);
    const run = buildRunRecord({ deployment: regularDeployment({ provisioner: 'existing' }) });
    await writeFile(join(existing, 'run.json'), JSON.stringify(run));
    await expectRefused(recommendFromRun(existing, {}), existing);
  });
});
