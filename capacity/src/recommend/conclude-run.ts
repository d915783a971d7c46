import { knownExposure, measuredVersion } from '../chart/exposure-text.js';
import { sentence } from '../core/formats.js';
import { confidence } from '../judge/confidence.js';
import { judgeRun } from '../judge/run.js';
import type { Recommendation, RunConclusion, RunVerdict } from '../model/verdict.js';
import type { RecordedRun } from '../record/recorder.js';
import { answerLoads } from './answer.js';
import { firstChange } from './first-change.js';
import { confirmationOf, HELD, heldFor, heldValues, isBasis, type HeldValues } from './held.js';
import { settingsFragment } from './values.js';
import { changeText } from './variables.js';

/** What follows from a record, before anything of it is written. */
export interface Concluded extends Omit<RunConclusion, 'folder' | 'report' | 'values'> {
  /** The text of the values that held; undefined if no values are given. */
  values?: string;
}

/**
 * Judges a recorded run, and says what its values are or which to change.
 * @param given the user's values, as helm merges them
 */
export function concludeRun(run: RecordedRun, given: Record<string, unknown>): Concluded {
  const verdict = judgeRun(run);
  const exposure = knownExposure(run.run);
  const held = heldValues(run, verdict, given);
  const recommendation = recommendationFor(run, verdict, held);
  return {
    n8n: measuredVersion(run.run),
    ...(exposure && { exposure }),
    ...{ verdict, answers: answerLoads(run, verdict), confidence: confidence(run.run, run.steps) },
    ...(recommendation && { recommendation }),
    ...(held?.text !== undefined && { values: held.text }),
  };
}

function recommendationFor(
  run: RecordedRun,
  verdict: RunVerdict,
  held: HeldValues | undefined,
): Recommendation | undefined {
  if (held?.refused !== undefined) return { title: 'No values are given', text: sentence(held.refused) };
  if (held) {
    const { confirm } = confirmationOf(run);
    const next = confirm === undefined ? 'validate them with a --target, and confirm that run' : `run "${confirm}"`;
    const text = `These values held for ${heldFor(verdict)}, with heap, concurrency and requests filled in; ${HELD} beside this report holds them with the values you gave. They are not confirmed: ${next}.`;
    return { title: 'Values that held', text, values: settingsFragment(held.settings) };
  }
  if (!isBasis(run, verdict)) return undefined;
  const change = firstChange(run.run.deployment, verdict, run.samples);
  return (
    change && {
      title: change.value ? `First value to change: ${change.value}` : 'What to look at first',
      text: changeText(change),
    }
  );
}
