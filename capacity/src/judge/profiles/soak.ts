import { sum } from 'simple-statistics';
import { concludeRates } from '../conclusion.js';
import type { JudgeProfile, Records } from '../profile.js';
import { worst, type RunVerdict, type Verdict } from '../../model/verdict.js';
import { formatNumber } from '../../core/formats.js';
import type { SoakReport, Drift, DriftVerdict } from '../../model/reports.js';
import type { StepRecord } from '../../model/step.js';
import type { RunRecord } from '../../model/run.js';
import type { RowsRecord } from '../../model/sample.js';
import { judgeDrift, worstDrift, type TableRows } from '../drift/judge.js';
import { HOUR_MS } from '../drift/growth.js';

const VERDICT_OF: Record<DriftVerdict, Verdict> = {
  stable: 'PASS',
  drifts: 'FAIL',
  unproven: 'INCONCLUSIVE',
  'too-short': 'INCONCLUSIVE',
};

/** Judges whether memory, latency, backlog and tables stay below their limits for the horizon of the soak. */
export function judgeSoak({ run, steps, samples, rows }: Records, horizonSeconds: number): SoakReport {
  const tables = collectTableRows(rows, steps);
  const { slo, drainSeconds } = run.plan;
  const { drifts: found } = judgeDrift({
    deployment: run.deployment,
    steps,
    samples,
    tables,
    slo,
    drainSeconds,
    horizonSeconds,
  });
  const drifts = found.map((drift) => (drift.of === 'rows' ? withPruning(drift, tables, steps, run) : drift));
  return {
    verdict: worstDrift(drifts),
    horizonSeconds,
    drifts,
    unknown: [
      ...(drifts.some((d) => d.of === 'memory') ? [] : ["n8n's memory: its processes could not be observed"]),
      ...(tables.length > 0 ? [] : ["the growth of n8n's tables: their rows could not be counted"]),
    ],
  };
}

/** A soak: whether its rate held, and whether anything reaches a limit within its horizon. */
export const soak: JudgeProfile<'soak'> = {
  conclude: ({ rate }, steps, found) => concludeRates(rate, steps, found),
  judge: (loads, records, { horizonSeconds }) => withDrift(loads, judgeSoak(records, horizonSeconds)),
};

/** The worse of the verdict on the steps and the verdict on drift. */
export const withDrift = (loads: RunVerdict, report: SoakReport): RunVerdict => ({
  ...loads,
  verdict: worst([loads.verdict, VERDICT_OF[report.verdict]]),
  soak: report,
});

/** The verdict for a drift, for texts and colours. */
export const verdictOfDrift = (drift: DriftVerdict): Verdict => VERDICT_OF[drift];

/** Row counts by table; each answered execution inserts one row into each. */
function collectTableRows(rows: RowsRecord[], steps: StepRecord[]): TableRows[] {
  const hours = sum(steps.map((s) => (s.measuredTo - s.measuredFrom) / HOUR_MS));
  const answered = sum(steps.map((s) => s.summary.answered));
  const names = Object.keys(rows[0]?.rows ?? {}) as (keyof RowsRecord['rows'])[];
  return names.map((table) => ({
    table,
    rows: rows.map(({ at, rows: counts }) => ({ at, count: counts[table] })),
    ...(hours > 0 && { insertedPerHour: answered / hours }),
  }));
}

/**
 * Every hour n8n marks the rows that are due. It keeps them for another hour, and deletes marked rows every 15 minutes. Until then
 * they are counted (read: 2.41.1, softDelete, pruneDataHardDeleteBuffer and hardDelete in executions.config.js).
 */
const PRUNING_LAG_HOURS = 2.25;

/** A table may grow until its first rows are pruned: its final size is known. */
function withPruning(drift: Drift, tables: TableRows[], steps: StepRecord[], { deployment }: RunRecord): Drift {
  const { pruning } = deployment;
  const counts = tables.find((t) => t.table === drift.name)!.rows;
  if (drift.verdict !== 'drifts' || !pruning) return drift;
  const hours = (Math.max(...steps.map((s) => s.measuredTo)) - Math.min(...steps.map((s) => s.measuredFrom))) / HOUR_MS;
  const { maxAgeHours, maxCount } = pruning;
  const last = counts.at(-1)!.count;
  const full = maxCount > 0 && last >= maxCount + PRUNING_LAG_HOURS * drift.perHour;
  if (full || hours >= maxAgeHours + PRUNING_LAG_HOURS) return drift;
  const due = [...(maxCount > 0 ? [`it holds ${maxCount}`] : []), `they are ${maxAgeHours} h old`].join(' or ');
  return {
    ...drift,
    verdict: 'stable',
    text: `${drift.name} grows by ${formatNumber(drift.perHour)} rows per hour as expected: rows are pruned two hours after ${due}`,
  };
}
