import { REFUSED } from '../../../capacity/src/load/samples.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import { buildGoodStep } from '../support/index.js';

export const SLO = { p95: 0.8, errors: 0.01 };
const PHASE = { answered: 0, failed: 0, failures: {}, latency: null };

/**
 * An overload of 30 s at 40/s, then 30 s at 16/s.
 * @param perSecond executions that end in each second
 */
export function overloaded(perSecond: (at: number) => number, changes: Partial<StepRecord> = {}): StepRecord {
  let [arrived, ended] = [0, 0];
  const seconds = Array.from({ length: 60 }, (_, at) => at);
  const backlog = seconds.map((at) => {
    arrived += at < 30 ? 40 : 16;
    ended = Math.min(arrived, ended + perSecond(at));
    return { at, executions: arrived - ended, waiting: arrived - ended, succeeded: ended };
  });
  const good = buildGoodStep({ rate: 20 });
  return {
    ...good,
    rate: undefined,
    phases: [
      {
        ...PHASE,
        name: 'overload',
        rate: 40,
        from: 0,
        to: 30,
        answered: 900,
        failed: 300,
        failures: { [REFUSED]: 240 },
      },
      { ...PHASE, name: 'return', rate: 16, from: 30, to: 60, answered: 480 },
    ],
    measuredTo: good.measuredFrom + 60_000,
    summary: {
      ...good.summary,
      seconds: backlog.map(({ at, waiting }) => ({
        ...{ at, sent: 16, answered: 16, failed: 0 },
        p50: waiting > 20 ? 3 : 0.1,
      })),
    },
    backlog,
    ...changes,
  };
}

/** In each second of the return, so many of the 16 requests fail. */
export const failing = (failed: (at: number) => number, perSecond = 100) => {
  const step = overloaded((at) => (at < 30 ? 20 : perSecond));
  const seconds = step.summary.seconds.map((second) => {
    const fails = second.at < 30 ? 0 : failed(second.at);
    return { ...second, answered: second.answered - fails, failed: fails };
  });
  return { ...step, summary: { ...step.summary, seconds } };
};
