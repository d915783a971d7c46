import type { Answer } from '../model/verdict.js';

/** What the records of a place say of its values. */
export interface Recommended {
  /**
   * As the command that wrote the record says it. PASS: the values held at the rate, or were confirmed. FAIL: nothing that was
   * measured meets the SLO at the rate. INCONCLUSIVE: neither is known; `values`, if any, held, but something else is open.
   */
  verdict: Answer;
  /** One sentence without a full stop. */
  answer: string;
  /** A values file; a comment at each number names the record it comes from. */
  values?: string;
  /** A shell command that confirms the values; undefined where they are confirmed, or nothing can be. */
  confirm?: string;
}
