import { measuredVersion } from '../../../capacity/src/chart/exposure-text.js';
import type { SweepConclusion } from '../../../capacity/src/features/sweep/record.js';
import type { RunConclusion } from '../../../capacity/src/model/verdict.js';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { confidence } from '../../../capacity/src/judge/confidence.js';
import { judgeRun, judgeSteps } from '../../../capacity/src/judge/run.js';
import { answerLoads } from '../../../capacity/src/recommend/answer.js';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { prepareCiFiles, writeCiFiles } from '../../../capacity/src/report/ci-files.js';
import { runAsJunit } from '../../../capacity/src/report/junit.js';
import { sweepAsJunit } from '../../../capacity/src/features/sweep/report/junit.js';
import { runAsMarkdown } from '../../../capacity/src/report/markdown.js';
import { sweepAsMarkdown } from '../../../capacity/src/features/sweep/report/markdown.js';
import {
  buildHostileRun,
  buildHostileSweep,
  buildPassingRun,
  buildPayloadRun,
  buildQueueSteps,
  recommendation,
  buildSearchSweep,
  buildTargetSweep,
} from '../support/index.js';

const conclusionOf = (run: RecordedRun): RunConclusion => ({
  n8n: measuredVersion(run.run),
  verdict: judgeSteps(run.run.plan, run.steps),
  answers: answerLoads(run, judgeSteps(run.run.plan, run.steps)),
  confidence: confidence(run.run, run.steps),
  recommendation,
  folder: 'results/1',
  report: 'results/a/report.html',
});
const failingRun = (): RecordedRun => ({ ...buildPassingRun(), steps: buildQueueSteps().slice(4, 5) });
const invalidRun = (): RecordedRun => ({ ...buildPassingRun(), steps: buildQueueSteps().slice(11) });
const junitOf = (run: RecordedRun) => runAsJunit(judgeSteps(run.run.plan, run.steps), run.run.plan.slo);
const sweepOf = ({ conclusion }: ReturnType<typeof buildSearchSweep>): SweepConclusion => ({
  ...conclusion,
  report: 'results/s/report.html',
});

/** The name and the outcome of each test of a JUnit document. */
const testcases = (document: string) =>
  [...document.matchAll(/<testcase [^>]*? name="([^"]*)"[^>]*?(?:\/>|><([a-z-]+))/g)].map(([, name, element]) => [
    name!,
    element === 'system-out' ? 'passed' : (element ?? 'passed'),
  ]);

/** The outcome of each test of a JUnit document, by the first word of its name. */
const outcomes = (document: string) =>
  Object.fromEntries(testcases(document).map(([name, outcome]) => [name!.split(' ')[0], outcome]));

describe('JUnit', () => {
  test('a search that found a capacity passes, although its last steps broke', () => {
    const document = junitOf(buildPassingRun());
    expect(outcomes(document)).toEqual({
      verdict: 'passed',
      p95: 'passed',
      p99: 'passed',
      errors: 'passed',
      accepted: 'passed',
    });
    expect(document).toContain('<testsuite name="webhook-wait" tests="5" failures="0" errors="0" skipped="0" time="');
    expect(document).toContain('timestamp="2026-11-20T09:00:03"');
  });

  test('FAIL is a failure of the verdict and of the objectives that were broken', () => {
    const document = junitOf(failingRun());
    expect(outcomes(document)).toMatchObject({
      verdict: 'failure',
      p95: 'failure',
      errors: 'passed',
      accepted: 'failure',
    });
    expect(document).toMatch(/<failure message="at 80\/s: [^"]*p95[^"]*" type="FAIL">/);
    expect(document).toMatch(/<testsuites name="n8n-capacity" tests="5" failures="4" errors="0"/);
  });

  test('INCONCLUSIVE is an error, and shows nothing of the objectives', () => {
    expect(outcomes(junitOf(invalidRun()))).toEqual({
      verdict: 'error',
      p95: 'skipped',
      p99: 'skipped',
      errors: 'skipped',
      accepted: 'skipped',
    });
  });

  test('a run without a step has its verdict alone', () => {
    expect(outcomes(junitOf({ ...buildPassingRun(), steps: [] }))).toEqual({ verdict: 'error' });
  });

  test('a sweep has a test a configuration; one that does not hold is skipped', () => {
    const found = Object.fromEntries(testcases(sweepAsJunit(sweepOf(buildTargetSweep()))));
    expect(found).toMatchObject({
      verdict: 'passed',
      'workers 1, cpu 500m': 'skipped',
      'workers 2, cpu 1': 'passed',
      'workers 8, cpu 1': 'skipped',
    });
    expect(Object.keys(found)).toHaveLength(9);
  });
});

describe('Markdown', () => {
  test('of a run: the verdict, a table of its steps, what to do next', () => {
    const text = runAsMarkdown(conclusionOf(buildPassingRun()));
    const [first, , second] = text.split('\n');
    expect(first).toBe('## n8n-capacity: CAPACITY');
    expect(second).toMatch(/^\*\*webhook-wait\*\*: CAPACITY.*64\/s/);
    expect(text.split('\n').filter((line) => /^\| [\d.]+\/s \|/.test(line))).toHaveLength(12);
    expect(text).toContain('| 80/s | 80 | 832 of 1040 |');
    expect(text).toMatch(/^_Provisional: /m);
    expect(text).toContain('```yaml\n# measured: results/queue, step 10\nworker:\n');
    expect(text).toContain('Report: `results/a/report.html`');
  });

  test('of a sweep: the answer and a row a configuration, without a number where nothing was measured', () => {
    const text = sweepAsMarkdown(sweepOf(buildSearchSweep()));
    expect(text).toContain('## n8n-capacity sweep: INCONCLUSIVE');
    expect(text.split('\n').filter((line) => /^\| \d/.test(line))).toHaveLength(24);
    expect(text).toContain('| 8 | 10 | 1 | 8 | 8 | 0.272 | – | – | open |');
    expect(text).toContain('| ≥ 43 |');
  });

  test.each([
    ['a run', () => runAsMarkdown(conclusionOf(buildHostileRun()))],
    ['a sweep', () => sweepAsMarkdown(sweepOf(buildHostileSweep()))],
  ])('%s whose names try to be markup stays text, in as many columns', (_what, render) => {
    const text = render();
    expect(text).not.toMatch(/(?<!\\)<\w/);
    const widths = text
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.match(/(?<!\\)\|/g)!.length);
    expect(new Set(widths).size).toBe(1);
  });

  test('of a run for the payload limit: a row for each number of clients', () => {
    const run = buildPayloadRun();
    const text = runAsMarkdown({ ...conclusionOf(run), verdict: judgeRun(run) });
    expect(text).toContain('| 1 | 584 MiB | 584 MiB | 600 MiB |');
    expect(text).toContain('| 4 | 190 MiB | 760 MiB | 200 MiB |');
  });

  test('a fence is longer than those in the values', () => {
    const values = 'a: |\n  ```\n  x\n';
    const text = runAsMarkdown({ ...conclusionOf(buildPassingRun()), recommendation: { ...recommendation, values } });
    expect(text).toContain('````yaml\na: |\n  ```\n  x\n````');
  });
});

describe('files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ci-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('are written into folders that are made before anything runs', async () => {
    const files = { junit: join(folder, 'a', 'b', 'junit.xml'), markdown: join(folder, 'c', 'summary.md') };
    await prepareCiFiles(files);
    await writeCiFiles(files, {
      junit: () => junitOf(buildPassingRun()),
      markdown: () => runAsMarkdown(conclusionOf(buildPassingRun())),
    });
    expect(await readFile(files.junit, 'utf8')).toMatch(/^<\?xml version="1\.0"[^]*<\/testsuites>\n$/);
    expect(await readFile(files.markdown, 'utf8')).toMatch(/^## n8n-capacity: CAPACITY/);
  });

  test.each([
    ['a folder', () => folder],
    ['where no folder can be made', () => '/proc/none/junit.xml'],
    ['below a file', () => join(folder, 'x', 'junit.xml')],
  ])('%s is refused before anything runs', async (_what, path) => {
    await writeFile(join(folder, 'x'), 'a file');
    await expect(prepareCiFiles({ junit: path() })).rejects.toThrow(UsageError);
  });

  test('writeCiFiles neither renders nor writes a format without a path', async () => {
    await prepareCiFiles({});
    const render = () => {
      throw new Error('rendered');
    };
    await expect(writeCiFiles({}, { junit: render, markdown: render })).resolves.toBeUndefined();
  });
});
