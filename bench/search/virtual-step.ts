import type { StepRecord } from '../../capacity/src/model/step.js';
import type { Random } from '../../capacity/src/stats/random.js';
import type { RequestSample } from '../../capacity/src/load/samples.js';
import { summarise } from '../../capacity/src/load/requests.js';
import type { Plan } from '../../capacity/src/model/plan.js';
import { backlog } from '../../capacity/src/run/executions.js';
import type { Outcome, Target } from './targets.js';

/** Any moment: the record holds milliseconds since the epoch. */
const EPOCH = Date.UTC(2026, 0, 1);
const WORKLOAD = 'webhook-ack';

interface Request {
  at: number;
  outcome: Outcome;
}

/** One step as steps/step.ts records it, of a target that exists in virtual time alone. */
export function virtualStep(target: Target, rate: number, plan: Plan, index: number, random: Random): StepRecord {
  const { warmupSeconds, stepSeconds, drainSeconds } = plan;
  const measuredFrom = EPOCH + warmupSeconds * 1000;
  const measuredTo = measuredFrom + stepSeconds * 1000;
  const { requests, droppedAt, vusMost } = drive(target, rate, plan, random);
  const samples = requests.map(sample);
  const measured = samples.filter((s) => s.sentAt >= measuredFrom);
  const correct = requests.filter((r) => r.outcome.failure === undefined);
  const acceptedAt = Float64Array.from(
    samples.filter((s) => s.correct),
    (s) => s.sentAt,
  ).sort();
  const completions = correct.map((r) => EPOCH + r.outcome.completedAt * 1000).sort((a, b) => a - b);
  const drained = samples.reduce((last, s) => Math.max(last, s.endedAt), measuredTo) + drainSeconds * 1000;
  const completed = completions.filter((at) => at <= drained).length;
  return {
    index,
    load: plan.loads[0]!.name,
    rate,
    measuredFrom,
    measuredTo,
    endedAt: drained,
    k6: { exitCode: 0, cpuShare: 0.1, samples: '' },
    summary: summarise(
      { warmup: [], measured, dropped: droppedAt.filter((at) => at >= warmupSeconds).length, vusMost },
      { [WORKLOAD]: 0 },
      measuredFrom,
    ),
    executions: { accepted: correct.length, completed, failed: 0, drainSeconds },
    backlog: backlog(looks(completions, measuredFrom, stepSeconds), acceptedAt, NOTHING, measuredFrom, measuredTo),
    events: [],
  };
}

const NOTHING = { succeeded: 0, failed: 0 };

/**
 * Evenly spaced arrivals, warm-up and measured part, as k6's constant-arrival-rate sends them with the virtual users that
 * loadtests/lib/scenarios.js asks for: an arrival that finds none idle is dropped, and one more is made. Answers come in
 * about the order of requests, so that the oldest request in flight is the first to end.
 */
function drive(target: Target, rate: number, { warmupSeconds, stepSeconds, timeoutSeconds }: Plan, random: Random) {
  const server = target.start(rate, random);
  const requests: Request[] = [];
  const droppedAt: number[] = [];
  const most = Math.ceil(rate * timeoutSeconds) + 10;
  let vus = Math.min(most, Math.ceil(rate * 2) + 5);
  let [oldest, vusMost] = [0, 0];
  for (const at of arrivals(rate, warmupSeconds, stepSeconds)) {
    while (oldest < requests.length && requests[oldest]!.outcome.answeredAt <= at) oldest++;
    const inFlight = requests.length - oldest;
    if (inFlight < vus) requests.push({ at, outcome: server.request(at) });
    else {
      droppedAt.push(at);
      vus = Math.min(most, vus + 1);
    }
    vusMost = Math.max(vusMost, requests.length - oldest);
  }
  return { requests, droppedAt, vusMost };
}

/** Seconds since the step began; the warm-up and the measured part each begin with an arrival. */
function arrivals(rate: number, warmupSeconds: number, stepSeconds: number): number[] {
  const spaced = (from: number, seconds: number) =>
    Array.from({ length: Math.ceil(rate * seconds - 1e-9) }, (_, i) => from + i / rate);
  return [...spaced(0, warmupSeconds), ...spaced(warmupSeconds, stepSeconds)];
}

function sample({ at, outcome }: Request): RequestSample {
  const { answeredAt, failure } = outcome;
  return {
    workload: WORKLOAD,
    sentAt: EPOCH + at * 1000,
    endedAt: EPOCH + answeredAt * 1000,
    correct: failure === undefined,
    ...(failure !== undefined && { failure }),
  };
}

/** What the sampler would have seen, once a second in the measured part. */
function looks(completions: number[], from: number, seconds: number) {
  let ended = 0;
  return Array.from({ length: seconds }, (_, second) => {
    const at = from + second * 1000 + 500;
    while (ended < completions.length && completions[ended]! <= at) ended++;
    return { at, instances: [], executions: { succeeded: ended, failed: 0 } };
  });
}
