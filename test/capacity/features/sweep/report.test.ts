import type { SweepOutcome } from '../../../../capacity/src/features/sweep/record.js';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedRun } from '../../../../capacity/src/record/recorder.js';
import { concludeSweep } from '../../../../capacity/src/features/sweep/conclude.js';
import { buildPassingRun, buildSamples, step, buildTargetSweep } from '../../support/index.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sweep-'));
});
afterEach(() => rm(folder, { recursive: true }));

const lines = (all: unknown[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('');

/** Records a run at the target as a sweep does, and says what it came to. */
async function record(id: string, purpose: SweepOutcome['purpose'], holds: boolean): Promise<SweepOutcome> {
  const path = join(folder, purpose === 'hold' ? 'holds' : 'runs', id);
  const steps = [step({ rate: 39, p95: holds ? 0.3 : 2.5 })];
  const { run } = buildPassingRun();
  const plan = { ...run.plan, rates: { kind: 'target' as const, rate: 30, headroom: 1.3 } };
  const recorded: Omit<RecordedRun, 'folder'> = {
    run: { ...run, plan },
    steps,
    samples: buildSamples(run, steps),
    events: [],
    rows: [],
  };
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'run.json'), JSON.stringify(recorded.run));
  await writeFile(join(path, 'steps.ndjson'), lines(steps));
  await writeFile(join(path, 'samples.ndjson'), lines(recorded.samples));
  await writeFile(join(path, 'values.held.yaml'), 'secret: of the user\n');
  const verdict = holds ? 'PASS' : 'FAIL';
  return { id, purpose, verdict, capacity: holds ? 39 : 0, conclusion: verdict, loadSeconds: 13, seconds: 30 };
}

test('a sweep that is recorded gets its report, with the values of the winner and none that the user gave', async () => {
  const { record: sweep } = buildTargetSweep();
  const [, small, , winner, unstarted] = sweep.candidates.map((c) => c.id);
  const outcomes = [
    await record(small!, 'measure', false),
    await record(winner!, 'measure', true),
    {
      ...(await record(winner!, 'measure', true)),
      id: unstarted!,
      conclusion: 'does not come up',
      verdict: 'FAIL' as const,
    },
    await record(winner!, 'hold', true),
  ];
  const cheaper = sweep.candidates.filter((c) => [small, winner, unstarted].includes(c.id));
  await writeFile(join(folder, 'sweep.json'), JSON.stringify({ ...sweep, candidates: cheaper }));
  await writeFile(join(folder, 'outcomes.ndjson'), lines(outcomes));
  await mkdir(join(folder, 'configurations'));
  await writeFile(join(folder, 'configurations', `${winner}.yaml`), 'worker:\n  replicas: 2\n');

  const conclusion = await concludeSweep(folder);

  expect(conclusion).toMatchObject({
    verdict: 'PASS',
    report: join(folder, 'report.html'),
    cheapest: { id: winner },
  });
  const page = (await readFile(conclusion.report, 'utf8')).replace(/<script>[^]*?<\/script>/g, '');
  expect(page).toMatch(
    /<pre id="values-to-copy"[^>]*>worker:\n {2}replicas: 2 # measured: [^\n]*39\/s [^]*concurrency: 20 # measured/,
  );
  expect(page).not.toContain('of the user');
  expect(page).toContain(`href="runs/${winner}/report.html"`);
  expect(page).not.toContain(`href="runs/${unstarted}/report.html"`);
  expect(page).toContain('does not come up');
  expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('a sweep of which nothing is measured yet has a report too', async () => {
  await writeFile(join(folder, 'sweep.json'), JSON.stringify(buildTargetSweep().record));
  const conclusion = await concludeSweep(folder);
  expect(conclusion.verdict).toBe('INCONCLUSIVE');
  const page = (await readFile(conclusion.report, 'utf8')).replace(/<script>[^]*?<\/script>/g, '');
  expect(page).toContain('8 open');
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});
