import type { ConfirmTry } from '../features/confirm/record.js';
import type { PayloadLimitReason, PayloadTry } from '../model/reports.js';
import type { SweepRow } from '../features/sweep/record.js';
import type { Finding } from '../features/tune/record.js';
import type { Quantity, UpgradeFinding } from '../features/upgrade/record.js';
import { isDisturbed } from '../judge/tried.js';
import type { JudgedStep, Verdict } from '../model/verdict.js';

/** The verdict on a step. */
const STEP_WORDS: Record<Verdict, string> = { PASS: 'sustained', FAIL: 'broken', INCONCLUSIVE: 'inconclusive' };

/** What a step showed, in one word; `unproven` where only more requests could tell. */
export const stepWord = (step: JudgedStep): string =>
  step.judged.verdict === 'INCONCLUSIVE' && !isDisturbed(step) ? 'unproven' : STEP_WORDS[step.judged.verdict];

/** The status of a configuration. */
export const STATUS_WORDS: Record<SweepRow['status'], string> = {
  meets: 'meets',
  misses: 'misses',
  measured: 'measured',
  dominated: 'dominated',
  inconclusive: 'inconclusive',
  'ruled-out': 'ruled out',
  excluded: 'excluded',
  open: 'open',
};

/** The verdict of a status; undefined for a configuration that was not judged. */
export const verdictOfStatus = (status: SweepRow['status']): Verdict | undefined =>
  (({ meets: 'PASS', misses: 'FAIL', inconclusive: 'INCONCLUSIVE' }) as const)[status as 'meets'];

/** What limits the payload. */
export const LIMIT_WORDS: Record<PayloadLimitReason, string> = {
  V8HeapLimit: "V8's heap",
  OOMKilled: 'container memory',
  LivenessProbe: 'liveness probe',
  Crash: 'crash',
  TaskRunner: 'task runner',
  FailedRequests: 'failed requests',
  LoadTarget: "load target's ceiling",
};

/** What a fresh deployment showed of a rate, in words. */
export const OUTCOME_WORDS: Record<ConfirmTry['outcome'], string> = {
  held: 'held',
  broken: 'broken',
  open: 'not decided',
};

/** The verdict on what a fresh deployment showed. */
export const OUTCOME_VERDICTS: Record<ConfirmTry['outcome'], Verdict> = {
  held: 'PASS',
  broken: 'FAIL',
  open: 'INCONCLUSIVE',
};

/** The verdict on one payload. */
export const TRY_VERDICTS: Record<PayloadTry['outcome'], Verdict> = {
  survived: 'PASS',
  broke: 'FAIL',
  inconclusive: 'INCONCLUSIVE',
};

/** What a change of a setting does, in words. */
export const FINDING_WORDS: Record<Finding, string> = {
  more: 'more',
  less: 'less',
  none: 'no effect',
  noGain: 'no gain',
  open: 'not decided',
  fails: 'fails',
};

/** The verdict on a change of a setting. */
export const FINDING_VERDICTS: Record<Finding, Verdict> = {
  more: 'PASS',
  less: 'FAIL',
  none: 'INCONCLUSIVE',
  noGain: 'INCONCLUSIVE',
  open: 'INCONCLUSIVE',
  fails: 'FAIL',
};

/** What is compared between two versions. */
export const QUANTITY_WORDS: Record<Quantity, string> = {
  throughput: 'Throughput',
  p95: 'p95 at the same rate',
  memory: 'Memory',
  start: 'Start of main',
};

/** What two versions differ in, in words. */
export const UPGRADE_WORDS: Record<UpgradeFinding, string> = {
  better: 'better',
  worse: 'worse',
  same: 'a tie',
  open: 'not decided',
};

/** The verdict on a difference between two versions. */
export const UPGRADE_VERDICTS: Record<UpgradeFinding, Verdict> = {
  better: 'PASS',
  worse: 'FAIL',
  same: 'PASS',
  open: 'INCONCLUSIVE',
};
