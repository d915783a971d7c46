import type { SweepOutcome } from '../../../../capacity/src/features/sweep/record.js';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { EnvironmentFault, NotReady, UsageError } from '../../../../capacity/src/core/errors.js';
import { readSweepPlan } from '../../../../capacity/src/features/sweep/plan/sweep.js';
import type { Where } from '../../../../capacity/src/provision/choose.js';
import { terminalProgress } from '../../../../capacity/src/core/progress.js';
import { sweep, verdictForError } from '../../../../capacity/src/features/sweep/run.js';
import { ensureRedis } from '../../../../capacity/src/tools/system.js';
import { regularDeployment } from '../../support/index.js';

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'sweep-run-'));
afterAll(() => rmSync(folder, { recursive: true }));
const plan = join(folder, 'plan.yaml');
writeFileSync(
  plan,
  'name: two\ndimensions: {saving: [all, none]}\nexplore: all\nworkload: webhook-ack\nrates: 5/s\nstep: {duration: 10s}\n',
);

/** A place where nothing comes up: for each attempt the error of its number. */
function place(name: Where['name'], ...errors: Error[]): Where & { attempts: number } {
  const where = {
    ...{ name, k6Here: false, attempts: 0 },
    provisioner: {
      prepare: () =>
        Promise.resolve({
          versions: { n8n: '2.41.1' },
          record: regularDeployment({}),
          deploy: () => Promise.reject(errors[where.attempts++]!),
        }),
    },
  };
  return where;
}
const run = (where: Where) => sweep(readSweepPlan(plan), join(folder, 'record'), where, terminalProgress(true));
const outcomes = () =>
  readFileSync(join(folder, 'record', 'outcomes.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SweepOutcome)
    .map(({ id, verdict, conclusion }) => [id, verdict, conclusion]);

test('what the environment keeps from starting is INCONCLUSIVE and tried again; what does not come up is a FAIL and is not', async () => {
  await run(place('kubernetes', new EnvironmentFault('no image'), new NotReady('main-0', 'out of memory')));
  const first = [
    ['1-saving-all', 'INCONCLUSIVE', 'no image'],
    ['2-saving-none', 'FAIL', 'main-0 out of memory.'],
  ];
  expect(outcomes()).toEqual(first);
  const again = place('kubernetes', new NotReady('main-0', 'not this time either'));
  await run(again);
  expect(again.attempts).toBe(1);
  expect(outcomes()).toEqual([...first, ['1-saving-all', 'FAIL', 'main-0 not this time either.']]);
});

test('a Redis that is not there is INCONCLUSIVE, and no FAIL of a configuration', async () => {
  const { PATH } = process.env;
  process.env.PATH = folder;
  const missing = (await ensureRedis(terminalProgress(true)).catch((error: unknown) => error)) as Error;
  process.env.PATH = PATH;
  expect(missing).toBeInstanceOf(EnvironmentFault);
  expect(verdictForError(missing)).toBe('INCONCLUSIVE');
});

test('a sweep that began in a cluster does not go on in local processes', async () => {
  await expect(run(place('process'))).rejects.toBeInstanceOf(UsageError);
});

describe('a sweep that cannot begin', () => {
  const REFUSAL = 'no such value';
  const refused: Where = {
    ...{ name: 'process', k6Here: false },
    provisioner: { prepare: () => Promise.reject(new UsageError(REFUSAL)) },
  };
  const into = (path: string) => sweep(readSweepPlan(plan), path, refused, terminalProgress(true));

  test('leaves no folder behind', async () => {
    const path = join(folder, 'refused');
    await expect(into(path)).rejects.toThrow(new RegExp(`2 configurations .*${REFUSAL}`));
    expect(existsSync(path)).toBe(false);
  });

  test('leaves a folder that was there, and what was in it', async () => {
    const path = join(folder, 'there');
    mkdirSync(join(path, 'configurations'), { recursive: true });
    writeFileSync(join(path, 'configurations', 'own.yaml'), 'a: 1\n');
    await expect(into(path)).rejects.toThrow(REFUSAL);
    expect(readdirSync(path, { recursive: true })).toEqual(['configurations', 'configurations/own.yaml']);
  });

  test('leaves the values of one that has begun there', async () => {
    const path = join(folder, 'record');
    const before = readdirSync(path, { recursive: true });
    expect(before).toContain('configurations/1-saving-all.yaml');
    await expect(into(path)).rejects.toThrow(REFUSAL);
    expect(readdirSync(path, { recursive: true })).toEqual(before);
  });
});
