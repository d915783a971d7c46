import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotRecord, UsageError } from '../../../capacity/src/core/errors.js';
import { dropPartialLine, writeWhole } from '../../../capacity/src/record/files.js';
import { readRun, Recorder } from '../../../capacity/src/record/recorder.js';
import { buildGoodStep, buildRunRecord } from '../support/index.js';

const run = buildRunRecord();
/** A run's record, as text, on a machine whose noise is said to be that. */
const withNoise = (noise: unknown) => JSON.stringify({ ...run, machine: { ...run.machine, noise } });
const folder = () => join(mkdtempSync(join(tmpdir(), 'record-')), 'run');

test('what is written is read again', async () => {
  const recorder = await Recorder.create(folder());
  await recorder.run(run);
  await recorder.step(buildGoodStep({ index: 0 }));
  await recorder.step(buildGoodStep({ index: 1 }));
  await recorder.sample({ at: 1, instances: [] });
  const read = await readRun(recorder.folder);
  expect(read.run).toEqual(run);
  expect(read.steps.map((s) => s.index)).toEqual([0, 1]);
  expect(read.samples).toHaveLength(1);
  expect(readdirSync(recorder.folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test.each([
  { runs: 2, rate: 0 },
  { runs: 5, rate: 0.04, latency: 0.2 },
])('noise of %j is read again', async (noise) => {
  const recorder = await Recorder.create(folder());
  await recorder.run({ ...run, machine: { ...run.machine, noise } });
  expect((await readRun(recorder.folder)).run.machine.noise).toEqual(noise);
});

test('a last line that was cut off is left out', async () => {
  const recorder = await Recorder.create(folder());
  await recorder.run(run);
  await recorder.step(buildGoodStep());
  appendFileSync(join(recorder.folder, 'steps.ndjson'), '{"index":1,"lo');
  expect((await readRun(recorder.folder)).steps).toHaveLength(1);
});

test('a file for its owner alone is that from the start', async () => {
  const recorder = await Recorder.create(folder());
  await recorder.whole('values.given.yaml', 'a: 1\n', 0o600);
  expect(statSync(join(recorder.folder, 'values.given.yaml')).mode & 0o777).toBe(0o600);
});

test('a folder that holds a run is not written into again', async () => {
  const recorder = await Recorder.create(folder());
  await recorder.run(run);
  await expect(Recorder.create(recorder.folder)).rejects.toThrow(UsageError);
});

test('a folder that cannot be made is an error, not a wait', async () => {
  await expect(Recorder.create('/proc/nowhere/run')).rejects.toThrow(CannotRecord);
});

test.each([
  ['run.json', '{"plan":', 'run.json: '],
  ['run.json', '{}', 'run.json: tool: '],
  ['run.json', 'null', 'run.json: '],
  ['run.json', withNoise({ runs: 5, rate: '5%' }), 'run.json: machine.noise.rate: '],
  ['run.json', withNoise({ runs: 1, rate: 0.05 }), 'run.json: machine.noise.runs: '],
  ['run.json', withNoise({ runs: 5, rate: 0.05, latency: -1 }), 'run.json: machine.noise.latency: '],
  ['steps.ndjson', `${JSON.stringify(buildGoodStep())}\nbroken\n`, 'steps.ndjson, line 2: '],
  ['steps.ndjson', '\n{"index":"0"}\n', 'steps.ndjson, line 2: index: '],
])('a damaged %s is named', async (name, text, place) => {
  const recorder = await Recorder.create(folder());
  await recorder.run(run);
  await recorder.whole(name, text);
  await expect(readRun(recorder.folder)).rejects.toThrow(UsageError);
  await expect(readRun(recorder.folder)).rejects.toThrow(place);
});

test('a folder without a run says what to give', async () => {
  await expect(readRun('/nowhere')).rejects.toThrow(/^\/nowhere: does not exist.*results/);
  const empty = mkdtempSync(join(tmpdir(), 'record-'));
  await expect(readRun(empty)).rejects.toThrow(/: holds no run\.json; .*results/);
});

test('what is no file of its own is written into, not replaced: a symbolic link, as /dev/stdout is', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'record-'));
  writeFileSync(join(scratch, 'target'), 'old');
  symlinkSync(join(scratch, 'target'), join(scratch, 'link'));
  await writeWhole(join(scratch, 'link'), 'new');
  expect(readFileSync(join(scratch, 'target'), 'utf8')).toBe('new');
  expect(readdirSync(scratch).sort()).toEqual(['link', 'target']);
});

test('a file that cannot be written leaves nothing beside it', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'record-'));
  await expect(writeWhole(join(scratch, 'none', 'file'), 'new')).rejects.toThrow(CannotRecord);
  expect(readdirSync(scratch)).toEqual([]);
});

test('a last line that was cut off is removed, also where it is longer than a block', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'record-')), 'file');
  for (const [before, after] of [
    [`{}\n${'x'.repeat(200_000)}`, '{}\n'],
    ['x'.repeat(70_000), ''],
    ['{}\n', '{}\n'],
    ['', ''],
  ] as const) {
    writeFileSync(file, before);
    await dropPartialLine(file);
    expect(readFileSync(file, 'utf8')).toBe(after);
  }
});
