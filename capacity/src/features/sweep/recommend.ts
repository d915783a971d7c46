import { formatNumber } from '../../core/formats.js';
import type { SweepOutcome, SweepRecord } from './record.js';
import { UsageError } from '../../core/errors.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { judgeRun } from '../../judge/run.js';
import { askedPrices, askedRate, withPeak, type AskedOptions } from '../../recommend/asked.js';
import type { Recommended } from '../../recommend/recommended.js';
import { confirmCommand } from '../../recommend/confirm-command.js';
import { readRun } from '../../record/recorder.js';
import { judgeAtNewTarget, type OutcomeOfRun } from './ask-again.js';
import { findCheapestMeeting, judgeSweep, type JudgedSweep } from './conclude.js';
import { SweepFolder } from './folder.js';
import { sweepValues } from './values.js';
import { FILES } from '../../record/names.js';

/**
 * The values of the cheapest configuration that sustains the rate, at the given prices.
 * @throws UsageError if neither the flags nor the sweep set a target
 */
export async function recommendFromSweep(path: string, given: AskedOptions): Promise<Recommended> {
  const folder = new SweepFolder(path);
  const record = await folder.record();
  const { measure, prices } = record.plan;
  const asked = withPeak(given, measure.rates);
  const rate = askedRate(asked, measure.rates);
  if (rate === undefined)
    throw new UsageError(
      `${path}: the sweep has no target; give the rate that the values must sustain, such as --target 20/s.`,
    );
  const runs = await Promise.all(
    (await folder.outcomes()).flatMap((o) => (o.purpose === 'noise' ? [] : [readOutcomeRun(folder, o, o.purpose)])),
  );
  const again = judgeAtNewTarget(record, runs, rate, { ...prices, ...askedPrices(asked) });
  const judged = addPossibleExcluded(judgeSweep(again.record, again.outcomes), again.record, rate);
  const cheapest = findCheapestMeeting(judged.rows);
  // Values of this chart do not follow from another one.
  if (!cheapest || measure.foreign) return { verdict: judged.verdict, answer: judged.answer };
  const isHeld = again.outcomes.some((o) => o.id === cheapest.id && o.purpose === 'hold' && o.verdict === 'PASS');
  const recommended: Recommended = {
    verdict: judged.verdict,
    answer: judged.answer,
    confirm: confirmCommand(folder.runOf(cheapest.id, isHeld ? 'hold' : 'measure'), asked),
  };
  const values = await sweepValues(
    folder,
    again.record,
    { id: cheapest.id, cost: cheapest.cost! },
    isHeld ? 'hold' : 'measure',
    recommended,
  );
  if (values.text === undefined)
    return {
      verdict: 'INCONCLUSIVE',
      answer: `${judged.answer}; no values are given: ${values.refused}`,
    };
  return { ...recommended, values: values.text };
}

async function readOutcomeRun(
  folder: SweepFolder,
  outcome: SweepOutcome,
  purpose: 'measure' | 'hold',
): Promise<OutcomeOfRun> {
  const path = folder.runOf(outcome.id, purpose);
  if (!existsSync(join(path, FILES.run))) return { outcome };
  const [load] = judgeRun(await readRun(path)).loads;
  return { outcome, ...(load && { load }) };
}

/** Configurations excluded for a higher target were neither priced nor measured: while any may sustain the rate, the cheapest is unknown. */
function addPossibleExcluded(judged: JudgedSweep, { excluded }: SweepRecord, rate: number): JudgedSweep {
  const possible = excluded.filter(({ bound }) => bound !== undefined && bound >= rate).length;
  if (possible === 0) return judged;
  const answer = `${judged.answer}; ${possible} excluded for a higher target may sustain ${formatNumber(rate)}/s too`;
  return { ...judged, verdict: 'INCONCLUSIVE', answer };
}
