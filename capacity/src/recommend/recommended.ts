import type { Verdict } from '../model/verdict.js';
import { confidence } from '../judge/confidence.js';
import type { RecordedRun } from '../record/recorder.js';

/** The recommendation that records support. */
export interface Recommended {
  /**
   * PASS: the values held at the rate in a soak, or in the hold of a sweep. FAIL: no measured configuration meets the SLO at the rate. INCONCLUSIVE:
   * neither is known; `values`, if any, held in a step alone.
   */
  verdict: Verdict;
  /** One sentence. */
  answer: string;
  /** A values file; a comment at each number names the record it comes from. */
  values?: string;
  /** Shell commands whose runs would prove the values; comment lines may follow a command. */
  test: string[];
}

/** The comment at the top of recommended values: the verdict, how to prove it, and where the named records are. */
export function headingOf({ verdict, answer, test }: Recommended, run: RecordedRun, cost?: string): string {
  const { word, text } = confidence(run.run, run.steps);
  return [
    verdict === 'PASS' ? `Recommended by n8n-capacity: ${answer}.` : `NOT RECOMMENDED YET by n8n-capacity: ${answer}.`,
    ...(test.length > 0 ? ['To prove it, run this, then n8n-capacity recommend on its record:'] : []),
    ...test.flatMap((command) => command.split('\n').map((line) => `  ${line}`)),
    ...(cost === undefined ? [] : [`${cost}.`]),
    `The result is ${word}: ${text}.`,
    `The comment at each number names its source; the named files are in ${run.folder}.`,
  ]
    .map((line) => ` ${line}`)
    .join('\n');
}
