import { concludeRates } from '../conclusion.js';
import type { JudgeProfile, Records } from '../profile.js';
import { worst, type RunVerdict, type Verdict } from '../../model/verdict.js';
import { format } from '../../core/formats.js';
import type { SoakReport, Drift, DriftVerdict } from '../../model/reports.js';
import type { StepRecord } from '../../model/step.js';
import type { RunRecord } from '../../model/run.js';
import type { RowsRecord } from '../../model/sample.js';
import { judgeDrift, type TableRows } from '../drift.js';

const VERDICT_OF: Record<DriftVerdict, Verdict> = { stable: 'PASS', drifts: 'FAIL', 'too-short': 'INCONCLUSIVE' };
const HOUR_MS = 3_600_000;

/** Whether memory, latency and tables have stayed as they were. */
export function judgeSoak({ run, steps, samples, rows }: Records): SoakReport {
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

/** A soak: whether its rate held, and whether memory, latency and tables stayed as they were. */
export const soak: JudgeProfile<'soak'> = {
  conclude: ({ rate }, steps, plan, found) => concludeRates(rate, steps, plan, found),
  judge: (loads, records) => withDrift(loads, judgeSoak(records)),
};

/** The verdict on the steps with that on the drift: the worse of the two. */
export const withDrift = (loads: RunVerdict, report: SoakReport): RunVerdict => ({
  ...loads,
  verdict: worst([loads.verdict, VERDICT_OF[report.verdict]]),
  soak: report,
});

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
