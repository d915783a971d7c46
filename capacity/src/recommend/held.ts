import { isReplay } from '../plan/kinds.js';
import { formatNumber } from '../core/formats.js';
import { confidence } from '../judge/confidence.js';
import { isDisturbed } from '../judge/tried.js';
import { isGood, type Answer, type LoadVerdict, type RunVerdict } from '../model/verdict.js';
import type { RecordedRun } from '../record/recorder.js';
import { answerLoads } from './answer.js';
import type { AskedOptions } from './asked.js';
import { confirmCommand } from './confirm-command.js';
import type { Setting } from './setting.js';
import { recommendedSettings, valuesDocument } from './values.js';

/** The file of values that held, in the folder of the record; only `confirm` writes values that are recommended. */
export const HELD = 'values.held.yaml';

/** Values that held, or why the record supports none although its rate held. */
export type HeldValues =
  { settings: Setting[]; text: string; refused?: never } | { settings?: never; text?: never; refused: string };

/** What a record says of its values: in `validate`, in its report and in `recommend` alike. */
export interface HeldClaim {
  verdict: Answer;
  /** One sentence without a full stop. */
  answer: string;
  /** A shell command that confirms the values; undefined if they cannot be confirmed. */
  confirm?: string;
}

/** What in a soak drifts or may drift. */
const driftsOf = ({ soak }: RunVerdict): string[] =>
  (soak?.drifts ?? []).filter((d) => d.verdict !== 'stable').map((d) => d.text);

/** What a run says of its values. */
export const claimOf = (run: RecordedRun, verdict: RunVerdict): HeldClaim => ({
  verdict: verdict.verdict,
  answer: [...answerLoads(run, verdict).map(({ load, headline }) => `${load}: ${headline}`), ...driftsOf(verdict)].join(
    '; ',
  ),
  ...confirmationOf(run),
});

/** The shell command that confirms the values of a run; none for recorded arrivals, as a confirmation needs a steady rate. */
export const confirmationOf = ({ folder, run }: RecordedRun, asked?: AskedOptions): Pick<HeldClaim, 'confirm'> =>
  isReplay(run.plan.rates) ? {} : { confirm: confirmCommand(folder, asked) };

/**
 * The values that held in a run; undefined if its rate did not, or its values are unknown.
 * @param given the user's values, as helm merges them
 * @param claim what the heading says; the run's own verdict unless given
 */
export function heldValues(
  run: RecordedRun,
  verdict: RunVerdict,
  given: Record<string, unknown>,
  claim = claimOf(run, verdict),
): HeldValues | undefined {
  if (!isGood(claim.verdict) || !isBasis(run, verdict)) return undefined;
  const { settings, refused } = recommendedSettings(run, verdict, given);
  if (!settings) return { refused };
  return { settings, text: valuesDocument(given, settings, composeHeading(claim, run, verdict)) };
}

/** Whether values can be built on the run: those of an existing n8n and of another chart are unknown; a burst and a payload limit measure no capacity. */
export const isBasis = ({ run: { deployment } }: RecordedRun, { burst, payloadLimits }: RunVerdict): boolean =>
  deployment.provisioner !== 'existing' && !deployment.adopted && !burst && !payloadLimits;

/**
 * The comment at the top of a values file: what held and for how long, how to confirm it, and where the named records are.
 * @param cost one sentence without a full stop
 */
export function composeHeading(
  { verdict, answer, confirm }: HeldClaim,
  run: RecordedRun,
  judged: RunVerdict,
  cost?: string,
): string {
  const { word, text } = confidence(run.run, run.steps);
  return [
    `Values that held for ${heldFor(judged)}, by n8n-capacity (${verdict}): ${answer}.`,
    ...(confirm === undefined ? [] : ['Not confirmed. To confirm them in fresh deployments and a soak, run:']),
    ...(confirm === undefined ? [] : [`  ${confirm}`]),
    ...(cost === undefined ? [] : [`${cost}.`]),
    `The result is ${word}: ${text}.`,
    `The comment at each number names its source; the named files are in ${run.folder}.`,
  ]
    .map((line) => ` ${line}`)
    .join('\n');
}

/** For how long the rates held, in words; the shortest of several loads. */
export const heldFor = ({ loads }: RunVerdict): string => timeText(Math.min(...loads.map(heldSeconds)));

/** Seconds of measured load at the highest rate that held, over all steps that sustained it. After a collapse in an overload that
 * rate is lower than the steps'. */
function heldSeconds({ capacity, confidence, steps }: LoadVerdict): number {
  const held = confidence?.held.rate ?? capacity;
  const rate = steps.findLast((s) => s.step.rate === held)?.step.rate;
  return steps
    .filter((s) => s.step.rate === rate && s.judged.verdict !== 'FAIL' && !isDisturbed(s))
    .reduce((seconds, { step }) => seconds + (step.measuredTo - step.measuredFrom) / 1000, 0);
}

/** `90 s`, `15 min` or `2.5 h`. */
const timeText = (seconds: number): string =>
  seconds < 120
    ? `${Math.round(seconds)} s`
    : seconds < 7200
      ? `${formatNumber(seconds / 60)} min`
      : `${formatNumber(seconds / 3600)} h`;
