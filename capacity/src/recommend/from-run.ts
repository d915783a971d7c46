import { join } from 'node:path';
import { UsageError } from '../core/errors.js';
import { format } from '../core/formats.js';
import { judgeRun } from '../judge/run.js';
import { standingAt, type Standing } from '../judge/standing.js';
import type { LoadVerdict, RunVerdict } from '../model/verdict.js';
import { readRun, type RecordedRun } from '../record/recorder.js';
import { askedPrices, askedRate, type AskedOptions } from './asked.js';
import { firstChange } from './first-change.js';
import { headingOf, type Recommended } from './recommended.js';
import { soakCommands } from './soak-command.js';
import { GIVEN, readGivenValues, recommendedSettings, valuesDocument } from './values.js';

/**
 * The values that the record of a run supports. Reads records alone, runs nothing and writes nothing.
 * @param file where the values will be, for the commands that test them
 * @param given where the values are that the run was given, for the same
 * @throws UsageError when values cannot be built on the record, or a flag does not fit it
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
      `${folder}: holds one configuration, and prices choose among those of a sweep; leave them out.`,
    );
  if (deployment.provisioner === 'existing')
    throw new UsageError(
      `${folder}: is of an n8n that was there already; its values are not known, so that none can be built on them.`,
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
    return { verdict: 'INCONCLUSIVE', answer: `nothing can be said${at}: ${conclusions}`, test: tests(given) };
  const isProved = plan.rates.kind === 'soak' && verdict.verdict === 'PASS';
  const recommended: Recommended = isProved
    ? { verdict: 'PASS', answer: `held${at} in a soak: ${conclusions}`, test: [] }
    : { verdict: 'INCONCLUSIVE', answer: `no soak has proved what was measured: ${conclusions}`, test: tests(file) };
  const heading = headingOf(recommended, run);
  return { ...recommended, values: valuesDocument(await givenTo(run), recommendedSettings(run, verdict), heading) };
}

/** Of all loads: the worst decides. Of a soak, whose drift counts too, and without a rate, the verdict itself. */
function standingOf(verdict: RunVerdict, rate: number | undefined): Standing {
  if (verdict.soak?.verdict === 'drifts') return 'broken';
  const standings = verdict.loads.map((l) => (rate === undefined ? OF_VERDICT[l.verdict] : standingAt(l, rate)));
  return (['broken', 'unknown'] as const).find((s) => standings.includes(s)) ?? 'held';
}

const OF_VERDICT = { PASS: 'held', FAIL: 'broken', INCONCLUSIVE: 'unknown' } as const;

const capacityOf = ({ loads }: RunVerdict, name: string): LoadVerdict['capacity'] =>
  loads.find((l) => l.load === name)?.capacity;

function changeOf({ run, samples }: RecordedRun, verdict: RunVerdict): string {
  const change = firstChange(run.deployment, verdict, samples);
  return change ? `. ${change.text.replace(/\.$/, '')}` : '';
}

/** Throws UsageError when the values that the run was given are not beside its record. */
async function givenTo({ folder, run: { plan } }: RecordedRun): Promise<Record<string, unknown>> {
  const given = await readGivenValues(folder);
  if (given === undefined && plan.values.files.length + plan.values.set.length > 0)
    throw new UsageError(
      `${join(folder, GIVEN)}: is missing; without the values that were given, none can be built on them.`,
    );
  return given ?? {};
}
