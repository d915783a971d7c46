import { closedLoopOf } from '../../plan/kinds.js';
import { formatNumber } from '../../core/formats.js';
import type { SweepConclusion, SweepOutcome, SweepRecord, SweepRow } from './record.js';
import type { Noise } from '../../model/run.js';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { costPerMillion } from '../../judge/cost.js';
import { front, ruledOutByFront, ruledOutByTarget, type Candidate, type MeasuredCandidate } from './judge/explore.js';
import { describeConfiguration } from './plan/configurations.js';
import type { RatePlan } from '../../model/plan.js';
import { OWNER_ONLY, writeWhole } from '../../record/files.js';
import { confirmCommand } from '../../recommend/confirm-command.js';
import { HELD } from '../../recommend/held.js';
import { SweepFolder } from './folder.js';
import { measuredCandidates, readNoise, tieBand } from './outcomes.js';
import { confidenceInSweep, readRuns, writeSweepReport } from './report.js';
import { sweepValues } from './values.js';
import { FILES } from '../../record/names.js';

/** The verdict on a sweep and its rows, before anything is written. */
export type JudgedSweep = Pick<SweepConclusion, 'name' | 'verdict' | 'answer' | 'rows'> & { cheapestId?: string };

/**
 * Judges a recorded sweep, complete or interrupted, and writes its verdict, its report and the values that held.
 * @throws UsageError if the folder holds no sweep
 */
export async function concludeSweep(path: string): Promise<SweepConclusion> {
  const folder = new SweepFolder(path);
  const [record, outcomes] = [await folder.record(), await folder.outcomes()];
  const noise = await readNoise(folder, outcomes);
  const { cheapestId: winner, ...judged } = judgeSweep(record, outcomes, noise);
  const { file: values, refused } = winner ? await writeValues(folder, record, winner, judged) : {};
  if (!values) await rm(join(path, HELD), { force: true });
  const runs = await readRuns(folder, outcomes);
  const sure = confidenceInSweep(runs);
  const whole: SweepConclusion = {
    ...judged,
    ...(refused !== undefined && {
      verdict: 'INCONCLUSIVE' as const,
      answer: `${judged.answer}; no values are given: ${refused}`,
    }),
    ...(sure && { confidence: sure }),
    ...(noise && { noise }),
    ...(winner && values && { cheapest: { id: winner, values } }),
    report: join(path, FILES.report),
  };
  await writeSweepReport(folder, record, runs, whole);
  await writeWhole(join(path, FILES.verdict), `${JSON.stringify(whole, null, 2)}\n`);
  return whole;
}

async function writeValues(
  folder: SweepFolder,
  record: SweepRecord,
  id: string,
  { verdict, answer }: Pick<JudgedSweep, 'verdict' | 'answer'>,
): Promise<{ file?: string; refused?: string }> {
  // Values of this chart do not follow from another one; the answer names the configuration.
  if (record.plan.measure.foreign) return {};
  const candidate = record.candidates.find((c) => c.id === id)!;
  const file = join(folder.path, HELD);
  const values = await sweepValues(folder, record, candidate, 'hold', {
    verdict,
    answer,
    confirm: confirmCommand(folder.runOf(id, 'hold')),
  });
  if (values.text === undefined) return { refused: values.refused };
  // The user's values may be secret.
  await writeWhole(file, values.text, OWNER_ONLY);
  return { file };
}

/**
 * Judges a sweep from its records.
 * @param noise as measured; undefined if it was not
 */
export function judgeSweep(record: SweepRecord, all: SweepOutcome[], noise?: Noise): JudgedSweep {
  const outcomes = all.filter((o) => o.purpose !== 'noise');
  const candidates: Candidate[] = record.candidates.map((c) => ({ ...c, cost: c.cost.perHour }));
  const measured = measuredCandidates(outcomes);
  const rows = [
    ...sweepRows(record, outcomes, candidates, measured, tieBand(record.plan, noise)),
    ...excludedRows(record),
  ].sort((a, b) => a.id.localeCompare(b.id));
  const { name } = record.plan;
  if (record.target === undefined) return { name, rows, ...answerWithoutTarget(rows, record.plan.measure.rates) };
  return { name, rows, ...answerWithTarget(record.target, rows, outcomes, candidates) };
}

function sweepRows(
  record: SweepRecord,
  outcomes: SweepOutcome[],
  candidates: Candidate[],
  measured: MeasuredCandidate[],
  noise: number,
): SweepRow[] {
  const onFront = new Set(front(candidates, measured, noise).map((m) => m.id));
  const ruledOut = new Map(
    (record.target === undefined
      ? ruledOutByFront(candidates, measured, noise)
      : ruledOutByTarget(candidates, measured)
    ).map((r) => [r.id, r.reason]),
  );
  return record.candidates.map((candidate): SweepRow => {
    const { id, values, cost } = candidate;
    const outcome = outcomes.findLast((o) => o.id === id);
    const reason = record.plan.explore === 'all' ? undefined : ruledOut.get(id);
    const base = { id, values, cost, onFront: onFront.has(id) };
    if (!outcome) return { ...base, status: reason ? 'ruled-out' : 'open', text: reason ?? 'not measured yet' };
    const { capacity, conclusion, verdict } = outcome;
    // A target may be missed by a rate that held; a search that failed says that none holds.
    const sustains = capacity > 0 && (record.target !== undefined || verdict !== 'FAIL');
    return {
      ...base,
      status: outcomeStatus(outcome, record),
      ...(sustains && { capacity, perMillion: costPerMillion(cost, capacity) }),
      text: conclusion,
    };
  });
}

function outcomeStatus({ verdict, challenge }: SweepOutcome, { target }: SweepRecord): SweepRow['status'] {
  if (verdict === 'INCONCLUSIVE') return 'inconclusive';
  if (target !== undefined) return verdict === 'PASS' ? 'meets' : 'misses';
  return challenge === undefined ? 'measured' : 'dominated';
}

const excludedRows = ({ excluded }: SweepRecord): SweepRow[] =>
  excluded.map(({ id, values, reason }) => ({ id, values, status: 'excluded', onFront: false, text: reason }));

function answerWithTarget(
  target: number,
  rows: SweepRow[],
  outcomes: SweepOutcome[],
  candidates: Candidate[],
): Pick<SweepConclusion, 'verdict' | 'answer'> & { cheapestId?: string } {
  const rate = `${formatNumber(target)}/s`;
  const open = rows.filter((r) => r.status === 'open').length;
  const cheapest = findCheapestMeeting(rows);
  if (!cheapest) {
    const inconclusive = rows.filter((r) => r.status === 'inconclusive').length;
    if (open + inconclusive > 0)
      return {
        verdict: 'INCONCLUSIVE',
        answer: `no configuration is known to sustain ${rate}: ${open} not measured yet, ${inconclusive} inconclusive`,
      };
    const best = rows.filter((r) => r.capacity !== undefined).sort((a, b) => b.capacity! - a.capacity!)[0];
    const most = best ? `; the highest is ${formatNumber(best.capacity!)}/s with ${describeConfiguration(best)}` : '';
    return { verdict: 'FAIL', answer: `none of the ${candidates.length} configurations sustains ${rate}${most}` };
  }
  const hold = outcomes.findLast((o) => o.id === cheapest.id && o.purpose === 'hold');
  const cost = `${cheapest.cost!.cores} cores, ${formatNumber(cheapest.cost!.memoryGib)} GiB`;
  const what = `the cheapest configuration that sustains ${rate} is ${describeConfiguration(cheapest)} (${cost})`;
  if (open > 0) return { verdict: 'INCONCLUSIVE', answer: `${what} so far; ${open} not measured yet` };
  const cheaper = rows.filter((r) => r.status === 'inconclusive' && r.cost!.perHour < cheapest.cost!.perHour).length;
  if (cheaper > 0) return { verdict: 'INCONCLUSIVE', answer: `${what} so far; ${cheaper} cheaper inconclusive` };
  if (hold?.verdict !== 'PASS')
    return { verdict: 'INCONCLUSIVE', answer: `${what}; it has not held that for longer than a step yet` };
  return { verdict: 'PASS', answer: `${what}; it held that for longer in a second run`, cheapestId: cheapest.id };
}

/** The cheapest configuration that meets the target; undefined if none is known to. */
export const findCheapestMeeting = (rows: SweepRow[]): SweepRow | undefined =>
  rows.filter((r) => r.status === 'meets').sort((a, b) => a.cost!.perHour - b.cost!.perHour)[0];

function answerWithoutTarget(rows: SweepRow[], rates: RatePlan): Pick<SweepConclusion, 'verdict' | 'answer'> {
  const clients = closedLoopOf(rates)?.clients;
  const count = (status: SweepRow['status']) => rows.filter((row) => row.status === status).length;
  const [open, unclear] = [count('open'), count('inconclusive')];
  const left = open + unclear === 0 ? '' : ` so far; ${open} not measured yet, ${unclear} inconclusive`;
  const best = rows.filter((r) => r.onFront).sort((a, b) => b.capacity! - a.capacity!);
  if (best.length === 0) {
    const what = clients === undefined ? 'sustained any rate' : `served ${clients} clients within the SLO`;
    const isDecided = left === '' && count('measured') > 0;
    return { verdict: isDecided ? 'FAIL' : 'INCONCLUSIVE', answer: `no configuration ${what}${left}` };
  }
  const cheapest = [...best].sort((a, b) => a.perMillion! - b.perMillion!)[0]!;
  const most = best[0]!;
  const rate = ({ capacity }: SweepRow) =>
    `${formatNumber(capacity!)}/s${clients === undefined ? '' : ` from ${clients} clients`}`;
  const least = `the cheapest per execution is ${describeConfiguration(cheapest)} (${rate(cheapest)})`;
  const answer =
    most.id === cheapest.id
      ? `the highest capacity and the lowest cost per execution: ${describeConfiguration(most)} (${rate(most)})`
      : `the highest capacity: ${describeConfiguration(most)} (${rate(most)}); ${least}`;
  return { verdict: left === '' ? 'PASS' : 'INCONCLUSIVE', answer: `${answer}${left}` };
}
