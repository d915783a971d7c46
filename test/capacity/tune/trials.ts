import type { Change, TrialRecord, TuneRecord } from '../../../capacity/src/model/tune.js';
import { seededRandom, type Random } from '../../../capacity/src/stats/random.js';
import { judgeTune } from '../../../capacity/src/tune/judge.js';
import { openConfirmation, openScreening, type Planned } from '../../../capacity/src/tune/schedule.js';
import { passingRun } from '../support/index.js';

export const changeOf = (id: string, name = id): Change => ({
  id,
  setting: id,
  title: `what ${id} does`,
  trades: 'nothing',
  name,
  to: 1,
  values: { [name]: 1 },
});

/** The record of a run of `tune` that tries these changes. */
export const tuneRecord = (changes: Change[]): TuneRecord => ({
  tool: 'n8n-capacity tune',
  startedAt: '2026-11-20T10:15:00.000Z',
  provisioner: 'process',
  plan: { ...passingRun().run.plan, rates: { kind: 'closed', clients: 20 } },
  n8n: '2.41.1',
  mode: 'regular',
  database: 'sqlite',
  seed: 1,
  budgetSeconds: 2700,
  accept: [],
  settings: changes.map(({ setting }) => setting),
  changes,
  leftOut: [{ setting: 'other', title: 'what other does', reason: 'only in queue mode' }],
});

/** What changes do to the throughput and to the memory of a simulated n8n; `dies` where n8n does not survive one. */
export interface Truth {
  throughput?: Record<string, number>;
  memory?: Record<string, number>;
  dies?: string;
  noise?: number;
}

/** All trials of an n8n whose truth is known, as they would be measured; its machine becomes 10 % slower meanwhile. */
export function simulate(record: TuneRecord, truth: Truth, seed = 1): TrialRecord[] {
  const random = seededRandom(seed);
  const trials: TrialRecord[] = [];
  const all = (open: () => Planned[]) => {
    for (let [next] = open(); next; [next] = open()) trials.push(measured(next, trials.length, truth, random));
  };
  all(() => openScreening(record, trials));
  const { chosen } = judgeTune(record, trials);
  const together = record.changes.filter(({ id }) => chosen.includes(id));
  all(() => openConfirmation(together, trials));
  return trials;
}

function measured({ stage, row, changes }: Planned, index: number, truth: Truth, random: Random): TrialRecord {
  const ids = changes.map(({ id }) => id);
  const base = { index, stage, row, changes: ids, tookSeconds: 60 };
  if (truth.dies !== undefined && ids.includes(truth.dies)) return { ...base, failed: 'main died (OOMKilled)' };
  const times = (of: Record<string, number> = {}) => ids.reduce((product, id) => product * (of[id] ?? 1), 1);
  const noise = () => Math.exp((truth.noise ?? 0.04) * random.normal());
  return {
    ...base,
    perSecond: 60 * times(truth.throughput) * (1 - 0.004 * index) * noise(),
    p95: 0.2,
    memoryBytes: 2 ** 29 * times(truth.memory) * noise(),
  };
}
