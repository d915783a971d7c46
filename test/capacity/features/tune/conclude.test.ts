import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Change, TrialRecord } from '../../../../capacity/src/features/tune/record.js';
import { formatTune } from '../../../../capacity/src/features/tune/report/terminal.js';
import { concludeTune } from '../../../../capacity/src/features/tune/conclude.js';
import { TuneFolder } from '../../../../capacity/src/features/tune/folder.js';
import { buildPassingRun } from '../../support/index.js';
import { changeOf, simulate, tuneRecord } from './trials.js';

const folder = mkdtempSync(join(tmpdir(), 'tune-'));
afterAll(() => rmSync(folder, { recursive: true }));

const POOL: Change = {
  ...changeOf('pool=20', 'expressionEngine.poolSize'),
  to: 20,
  values: { 'expressionEngine.poolSize': 20 },
};
const THREADS: Change = {
  ...changeOf('threads=8', 'UV_THREADPOOL_SIZE'),
  to: '8',
  values: {},
  env: { name: 'UV_THREADPOOL_SIZE', value: '8' },
};
const RECORD = tuneRecord([POOL, THREADS, changeOf('other=1', 'other')]);
const BETTER = { throughput: { 'pool=20': 1.4, 'threads=8': 1.3 }, noise: 0.01 };

/** A folder with these trials. */
function recorded(name: string, trials: TrialRecord[], record = RECORD): string {
  const path = join(folder, name);
  mkdirSync(join(path, 'values'), { recursive: true });
  writeFileSync(join(path, 'tune.json'), JSON.stringify(record));
  writeFileSync(join(path, 'trials.ndjson'), trials.map((t) => `${JSON.stringify(t)}\n`).join(''));
  writeFileSync(
    join(path, 'values', 'given.yaml'),
    'expressionEngine: { lazyAcquire: true }\nextraEnv: [{ name: TZ_OF_MINE, value: secret }]\n',
  );
  return path;
}

test('of another chart, what is confirmed is told as variables and parts of the deployment', async () => {
  const [lazy, slots] = [
    { ...changeOf('lazy=true', 'N8N_LAZY'), to: 'true', values: {}, overrides: { N8N_LAZY: 'true' } },
    { ...changeOf('slots=20', 'concurrency'), to: 20, values: {}, overrides: { concurrency: 20 } },
  ];
  const { plan, ...others } = tuneRecord([lazy, slots, changeOf('other=1', 'other')]);
  const record = { ...others, plan: { ...plan, foreign: { manifests: 'n8n.yaml' } } };
  const trials = simulate(record, { throughput: { 'lazy=true': 1.4, 'slots=20': 1.3 }, noise: 0.01 });
  const path = recorded('foreign', trials, record);
  const { outcome, values } = await concludeTune(path);
  expect(outcome).toBe('confirmed');
  expect(parse(readFileSync(values!, 'utf8'))).toEqual({ N8N_LAZY: 'true', concurrency: 20 });
});

test('what costs capacity in the workflow itself is told beside what settings give', async () => {
  const trials = simulate(RECORD, BETTER);
  const path = recorded('advice', trials);
  const { run, steps } = buildPassingRun();
  const choice = {
    rule: 'expressions',
    title: 'Expressions',
    nodes: ['Set'],
    share: 0.31,
    change: 'Use one Code node.',
  };
  const trial = new TuneFolder(path).runOf(trials[0]!.index);
  mkdirSync(trial, { recursive: true });
  writeFileSync(join(trial, 'run.json'), JSON.stringify({ ...run, choices: [choice] }));
  writeFileSync(join(trial, 'steps.ndjson'), steps.map((step) => `${JSON.stringify(step)}\n`).join(''));
  const conclusion = await concludeTune(path);
  expect(conclusion.advice).toEqual([expect.stringMatching(/Expressions \("Set"\).* 31 % .*Use one Code node\./)]);
  expect(formatTune(conclusion)).toContain('Use one Code node.');
  expect(readFileSync(conclusion.report, 'utf8')).toContain('Use one Code node.');
});

test('confirmed values hold the user’s with the changes, each with what it is worth', async () => {
  const path = recorded('better', simulate(RECORD, BETTER));
  const conclusion = await concludeTune(path);
  expect(conclusion.outcome).toBe('confirmed');
  const text = readFileSync(conclusion.values!, 'utf8');
  expect(parse(text)).toEqual({
    expressionEngine: { lazyAcquire: true, poolSize: 20 },
    extraEnv: [
      { name: 'TZ_OF_MINE', value: 'secret' },
      { name: 'UV_THREADPOOL_SIZE', value: '8' },
    ],
  });
  expect(text).toMatch(/poolSize: 20 # measured: \+\d+.* % \(\+\d+/);
  expect(statSync(conclusion.values!).mode & 0o777).toBe(0o600);
  const page = readFileSync(conclusion.report, 'utf8');
  expect(page).toContain('UV_THREADPOOL_SIZE');
  // Reports are shared.
  expect(page).not.toContain('TZ_OF_MINE');
  expect(JSON.parse(readFileSync(join(path, 'verdict.json'), 'utf8'))).toMatchObject({ outcome: 'confirmed' });
});

test('where nothing is confirmed there are no values, also none of an earlier judgement', async () => {
  const path = recorded('worse', simulate(RECORD, { noise: 0.01 }));
  writeFileSync(join(path, 'values.tuned.yaml'), 'old: true\n');
  const conclusion = await concludeTune(path);
  expect(conclusion).toMatchObject({ outcome: 'nothing' });
  expect(conclusion.values).toBeUndefined();
  expect(existsSync(join(path, 'values.tuned.yaml'))).toBe(false);
});

test('a run that was interrupted is judged as far as it went', async () => {
  const path = recorded('half', simulate(RECORD, BETTER).slice(0, 5));
  expect(await concludeTune(path)).toMatchObject({ outcome: 'open', trials: { measured: 5 } });
});

test('a run goes on after its last whole trial, and not with other options', async () => {
  const trials = simulate(RECORD, BETTER).slice(0, 3);
  const path = recorded('resumed', trials);
  appendFileSync(join(path, 'trials.ndjson'), '{"index": 3, "sta');
  expect(await new TuneFolder(path).begin({ ...RECORD, startedAt: 'later' })).toEqual(trials);
  await expect(new TuneFolder(path).begin({ ...RECORD, accept: ['safety'] })).rejects.toThrow(/another folder/);
});

test('a folder that holds a run with other values is refused, and its values stay', async () => {
  const path = recorded('others', []);
  const given = readFileSync(join(path, 'values', 'given.yaml'), 'utf8');
  await expect(new TuneFolder(path).giveValues({ timezone: 'UTC' })).rejects.toThrow(/other values/);
  expect(readFileSync(join(path, 'values', 'given.yaml'), 'utf8')).toBe(given);
});

test('a folder that holds something else is refused, and keeps it', async () => {
  const path = join(folder, 'mine');
  mkdirSync(join(path, 'values'), { recursive: true });
  await expect(new TuneFolder(path).giveValues({})).rejects.toThrow(/another folder/);
  expect(existsSync(join(path, 'values'))).toBe(true);
});

test('what was written for a run that cannot begin is removed; a run that has begun is kept', async () => {
  const path = join(folder, 'refused');
  const refused = new TuneFolder(path);
  await refused.values('given', {});
  await refused.takeBack();
  expect(existsSync(path)).toBe(false);
  const begun = recorded('begun', []);
  await new TuneFolder(begun).takeBack();
  expect(existsSync(join(begun, 'tune.json'))).toBe(true);
});
