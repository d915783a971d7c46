import type { Sample } from '../../observe/sampler.js';
import type { RowsRecord, RunRecord, StepRecord } from '../../model/record.js';
import { judgeDrift, type Drift, type DriftReport, type DriftVerdict, type TableRows } from './drift.js';
import { format, type RunVerdict } from '../run.js';
import type { Verdict } from '../step.js';

/** What a soak says beside the verdict on its step. */
export interface SoakReport extends DriftReport {
  /** What could not be seen, and is not claimed to be stable. */
  unknown: string[];
}

/** A soak as it was recorded. */
interface RecordedSoak {
  run: RunRecord;
  steps: StepRecord[];
  samples: Sample[];
  rows: RowsRecord[];
}

const VERDICT_OF: Record<DriftVerdict, Verdict> = { stable: 'PASS', drifts: 'FAIL', 'too-short': 'INVALID' };
const HOUR_MS = 3_600_000;

/** Whether memory, latency and tables have stayed as they were. */
export function judgeSoak({ run, steps, samples, rows }: RecordedSoak): SoakReport {
  const tables = tablesOf(rows, steps);
  const { drifts: found } = judgeDrift({ deployment: run.deployment, steps, samples, tables });
  const drifts = found.map((drift) => (drift.of === 'rows' ? withPruning(drift, tables, steps, run) : drift));
  const verdict = (['drifts', 'too-short'] as const).find((v) => drifts.some((d) => d.verdict === v));
  return {
    verdict: verdict ?? (drifts.length === 0 ? 'too-short' : 'stable'),
    drifts,
    unknown: [
      ...(drifts.some((d) => d.of === 'memory') ? [] : ['the memory of n8n: its processes could not be observed']),
      ...(tables.length > 0 ? [] : ["the growth of n8n's tables: their rows could not be counted"]),
    ],
  };
}

/** The verdict on the steps with that on the drift: FAIL before INVALID before PASS. */
export function withDrift(verdict: RunVerdict, soak: SoakReport): RunVerdict {
  const both = [verdict.verdict, VERDICT_OF[soak.verdict]];
  return { ...verdict, verdict: (['FAIL', 'INVALID'] as const).find((v) => both.includes(v)) ?? 'PASS', soak };
}

/** Of a drift, for people and colours. */
export const verdictOfDrift = (drift: DriftVerdict): Verdict => VERDICT_OF[drift];

/** Row counts by table; each execution that was answered has inserted one row into each. */
function tablesOf(rows: RowsRecord[], steps: StepRecord[]): TableRows[] {
  const hours = steps.reduce((sum, s) => sum + (s.measuredTo - s.measuredFrom) / HOUR_MS, 0);
  const answered = steps.reduce((sum, s) => sum + s.summary.answered, 0);
  const names = Object.keys(rows[0]?.rows ?? {}) as (keyof RowsRecord['rows'])[];
  return names.map((table) => ({
    table,
    rows: rows.map(({ at, rows: counts }) => ({ at, count: counts[table] })),
    ...(hours > 0 && { insertedPerHour: answered / hours }),
  }));
}

/** A table that grows before anything in it is due to be pruned is as it should be: how large it gets is known. */
function withPruning(drift: Drift, tables: TableRows[], steps: StepRecord[], { deployment }: RunRecord): Drift {
  const { pruning } = deployment;
  const counts = tables.find((t) => t.table === drift.name)!.rows;
  if (drift.verdict !== 'drifts' || !pruning) return drift;
  const hours = (Math.max(...steps.map((s) => s.measuredTo)) - Math.min(...steps.map((s) => s.measuredFrom))) / HOUR_MS;
  const { maxAgeHours, maxCount } = pruning;
  const last = counts.at(-1)!.count;
  const full = maxCount > 0 && last >= maxCount;
  if (full || hours >= maxAgeHours) return drift;
  const due = [...(maxCount > 0 ? [`it holds ${maxCount}`] : []), `they are ${maxAgeHours} h old`].join(' or ');
  return {
    ...drift,
    verdict: 'stable',
    text: `${drift.name} grows by ${format(drift.perHour)} rows an hour as it should: none is due to be pruned before ${due}`,
  };
}
