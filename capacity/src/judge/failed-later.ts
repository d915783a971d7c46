import type { StepRecord } from '../model/step.js';
import { clusteringFactor } from '../stats/intervals.js';

/** How n8n answers a request whose execution failed. Other answers, or none, do not tell how it ended. */
const FAILED_ANSWER = 'HTTP 500';

/**
 * Executions that failed although their request was answered: more failed than requests without a correct answer may have begun.
 * Those that were refused began none. Asynchronous sub-workflows fail after it, too.
 */
export function countLateFailures({ executions, summary }: StepRecord): number {
  if (!executions) return 0;
  const { unproved, failed, asynchronous } = executions;
  return Math.max(0, failed - (unproved ?? summary.failed)) + (asynchronous?.failed ?? 0);
}

/**
 * More executions that may have failed after their answer: of as many requests without one it is not known whether they were
 * executed well. Where n8n itself answered that a request failed, its execution is one of those that failed.
 */
export function countPossibleLateFailures(step: StepRecord): number {
  const { executions, summary } = step;
  if (!executions) return 0;
  const told = summary.failures[FAILED_ANSWER] ?? 0;
  const later = countLateFailures(step) - (executions.asynchronous?.failed ?? 0);
  return Math.max(0, executions.failed - later - told);
}

/** How much more than independent executions the failed ones vary in time; 1 for records that do not tell when they failed. */
export const estimateLateClustering = (steps: StepRecord[]): number =>
  clusteringFactor(
    steps.flatMap(({ backlog }) =>
      backlog.slice(1).flatMap((look, i) => {
        const before = backlog[i]!;
        if (look.failed === undefined || before.failed === undefined) return [];
        const seen = Math.max(0, look.failed - before.failed);
        return [{ seen, of: seen + Math.max(0, (look.succeeded ?? 0) - (before.succeeded ?? 0)) }];
      }),
    ),
  );
