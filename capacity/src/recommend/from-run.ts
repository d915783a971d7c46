import { join } from 'node:path';
import { UsageError } from '../core/errors.js';
import { formatNumber } from '../core/formats.js';
import { valuesFlags } from '../chart/values-flags.js';
import { judgeRun } from '../judge/run.js';
import { judgeBendingAt } from '../judge/overload.js';
import { standingAt, type Standing } from '../judge/sustained.js';
import type { DriftVerdict } from '../model/reports.js';
import type { RunVerdict } from '../model/verdict.js';
import { readRun, type RecordedRun } from '../record/recorder.js';
import { askedHeadroom, askedPrices, askedRate, withPeak, type AskedOptions } from './asked.js';
import { firstChange } from './first-change.js';
import { changeText } from './variables.js';
import { claimOf, confirmationOf, heldValues, type HeldClaim } from './held.js';
import type { Recommended } from './recommended.js';
import { GIVEN, readGivenValues } from './values.js';

/**
 * What the record of a run says of its values: the same as the command that wrote it, or what it says of another rate. Reads
 * records only.
 * @throws UsageError if the record supports no values, or a flag does not fit it
 */
export async function recommendFromRun(folder: string, given: AskedOptions): Promise<Recommended> {
  const run = await readRun(folder);
  const { plan, deployment } = run.run;
  const asked = withPeak(given, plan.rates);
  if (Object.keys(askedPrices(asked)).length > 0)
    throw new UsageError(
      `${folder}: holds one configuration; prices only choose between the configurations of a sweep: omit them.`,
    );
  if (deployment.provisioner === 'existing')
    throw new UsageError(
      `${folder}: is a run against an existing n8n, whose values are unknown; it supports no values.`,
    );
  if (deployment.adopted)
    throw new UsageError(`${folder}: is a run of another chart; it supports no values of this one.`);
  const rate = askedRate(asked, plan.rates);
  const verdict = judgeRun(run);
  const isOther = [asked.target, asked.perDay, asked.headroom].some((given) => given !== undefined);
  const claim =
    isOther && rate !== undefined
      ? claimAt(run, verdict, { rate, headroom: askedHeadroom(asked, plan.rates) }, asked)
      : claimOf(run, verdict);
  if (claim.verdict === 'FAIL') return { verdict: 'FAIL', answer: `${claim.answer}${formatFirstChange(run, verdict)}` };
  await requireGiven(run);
  const held = heldValues(run, verdict, (await readGivenValues(folder)) ?? {}, claim);
  if (!held) return claim;
  if (held.text === undefined)
    return { verdict: 'INCONCLUSIVE', answer: `${claim.answer}; no values are given: ${held.refused}` };
  return { ...claim, values: held.text };
}

const VERDICTS = { held: 'PASS', broken: 'FAIL', unknown: 'INCONCLUSIVE' } as const;

/** What a run says of a rate that it may not have been asked for. */
function claimAt(
  run: RecordedRun,
  verdict: RunVerdict,
  { rate, headroom }: { rate: number; headroom: number },
  asked: AskedOptions,
): HeldClaim {
  const target = rate / headroom;
  const steady = judgeStandingAt(verdict, rate);
  const standing = worstOf([steady, ...verdict.loads.map((load) => judgeBendingAt(load, target))]);
  const at = `at ${formatNumber(rate)}/s`;
  const broken =
    steady === 'broken'
      ? `the SLO is not met ${at}`
      : `n8n does not survive three times the target of ${formatNumber(target)}/s`;
  const what = { held: `held ${at}`, broken, unknown: `the record does not decide ${at}` }[standing];
  return {
    verdict: VERDICTS[standing],
    answer: `${what}: ${claimOf(run, verdict).answer}`,
    ...confirmationOf(run, asked),
  };
}

/** What the drift of a soak says of every rate, whatever its load held. */
const SOAKED: Record<DriftVerdict, Standing> = {
  stable: 'held',
  drifts: 'broken',
  unproven: 'unknown',
  'too-short': 'unknown',
};

/** Whether a run sustains a rate in all its loads, and its soak, if it is one, shows no drift. */
function judgeStandingAt({ soak, loads }: RunVerdict, rate: number): Standing {
  const standings = [...loads.map((load) => standingAt(load, rate)), ...(soak ? [SOAKED[soak.verdict]] : [])];
  return worstOf(standings);
}

const worstOf = (standings: Standing[]): Standing =>
  (['broken', 'unknown'] as const).find((s) => standings.includes(s)) ?? 'held';

/** The first change as a further sentence of an answer, which has no full stop. */
function formatFirstChange({ run, samples }: RecordedRun, verdict: RunVerdict): string {
  const change = firstChange(run.deployment, verdict, samples);
  return change ? `. ${changeText(change).slice(0, -1)}` : '';
}

/** Throws UsageError if the values that the run was given are missing. */
export async function requireGiven({ folder, run: { plan } }: RecordedRun): Promise<void> {
  const given = await readGivenValues(folder);
  if (given === undefined && valuesFlags(plan.values).length > 0)
    throw new UsageError(
      `${join(folder, GIVEN)}: is missing; values that held are built on the values that the run was given.`,
    );
}
