import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { EnvironmentFault, InputError } from '../../../capacity/src/errors.js';
import { readSweepPlan } from '../../../capacity/src/plan/sweep-plan.js';
import type { Where } from '../../../capacity/src/provision/choose.js';
import { terminalProgress } from '../../../capacity/src/report/progress.js';
import { sweep } from '../../../capacity/src/sweep/run.js';
import type { Outcome } from '../../../capacity/src/sweep/types.js';
import { regular } from '../records.js';

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
          record: regular({}),
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
    .map((line) => JSON.parse(line) as Outcome)
    .map(({ id, verdict, conclusion }) => [id, verdict, conclusion]);

test('what the environment keeps from starting is INVALID and tried again; what does not come up is a FAIL and is not', async () => {
  await run(place('kubernetes', new EnvironmentFault('no image'), new InputError('out of memory')));
  const first = [
    ['1-saving-all', 'INVALID', 'no image'],
    ['2-saving-none', 'FAIL', 'out of memory'],
  ];
  expect(outcomes()).toEqual(first);
  const again = place('kubernetes', new InputError('not this time either'));
  await run(again);
  expect(again.attempts).toBe(1);
  expect(outcomes()).toEqual([...first, ['1-saving-all', 'FAIL', 'not this time either']]);
});

test('a sweep that began in a cluster does not go on in local processes', async () => {
  await expect(run(place('process'))).rejects.toThrow(/holds a sweep of another plan, or of another place/);
});
