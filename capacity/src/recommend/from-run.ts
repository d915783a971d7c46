import type { Plan } from '../model/plan.js';
import { join } from 'node:path';
import { UsageError } from '../core/errors.js';
import { format, hoursOrDays } from '../core/formats.js';
import { judgeRun } from '../judge/run.js';
import { standingAt, type Standing } from '../judge/sustained.js';
import type { LoadVerdict, RunVerdict } from '../model/verdict.js';
import { readRun, type RecordedRun } from '../record/recorder.js';
import { askedPrices, askedRate, type AskedOptions } from './asked.js';
import { firstChange } from './first-change.js';
import { headingOf, type Recommended } from './recommended.js';
import { soakCommands } from './soak-command.js';
import { GIVEN, readGivenValues, recommendedSettings, valuesDocument } from './values.js';

/**
 * The values that the record of a run supports. Reads records only.
 * @param file path of the values file, for the commands that prove it
 * @param given path of the values that the run was given, for the same
 * @throws UsageError if the record supports no values, or a flag does not fit it
 */
export async function recommendFromRun(
  folder: string,
  asked: AskedOptions,
  file: string,
  given: string,
): Promise<Recommended> {
  const run = await readRun(folder);
  const { plan, deployment } = run.run;
  if (Object.keys(askedPrices(asked)).length > 0)
    throw new UsageError(
      `${folder}: holds one configuration; prices only choose between the configurations of a sweep: omit them.`,
    );
  if (deployment.provisioner === 'existing')
    throw new UsageError(
      `${folder}: is a run against an existing n8n, whose values are unknown; no values can be recommended.`,
    );
  const rate = askedRate(asked, plan.rates);
  const verdict = judgeRun(run);
  const conclusions = verdict.loads.map((l) => `${l.load} ${l.conclusion}`).join('; ');
  const at = rate === undefined ? '' : ` at ${format(rate)}/s`;
  const standing = standingOf(verdict, rate);
  if (standing === 'broken')
    return { verdict: 'FAIL', answer: `the SLO is not met${at}: ${conclusions}${changeOf(run, verdict)}`, test: [] };
  const tests = (of: string) => soakCommands(run, ({ name }) => rate ?? capacityOf(verdict, name), of);
  if (standing === 'unknown')
    return { verdict: 'INCONCLUSIVE', answer: `the record does not decide${at}: ${conclusions}`, test: tests(given) };
  const isProved = plan.rates.kind === 'soak' && verdict.verdict === 'PASS';
  const recommended: Recommended = isProved
    ? { verdict: 'PASS', answer: `held${at} in a soak${horizonOf(plan)}: ${conclusions}`, test: [] }
    : { verdict: 'INCONCLUSIVE', answer: `not proved by a soak yet: ${conclusions}`, test: tests(file) };
  const basis = await givenTo(run);
  const { settings, refused } = recommendedSettings(run, verdict, basis);
  if (!settings)
    return {
      verdict: 'INCONCLUSIVE',
      answer: `${recommended.answer}; no values are recommended: ${refused}`,
      test: [],
    };
  return { ...recommended, values: valuesDocument(basis, settings, headingOf(recommended, run)) };
}

const horizonOf = ({ rates }: Plan): string =>
  rates.kind === 'soak' ? ` that shows no limit reached within ${hoursOrDays(rates.horizonSeconds / 3600)}` : '';

/** Whether a run sustains a rate in all its loads, or without a rate, its verdicts; drift in a soak counts as broken. */
function standingOf(verdict: RunVerdict, rate: number | undefined): Standing {
  if (verdict.soak?.verdict === 'drifts') return 'broken';
  const standings = verdict.loads.map((l) => (rate === undefined ? OF_VERDICT[l.verdict] : standingAt(l, rate)));
  return (['broken', 'unknown'] as const).find((s) => standings.includes(s)) ?? 'held';
}

const OF_VERDICT = { PASS: 'held', CAPACITY: 'held', FAIL: 'broken', INCONCLUSIVE: 'unknown' } as const;

const capacityOf = ({ loads }: RunVerdict, name: string): LoadVerdict['capacity'] =>
  loads.find((l) => l.load === name)?.capacity;

/** The first change as a further sentence of an answer, which has no full stop. */
function changeOf({ run, samples }: RecordedRun, verdict: RunVerdict): string {
  const change = firstChange(run.deployment, verdict, samples);
  return change ? `. ${change.text.slice(0, -1)}` : '';
}

/** Throws UsageError if the values that the run was given are missing. */
async function givenTo({ folder, run: { plan } }: RecordedRun): Promise<Record<string, unknown>> {
  const given = await readGivenValues(folder);
  if (given === undefined && plan.values.files.length + plan.values.set.length > 0)
    throw new UsageError(
      `${join(folder, GIVEN)}: is missing; recommended values are built on the values that the run was given.`,
    );
  return given ?? {};
}
