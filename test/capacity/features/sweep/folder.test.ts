import type { SweepOutcome, SweepRecord } from '../../../../capacity/src/features/sweep/record.js';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { SweepFolder } from '../../../../capacity/src/features/sweep/folder.js';
import { buildPlan } from '../../support/index.js';

const record = (): SweepRecord => ({
  ...{ tool: 'n8n-capacity sweep', startedAt: '2026-11-20T12:00:00.000Z', candidates: [], excluded: [] },
  conditions: { values: 'a', n8n: ['2.41.1'], machine: '2 × any' },
  plan: {
    ...{ name: 'workers', dimensions: { workers: [1, 2, 3] }, explore: 'front', holdSeconds: 60 },
    prices: { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' },
    measure: buildPlan(),
  },
});
const outcome = (workers: number, capacity: number): SweepOutcome => ({
  ...{ id: `${workers}-workers`, purpose: 'measure', verdict: 'PASS', capacity },
  ...{ conclusion: '', loadSeconds: 60, seconds: 90 },
});

describe('a folder', () => {
  let path: string;
  beforeEach(async () => void (path = await mkdtemp(join(tmpdir(), 'n8n-tuned-sweep-'))));
  afterEach(() => rm(path, { recursive: true }));

  test('goes on with the same plan, also where the last line was cut off', async () => {
    const folder = new SweepFolder(path);
    expect(await folder.begin(record())).toEqual([]);
    await folder.outcome(outcome(1, 8));
    const text = await readFile(join(path, 'outcomes.ndjson'), 'utf8');
    await writeFile(join(path, 'outcomes.ndjson'), `${text}{"id":"2-wor`);
    expect(await new SweepFolder(path).begin({ ...record(), startedAt: 'later' })).toEqual([outcome(1, 8)]);
    await folder.outcome(outcome(2, 10));
    expect((await folder.outcomes()).map((o) => o.id)).toEqual(['1-workers', '2-workers']);
  });

  test('refuses another plan', async () => {
    await new SweepFolder(path).begin(record());
    const other = record();
    other.plan.measure.stepSeconds = 99;
    await expect(new SweepFolder(path).begin(other)).rejects.toBeInstanceOf(UsageError);
  });

  test.each([
    ['values', { values: 'b' }],
    ['n8n', { n8n: ['2.42.0'] }],
    ['machine', { machine: '8 × fast' }],
  ])('refuses other conditions: %s', async (word, changes) => {
    const conditions = { values: 'a', n8n: ['2.41.1'], machine: '2 × slow' };
    await new SweepFolder(path).begin({ ...record(), conditions });
    const again = (other: object) =>
      new SweepFolder(path).begin({ ...record(), conditions: { ...conditions, ...other } });
    expect(await again({})).toEqual([]);
    await expect(again(changes)).rejects.toThrow(new RegExp(`other ${word}`));
  });

  test('says when there is none', async () => {
    await expect(new SweepFolder(path).record()).rejects.toThrow(UsageError);
    await expect(new SweepFolder(path).record()).rejects.toThrow('sweep.json');
  });
});
