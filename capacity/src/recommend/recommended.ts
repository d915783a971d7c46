import type { Verdict } from '../model/verdict.js';
import { confidence } from '../judge/confidence.js';
import type { RecordedRun } from '../record/recorder.js';

/** What records recommend. */
export interface Recommended {
  /**
   * PASS: the values held in a soak at the rate that is asked. FAIL: nothing that was measured meets the SLO at it. INCONCLUSIVE:
   * nothing does for certain; `values`, where there are some, did so without the proof of a soak.
   */
  verdict: Verdict;
  /** One sentence. */
  answer: string;
  /** A values file, with a comment at each number that says which record it comes from. */
  values?: string;
  /** Commands for a shell that would prove what is not proved; lines of comment may follow a command. */
  test: string[];
}

/** The comment above recommended values: what they promise, and where the records are that their comments name. */
export function headingOf({ verdict, answer, test }: Recommended, run: RecordedRun, cost?: string): string {
  const { word, text } = confidence(run.run, run.steps);
  return [
    verdict === 'PASS' ? `Recommended by n8n-capacity: ${answer}.` : `NOT RECOMMENDED YET by n8n-capacity: ${answer}.`,
    ...(test.length > 0 ? ['To prove it, run this, and n8n-capacity recommend on what it records:'] : []),
    ...test.flatMap((command) => command.split('\n').map((line) => `  ${line}`)),
    ...(cost === undefined ? [] : [`${cost}.`]),
    `This is ${word}: ${text}.`,
    `Each number says where it comes from; the files that are named are in ${run.folder}.`,
  ]
    .map((line) => ` ${line}`)
    .join('\n');
}
