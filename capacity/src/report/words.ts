import type { PayloadLimitReason, PayloadTry } from '../model/reports.js';
import { isDisturbed } from '../judge/tried.js';
import type { JudgedStep, Verdict } from '../model/verdict.js';

/** The verdict on a step. */
const STEP_WORDS: Record<Verdict, string> = { PASS: 'sustained', FAIL: 'broken', INCONCLUSIVE: 'inconclusive' };

/** The result of a step in one word; `unproven` if only more requests could decide it. */
export const stepWord = (step: JudgedStep): string =>
  step.judged.verdict === 'INCONCLUSIVE' && !isDisturbed(step) ? 'unproven' : STEP_WORDS[step.judged.verdict];

/** Names of what limits the payload. */
export const LIMIT_WORDS: Record<PayloadLimitReason, string> = {
  V8HeapLimit: "V8's heap",
  OOMKilled: 'container memory',
  LivenessProbe: 'liveness probe',
  Crash: 'crash',
  TaskRunner: 'task runner',
  FailedRequests: 'failed requests',
  LoadTarget: "load target's ceiling",
};

/** The verdict on one payload. */
export const TRY_VERDICTS: Record<PayloadTry['outcome'], Verdict> = {
  survived: 'PASS',
  broke: 'FAIL',
  inconclusive: 'INCONCLUSIVE',
};
