import { closedLoopOf } from '../../../plan/kinds.js';
import { formatRate } from '../../../core/formats.js';
import type { SweepConclusion, SweepRecord, SweepRow } from '../record.js';
import type { DimensionValue } from '../../../model/dimensions.js';
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

/** Input of the page of a sweep. */
export interface SweepReport {
  record: SweepRecord;
  conclusion: Omit<SweepConclusion, 'report'>;
  /** Runs by the id of their configuration; configurations that were not measured or did not start have none. */
  runs: ReadonlyMap<string, SweepRun>;
}

/** 99th percentiles of configurations at the same load, so that they can be compared. */
export interface CommonLoad {
  /** `20/s` or `8 clients`. */
  at: string;
  /** Seconds above the service time, by the id of the configuration; the median of repeated steps. */
  p99: ReadonlyMap<string, number>;
}

/** The highest load that every measured configuration had in a step that could be judged; undefined if there is none. */
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
  const isClosed = [...runs.values()].some(({ run }) => closedLoopOf(run.plan.rates) !== undefined);
  return {
    at: isClosed ? `${highest} clients` : formatRate(highest),
    p99: new Map(measured.map(({ id, p99 }) => [id, p99.get(highest)!])),
  };
}

/** Without INCONCLUSIVE steps, which say nothing about the deployment, and steps without an answer. */
function p99ByLoad({ steps }: LoadVerdict): Map<number, number> {
  const all = new Map<number, number[]>();
  for (const { step, judged } of steps) {
    const at = step.rate ?? step.clients;
    if (judged.verdict === 'INCONCLUSIVE' || at === undefined || !step.summary.latency) continue;
    all.set(at, [...(all.get(at) ?? []), step.summary.latency.p99]);
  }
  return new Map([...all].map(([at, values]) => [at, median(values)]));
}

/** Dimensions with more than one value, most values first, then in the plan's order. */
export const variedDimensions = ({ plan }: SweepRecord): string[] =>
  Object.entries(plan.dimensions)
    .filter(([, values]) => values.length > 1)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name]) => name);

/** Whether it was driven and could be judged. */
export const isJudged = ({ status }: SweepRow): boolean =>
  status === 'meets' || status === 'misses' || status === 'measured' || status === 'dominated';

/** Whether a configuration has these values. */
export const hasValues = ({ values }: SweepRow, wanted: Record<string, DimensionValue>): boolean =>
  Object.entries(wanted).every(([name, value]) => values[name] === value);
