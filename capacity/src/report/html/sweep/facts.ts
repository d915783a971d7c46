import { format } from '../../../core/formats.js';
import type { SweepConclusion, SweepRow, SweepRecord } from '../../../model/sweep.js';
import type { RunRecord } from '../../../model/run.js';
import type { LoadVerdict } from '../../../model/verdict.js';
import { median } from 'simple-statistics';

/** The measured run of one configuration, judged. */
export interface SweepRun {
  run: RunRecord;
  /** A sweep drives one load. */
  load: LoadVerdict;
  /** Path of its own report, relative to the sweep's. */
  report: string;
}

/** Everything that the page of a sweep is made of. */
export interface SweepReport {
  record: SweepRecord;
  conclusion: Omit<SweepConclusion, 'report'>;
  /** Runs by the id of their configuration; without those that are not measured or did not come up. */
  runs: ReadonlyMap<string, SweepRun>;
}

/** 99th percentiles of configurations that can be compared, since all met the same load. */
export interface CommonLoad {
  /** `20/s` or `8 clients`. */
  at: string;
  /** Seconds above the service time, by the id of the configuration; the median where a step was repeated. */
  p99: ReadonlyMap<string, number>;
}

/** The highest load that every configuration has met in a step that counts; absent when there is none. */
export function highestCommonLoad({ runs }: SweepReport): CommonLoad | undefined {
  const measured = [...runs].flatMap(([id, { load }]) => {
    const p99 = p99ByLoad(load);
    return p99.size > 0 ? [{ id, p99 }] : [];
  });
  const [first, ...others] = measured;
  if (!first) return undefined;
  const common = [...first.p99.keys()].filter((at) => others.every((o) => o.p99.has(at)));
  if (common.length === 0) return undefined;
  const highest = Math.max(...common);
  const isClosed = [...runs.values()].some(({ run }) => run.plan.rates.kind === 'closed');
  return {
    at: isClosed ? `${highest} clients` : `${format(highest)}/s`,
    p99: new Map(measured.map(({ id, p99 }) => [id, p99.get(highest)!])),
  };
}

/** An INCONCLUSIVE step tells nothing of the deployment, and one without an answer has no latency. */
function p99ByLoad({ steps }: LoadVerdict): Map<number, number> {
  const all = new Map<number, number[]>();
  for (const { step, judged } of steps) {
    const at = step.rate ?? step.clients;
    if (judged.verdict === 'INCONCLUSIVE' || at === undefined || !step.summary.latency) continue;
    all.set(at, [...(all.get(at) ?? []), step.summary.latency.p99]);
  }
  return new Map([...all].map(([at, values]) => [at, median(values)]));
}

/** Dimensions with more than one value, those with most values first; equals in the plan's order. */
export const varied = ({ plan }: SweepRecord): string[] =>
  Object.entries(plan.dimensions)
    .filter(([, values]) => values.length > 1)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name]) => name);

/** What a configuration's status is called. */
export const STATUS_WORDS: Record<SweepRow['status'], string> = {
  meets: 'meets',
  misses: 'misses',
  measured: 'measured',
  dominated: 'dominated',
  inconclusive: 'inconclusive',
  'ruled-out': 'ruled out',
  excluded: 'excluded',
  open: 'open',
};

/** The colour of a status, as the page's style names it; none for what is no verdict. */
export const statusClass = (status: SweepRow['status']): string =>
  ({ meets: 'pass', misses: 'fail', inconclusive: 'inconclusive' })[status as string] ?? '';

/** The rate that a configuration sustains; of one that was stopped early only the least is known. */
export const sustained = ({ capacity, status }: SweepRow): string | undefined =>
  capacity === undefined ? undefined : `${status === 'dominated' ? '≥ ' : ''}${format(capacity)}`;

/** Whether load was put on it and what came of it can be told. */
export const isJudged = ({ status }: SweepRow): boolean =>
  status === 'meets' || status === 'misses' || status === 'measured' || status === 'dominated';
