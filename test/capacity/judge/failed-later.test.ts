import { judgeStep } from '../../../capacity/src/judge/step.js';
import { buildGoodStep, type StepChanges } from '../support/index.js';

const SLO = { p95: 0.8, errors: 0.01 };

describe('executions that fail after their answer', () => {
  const executions = { sent: 3198, unproved: 0, accepted: 3198, completed: 3198, failed: 20, drainSeconds: 1 };
  /** Of 3120 requests in two minutes; `failedAt` are those that failed until a second. */
  const later = (failedAt: (at: number) => number, changes: StepChanges = {}) =>
    buildGoodStep({
      rate: 26,
      measuredTo: 1_120_000,
      backlog: Array.from({ length: 120 }, (_, at) => {
        const failed = failedAt(at);
        return { at, executions: 1, succeeded: 26 * at - failed, failed };
      }),
      ...changes,
      executions: { ...executions, ...changes.executions },
      summary: { offered: 3120, answered: 3120, ...changes.summary },
    });

  test('all in one moment prove less than as many that are independent', () => {
    expect(
      judgeStep(
        later((at) => Math.floor(at / 6)),
        SLO,
      ).verdict,
    ).toBe('PASS');
    expect(
      judgeStep(
        later((at) => (at < 60 ? 0 : 20)),
        SLO,
      ).verdict,
    ).toBe('INCONCLUSIVE');
  });

  test('requests without an answer do not explain them; answers that tell of a failure do', () => {
    const failed = { ...executions, failed: 60 };
    const even = (at: number) => at / 2;
    expect(judgeStep(later(even, { executions: failed }), SLO).verdict).toBe('FAIL');
    // The warm-up had 60 gateway time-outs.
    const late = later(even, { executions: { ...failed, unproved: 60, accepted: 3138 } });
    expect(judgeStep(late, SLO).verdict).toBe('INCONCLUSIVE');
    const told = (kind: string) =>
      later((at) => at / 12, {
        executions: { ...executions, failed: 15, unproved: 15, accepted: 3183 },
        summary: { answered: 3105, failed: 15, failures: { [kind]: 15 } },
      });
    expect(judgeStep(told('HTTP 500'), SLO).verdict).toBe('PASS');
    expect(judgeStep(told('HTTP 504'), SLO).verdict).toBe('INCONCLUSIVE');
  });

  test('may all be of a rare workload of a mix', () => {
    const parts = { rare: { answered: 600, failed: 0, slow: {} }, common: { answered: 2520, failed: 0, slow: {} } };
    const mixed = (failed: number) =>
      judgeStep(
        later(() => failed, { executions: { ...executions, failed }, summary: { parts } }),
        SLO,
      ).verdict;
    expect(mixed(0)).toBe('PASS');
    expect(mixed(8)).toBe('INCONCLUSIVE');
  });
});
