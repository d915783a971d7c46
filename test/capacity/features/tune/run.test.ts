import { jest } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ChartRefused, Interrupted } from '../../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../../capacity/src/core/progress.js';
import type { Plan } from '../../../../capacity/src/model/plan.js';
import type { Figures } from '../../../../capacity/src/features/trial/record.js';
import type { Where } from '../../../../capacity/src/provision/choose.js';
import { STEP_DEFAULTS } from '../../../../capacity/src/plan/times.js';
import { seededRandom } from '../../../../capacity/src/stats/random.js';
import { buildPassingRun } from '../../support/index.js';

type Values = Record<string, any>;

/** What a deployment of a plan gives, instead of deploying it. */
let n8n: (values: Values, rate: number | undefined) => Figures;
const measure = await import('../../../../capacity/src/features/trial/measure.js');
jest.unstable_mockModule('../../../../capacity/src/features/trial/measure.js', () => ({
  ...measure,
  measureTrial: async (_: unknown, _index: number, planned: () => Promise<Plan>) => {
    const plan = await planned();
    const rate = plan.rates.kind === 'rates' ? plan.rates.rates[0] : undefined;
    return { tookSeconds: 21, ...n8n(valuesOf(plan), rate) };
  },
}));
const { tune } = await import('../../../../capacity/src/features/tune/run.js');
const { concludeTune } = await import('../../../../capacity/src/features/tune/conclude.js');
const { TuneFolder } = await import('../../../../capacity/src/features/tune/folder.js');
const { trialPlan } = await import('../../../../capacity/src/features/trial/plan.js');
const { requestedSettings: settingsAsked } = await import('../../../../capacity/src/features/tune/plan.js');

const scratch = mkdtempSync(join(tmpdir(), 'tune-run-'));
afterAll(() => rmSync(scratch, { recursive: true }));
beforeEach(() => {
  const random = seededRandom(7);
  n8n = (values, rate) => ({
    perSecond: rate ?? throughputOf(values) * Math.exp(0.01 * random.normal()),
    p95: 0.1 * Math.exp(0.01 * random.normal()),
    memoryBytes: 2 ** 29,
  });
});

const valuesOf = (plan: Plan): Values =>
  Object.assign({}, ...plan.values.files.map((file) => parse(readFileSync(file, 'utf8')) as Values)) as Values;

/** An isolate for each execution halves the throughput; eight threads give a quarter more. */
function throughputOf(values: Values): number {
  const variables = (values.extraEnv ?? []) as { name: string; value: string }[];
  const threads = variables.find(({ name }) => name === 'UV_THREADPOOL_SIZE')?.value;
  return 100 * (values.expressionEngine?.lazyAcquire === false ? 0.5 : 1) * (threads === '8' ? 1.25 : 1);
}

/** Accepts all values but those that the chart would refuse. */
const where = (refused: (values: Values) => boolean = () => false): Where => ({
  name: 'process',
  k6Here: false,
  provisioner: {
    prepare: (plan) => {
      if (refused(valuesOf(plan))) return Promise.reject(new ChartRefused('expressionEngine: refused'));
      const { limits: _, ...record } = buildPassingRun().run.deployment;
      const deploy = () => Promise.reject(new Error('nothing is deployed here'));
      return Promise.resolve({ versions: { n8n: '2.41.1' }, record: { ...record, mode: 'regular' }, deploy });
    },
  },
});

const request = (settings = ['expression-lazy-acquire', 'uv-threadpool']) => ({
  tool: 'n8n-capacity tune',
  plan: trialPlan({ ...STEP_DEFAULTS, warmup: '1s', stepDuration: '5s' }),
  budgetSeconds: 72 * 21,
  accept: [],
  settings: settingsAsked({ setting: settings }),
  named: true,
});
const quiet = (signal?: AbortSignal) => terminalProgress(true, signal);
const measured = (path: string) => new TuneFolder(path).trials();

test('the better change is found, confirmed beside the baseline, and written with the user’s values', async () => {
  const path = join(scratch, 'whole');
  const plan = { ...request().plan, values: { files: [], set: ['timezone=UTC'] } };
  await tune({ ...request(), plan }, path, where(), quiet());
  const { outcome, chosen, effects, gain, values, trials } = await concludeTune(path);
  expect({ outcome, chosen, left: trials.left }).toEqual({
    outcome: 'confirmed',
    chosen: ['uv-threadpool=8'],
    left: 0,
  });
  const lazy = effects.find((e) => e.change.setting === 'expression-lazy-acquire')!;
  expect(lazy).toMatchObject({ finding: 'less' });
  expect(lazy.throughput!.ratio).toBeCloseTo(0.5, 1);
  expect(gain!.throughput.ratio).toBeCloseTo(1.25, 1);
  expect(parse(readFileSync(values!, 'utf8'))).toEqual({
    timezone: 'UTC',
    extraEnv: [{ name: 'UV_THREADPOOL_SIZE', value: '8' }],
  });
});

test('the stages share the budget, and the latencies are those of one arrival rate', async () => {
  const path = join(scratch, 'stages');
  await tune(request(), path, where(), quiet());
  const trials = await measured(path);
  const of = (stage: string) => trials.filter((t) => t.stage === stage);
  expect(['screening', 'confirmation', 'latency'].map((stage) => of(stage).length)).toEqual([48, 16, 8]);
  expect(of('latency').map(({ changes }) => changes.length)).toEqual([0, 1, 1, 0, 0, 1, 1, 0]);
  expect(new Set(of('latency').map(({ rate }) => rate))).toEqual(new Set([50]));
  expect(of('screening').every(({ rate }) => rate === undefined)).toBe(true);
});

test('a run that is interrupted goes on where it ended, and measures nothing twice', async () => {
  const path = join(scratch, 'interrupted');
  const [controller, whole] = [new AbortController(), n8n];
  let asked = 0;
  n8n = (values, rate) => {
    asked += 1;
    if (asked === 5) controller.abort(new Interrupted('Ctrl-C'));
    controller.signal.throwIfAborted();
    return whole(values, rate);
  };
  await expect(tune(request(), path, where(), quiet(controller.signal))).rejects.toThrow('Ctrl-C');
  const before = await measured(path);
  expect(before).toHaveLength(4);
  expect(await concludeTune(path)).toMatchObject({ outcome: 'open', chosen: [] });
  n8n = whole;
  await tune(request(), path, where(), quiet());
  const after = await measured(path);
  expect(after.slice(0, 4)).toEqual(before);
  expect(new Set(after.map(({ stage, row }) => `${stage} ${row}`)).size).toBe(after.length);
  expect(await concludeTune(path)).toMatchObject({ outcome: 'confirmed' });
});

test('trials that were disturbed are measured again by the same command, the others are not', async () => {
  const path = join(scratch, 'disturbed');
  const whole = n8n;
  let asked = 0;
  const disturbed = [2, 50, 60];
  n8n = (values, rate) =>
    disturbed.includes((asked += 1)) ? { disturbed: 'others took the cores' } : whole(values, rate);
  await tune(request(), path, where(), quiet());
  const before = await measured(path);
  n8n = whole;
  await tune(request(), path, where(), quiet());
  const again = (await measured(path)).slice(before.length);
  const lost = before.filter((t) => t.disturbed !== undefined);
  const what = ({ stage, row, changes }: (typeof before)[number]) => ({ stage, row, changes });
  expect(again.map(what)).toEqual(lost.map(what));
  expect(again).toHaveLength(disturbed.length);
  expect(again.map(({ index }) => index)).toEqual(again.map((_, i) => before.length + i));
});

test('a change with which n8n dies is measured in no later trial, and those that had it are measured again', async () => {
  const path = join(scratch, 'dies');
  const whole = n8n;
  n8n = (values, rate) =>
    values.expressionEngine?.lazyAcquire === false ? { failed: 'main died (OOMKilled)' } : whole(values, rate);
  await tune(request(), path, where(), quiet());
  const { outcome, effects } = await concludeTune(path);
  expect(outcome).toBe('confirmed');
  expect(effects.find((e) => e.finding === 'fails')!.change.setting).toBe('expression-lazy-acquire');
  const trials = await measured(path);
  expect(trials.filter(({ stage, failed }) => stage === 'screening' && failed === undefined)).toHaveLength(48);
});

test('what the chart refuses is left out with its reason', async () => {
  const path = join(scratch, 'refused');
  await tune(
    { ...request(), named: false },
    path,
    where((values) => values.expressionEngine?.lazyAcquire === false),
    quiet(),
  );
  const { leftOut, effects } = await concludeTune(path);
  expect(leftOut.map(({ setting, reason }) => [setting, reason])).toContainEqual([
    'expression-lazy-acquire',
    'expressionEngine: refused',
  ]);
  expect(effects.every((e) => e.change.setting === 'uv-threadpool')).toBe(true);
});

test('changes that the chart refuses together are in no trial together', async () => {
  const path = join(scratch, 'together');
  const isBoth = (values: Values) => values.expressionEngine?.lazyAcquire === false && 'extraEnv' in values;
  await tune(request(), path, where(isBoth), quiet());
  const { rows, conflicts, changes } = await new TuneFolder(path).record();
  expect(changes).toHaveLength(3);
  expect(conflicts).toEqual(
    expect.arrayContaining(['8', '16'].map((n) => ['expression-lazy-acquire=false', `uv-threadpool=${n}`])),
  );
  expect(rows.filter((row) => row.length > 1)).toEqual([]);
  expect((await measured(path)).every(({ failed }) => failed === undefined)).toBe(true);
  expect(await concludeTune(path)).toMatchObject({ outcome: 'confirmed', chosen: ['uv-threadpool=8'] });
});

test('without a better change no confirmation is measured', async () => {
  const path = join(scratch, 'none');
  await tune(request(['expression-lazy-acquire']), path, where(), quiet());
  expect(await concludeTune(path)).toMatchObject({ outcome: 'nothing', chosen: [] });
  expect((await measured(path)).every(({ stage }) => stage === 'screening')).toBe(true);
});

test('where nothing can be tried, nothing is left behind', async () => {
  const path = join(scratch, 'nothing');
  const only = request(['expression-lazy-acquire']);
  await expect(
    tune(
      only,
      path,
      where((values) => 'expressionEngine' in values),
      quiet(),
    ),
  ).rejects.toThrow(/1 of 1 settings cannot be tried here/);
  await expect(new TuneFolder(path).record()).rejects.toThrow(/holds no tune\.json/);
});

test('a setting that was named and cannot be tried is told before anything is measured; one of the catalogue is left out', async () => {
  const path = join(scratch, 'named');
  const asked = request(['uv-threadpool', 'database-postgresql']);
  await expect(tune(asked, path, where(), quiet())).rejects.toThrow(/database-postgresql: it costs durability/);
  await expect(new TuneFolder(path).record()).rejects.toThrow(/holds no tune\.json/);
  await tune({ ...asked, named: false }, path, where(), quiet());
  expect((await new TuneFolder(path).record()).leftOut).toMatchObject([{ setting: 'database-postgresql' }]);
});

test('a named setting that the budget has no time for is refused with a budget that has', async () => {
  const path = join(scratch, 'named-short');
  const settings = ['lazy-acquire', 'compile-cache', 'lazy-character-table', 'full-code-cache', 'pool-smaller'];
  const asked = { ...request(settings.map((id) => `expression-${id}`)), budgetSeconds: 20 * 21 };
  await expect(tune(asked, path, where(), quiet())).rejects.toThrow(
    /expression-pool-smaller: the budget is too short for it; --budget 8m has time for all/,
  );
});
