import { sum } from 'simple-statistics';
import { REFUSED } from '../load/samples.js';
import type { StepRecord } from '../model/step.js';
import { clustering } from '../stats/intervals.js';

/** Answers of a proxy or none at all: n8n may have executed the request, well or not. */
const TELLS_NOTHING = /^no answer|^HTTP 5(?!00)\d\d$|^unproved$/;

/**
 * Executions that failed although their request was answered: more failed than requests without a correct answer may have begun.
 * Those that were refused began none. Sub-workflows that nobody waits for fail after it, too.
 */
export function failedLater({ executions, summary }: StepRecord): number {
  if (!executions) return 0;
  const { unproved, failed, unwaited } = executions;
  return Math.max(0, failed - (unproved ?? summary.failed)) + (unwaited?.failed ?? 0);
}

/**
 * More executions that may have failed after their answer: of as many requests without one it is not known whether they were
 * executed well. Where n8n itself answered that a request failed, its execution is one of those that failed.
 */
export function perhapsFailedLater(step: StepRecord): number {
  const { executions, summary } = step;
  if (!executions) return 0;
  const told = sum(Object.entries(summary.failures).map(([kind, n]) => (tells(kind) ? n : 0)));
  const later = failedLater(step) - (executions.unwaited?.failed ?? 0);
  return Math.max(0, executions.failed - later - told);
}

const tells = (kind: string): boolean => kind !== REFUSED && !TELLS_NOTHING.test(kind);

/** How much more than independent executions the failed ones vary in time; 1 for records that do not tell when they failed. */
export const clusteringOfLater = (steps: StepRecord[]): number =>
  clustering(
    steps.flatMap(({ backlog }) =>
      backlog.slice(1).flatMap((look, i) => {
        const before = backlog[i]!;
        if (look.failed === undefined || before.failed === undefined) return [];
        const seen = Math.max(0, look.failed - before.failed);
        return [{ seen, of: seen + Math.max(0, (look.succeeded ?? 0) - (before.succeeded ?? 0)) }];
      }),
    ),
  );
