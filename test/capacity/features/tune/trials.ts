import type { Change, TrialRecord, TuneRecord } from '../../../../capacity/src/features/tune/record.js';
import { seededRandom, type Random } from '../../../../capacity/src/stats/random.js';
import { judgeTune, trialsLeftToScreen } from '../../../../capacity/src/features/tune/judge.js';
import { MAX_CONFIRMATION_TRIALS, screeningTrialsWithin } from '../../../../capacity/src/features/tune/budget.js';
import {
  openConfirmation,
  openLatency,
  planScreening,
  type PlannedTrial,
} from '../../../../capacity/src/features/tune/schedule.js';
import { buildPassingRun } from '../../support/index.js';

export const changeOf = (id: string, name = id): Change => ({
  id,
  setting: id,
  title: `what ${id} does`,
  trades: 'nothing',
  name,
  to: 1,
  values: { [name]: 1 },
});

/** How long a simulated trial takes, in seconds. */
export const TRIAL_SECONDS = 40;

/** The record of a run of `tune` that tries these changes, in so many trials of the screening and of the confirmation at most. */
export const tuneRecord = (
  changes: Change[],
  budgetSeconds = 2700,
  confirmations = MAX_CONFIRMATION_TRIALS,
): TuneRecord => ({
  tool: 'n8n-capacity tune',
  startedAt: '2026-11-20T10:15:00.000Z',
  provisioner: 'process',
  plan: { ...buildPassingRun().run.plan, rates: { kind: 'closed', clients: 20 } },
  n8n: '2.41.1',
  mode: 'regular',
  database: 'sqlite',
  seed: 1,
  budgetSeconds,
  accept: [],
  settings: changes.map(({ setting }) => setting),
  changes,
  rows: rowsOf(changes, screeningTrialsWithin(budgetSeconds, TRIAL_SECONDS)),
  confirmations,
  conflicts: [],
  leftOut: [{ setting: 'other', title: 'what other does', reason: 'only in queue mode' }],
});

/** The same, with two loads, one after the other. */
export function twoLoads(record: TuneRecord): TuneRecord {
  const [load] = record.plan.loads;
  return { ...record, plan: { ...record.plan, loads: LOADS.map((name) => ({ ...load!, name })) } };
}
const LOADS = ['ack', 'code'] as const;

/** What changes do to the throughput and to the memory of a simulated n8n; `dies` where n8n does not survive one. */
export interface Truth {
  throughput?: Record<string, number>;
  memory?: Record<string, number>;
  dies?: string;
  /** Factor of the throughput where both of two changes are deployed. */
  together?: [string, string, number];
  /** Factor of the p95 at the same arrival rate. */
  latency?: Record<string, number>;
  /** Factors of the throughput of the loads of `twoLoads`, by change. */
  loads?: [Record<string, number>, Record<string, number>];
  noise?: number;
  /** A trial takes so many times as long as was expected. */
  slower?: number;
}

/** All trials of an n8n whose truth is known, as they would be measured; its machine becomes slower meanwhile. */
export function simulate(record: TuneRecord, truth: Truth, seed = 1): TrialRecord[] {
  const random = seededRandom(seed);
  const trials: TrialRecord[] = [];
  const all = (open: () => PlannedTrial[]) => {
    for (let [next] = open(); next; [next] = open()) trials.push(measured(next, trials.length, truth, random));
  };
  all(() => trialsLeftToScreen(record, trials));
  const { chosen } = judgeTune(record, trials);
  const together = record.changes.filter(({ id }) => chosen.includes(id));
  all(() => openConfirmation(record, together, trials));
  if (judgeTune(record, trials).outcome === 'confirmed') all(() => openLatency(record, together, trials));
  return trials;
}

function measured(
  { stage, row, changes, rate }: PlannedTrial,
  index: number,
  truth: Truth,
  random: Random,
): TrialRecord {
  const ids = changes.map(({ id }) => id);
  const base = {
    index,
    stage,
    row,
    changes: ids,
    tookSeconds: TRIAL_SECONDS * (truth.slower ?? 1),
    ...(rate !== undefined && { rate }),
  };
  if (truth.dies !== undefined && ids.includes(truth.dies)) return { ...base, failed: 'main died (OOMKilled)' };
  const times = (of: Record<string, number> = {}) => ids.reduce((product, id) => product * (of[id] ?? 1), 1);
  const [one, other, factor] = truth.together ?? ['', '', 1];
  const both = ids.includes(one) && ids.includes(other) ? factor : 1;
  const noise = () => Math.exp((truth.noise ?? 0.04) * random.normal());
  const figures = (of: Record<string, number>) => ({ perSecond: 60 * times(of) * (1 - 0.002 * index) * noise() });
  if (truth.loads) {
    const [ack, code] = [figures(truth.loads[0]), figures(truth.loads[1])];
    return { ...base, perSecond: Math.sqrt(ack.perSecond * code.perSecond), loads: { ack, code } };
  }
  return {
    ...base,
    perSecond: 60 * times(truth.throughput) * both * (1 - 0.002 * index) * noise(),
    p95: 0.2 * times(truth.latency) * noise(),
    memoryBytes: 2 ** 29 * times(truth.memory) * noise(),
  };
}

const designs = new Map<string, string[][]>();

/** The same changes have the same rows. */
function rowsOf(changes: Change[], rows: number): string[][] {
  const key = JSON.stringify([rows, changes.map(({ id, name, group }) => [id, name, group])]);
  const design = designs.get(key) ?? planScreening(changes, rows, 1).map((row) => row.map(({ id }) => id));
  designs.set(key, design);
  return design;
}
