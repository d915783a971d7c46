import type { StepRecord } from '../../capacity/src/model/step.js';
import type { Random } from '../../capacity/src/stats/random.js';
import type { RequestSample } from '../../capacity/src/load/samples.js';
import { summarise } from '../../capacity/src/load/requests.js';
import type { Plan } from '../../capacity/src/model/plan.js';
import { backlog } from '../../capacity/src/run/executions.js';
import type { Outcome, Server } from './families.js';

/** Any moment: the record holds milliseconds since the epoch. */
const EPOCH = Date.UTC(2026, 0, 1);
const WORKLOAD = 'webhook-ack';
const INSTANCE = { instance: 'n8n-tuned-main-0', component: 'main' } as const;
/** Of the instance. */
export const MEMORY_BYTES = 2 ** 31;
/** Between two steps the tool reads counts and starts k6. */
const PAUSE_SECONDS = 1;

interface Request {
  at: number;
  outcome: Outcome;
}

/** A deployment in virtual time, which goes on from step to step. */
export class VirtualRun {
  private clock = 0;

  constructor(
    private readonly server: Server,
    private readonly random: Random,
  ) {}

  /** One step as run/step.ts records it. */
  step(rate: number, plan: Plan, index: number): StepRecord {
    const { warmupSeconds, stepSeconds, drainSeconds } = plan;
    const [from, to] = [this.clock + warmupSeconds, this.clock + warmupSeconds + stepSeconds];
    const { requests, droppedAt, vusMost } = drive(this.server, this.clock, rate, plan, this.random);
    const [measuredFrom, measuredTo] = [millis(from), millis(to)];
    const samples = requests.map(sample);
    const answeredLast = requests.reduce((last, { outcome }) => Math.max(last, outcome.answeredAt), to);
    const correct = requests.filter((r) => r.outcome.failure === undefined);
    const acceptedAt = Float64Array.from(correct, (r) => millis(r.at));
    const completions = correct.map((r) => r.outcome.completedAt).sort((a, b) => a - b);
    const drained = answeredLast + drainSeconds;
    const completed = completions.filter((at) => at <= drained);
    const ended = completed.length === correct.length ? Math.max(answeredLast, completed.at(-1) ?? 0) : drained;
    this.clock = ended + PAUSE_SECONDS;
    return {
      index,
      load: plan.loads[0]!.name,
      rate,
      measuredFrom,
      measuredTo,
      endedAt: millis(ended),
      k6: { exitCode: 0, cpuShare: 0.1, samples: '' },
      summary: summarise(
        {
          warmup: [],
          measured: samples.filter((s) => s.sentAt >= measuredFrom),
          dropped: droppedAt.filter((at) => at >= from).length,
          vusMost,
        },
        { [WORKLOAD]: 0 },
        measuredFrom,
        plan.slo,
      ),
      executions: {
        sent: requests.length,
        accepted: correct.length,
        completed: completed.length,
        failed: 0,
        drainSeconds: ended - answeredLast,
      },
      backlog: backlog(looks(completions, from, stepSeconds), acceptedAt, NOTHING, {
        from: measuredFrom,
        to: measuredTo,
        executionSeconds: 0,
      }),
      ...(this.server.memory && {
        memory: [{ ...INSTANCE, usedBytes: this.server.memory(to) * MEMORY_BYTES, limitBytes: MEMORY_BYTES }],
      }),
      events: (this.server.restarts?.(from - warmupSeconds, ended) ?? []).map((at) => ({
        ...INSTANCE,
        at: millis(at),
        kind: 'died' as const,
        reason: 'Crash' as const,
        detail: 'simulated',
      })),
    };
  }
}

const millis = (seconds: number) => EPOCH + seconds * 1000;
const NOTHING = { succeeded: 0, failed: 0 };

/**
 * Random arrivals, warm-up and measured part, with the virtual users that loadtests/lib/scenarios.js asks for: an arrival
 * that finds none idle is dropped, and one more is made. Answers come in about the order of requests, so that the oldest
 * request in flight is the first to end.
 */
function drive(server: Server, begin: number, rate: number, plan: Plan, random: Random) {
  const { warmupSeconds, stepSeconds, timeoutSeconds } = plan;
  const requests: Request[] = [];
  const droppedAt: number[] = [];
  const most = Math.ceil(rate * timeoutSeconds) + 10;
  let vus = Math.min(most, Math.ceil(rate * 2) + 5);
  let [oldest, vusMost] = [0, 0];
  const times = [
    ...arrivals(rate, begin, warmupSeconds, random),
    ...arrivals(rate, begin + warmupSeconds, stepSeconds, random),
  ];
  for (const at of times) {
    while (oldest < requests.length && requests[oldest]!.outcome.answeredAt <= at) oldest++;
    const inFlight = requests.length - oldest;
    if (inFlight < vus) requests.push({ at, outcome: timedOut(at, server.request(at), timeoutSeconds) });
    else {
      droppedAt.push(at);
      vus = Math.min(most, vus + 1);
    }
    vusMost = Math.max(vusMost, requests.length - oldest);
  }
  return { requests, droppedAt, vusMost };
}

/** A request that is not answered in time has failed. */
const timedOut = (at: number, outcome: Outcome, timeoutSeconds: number): Outcome =>
  outcome.answeredAt - at <= timeoutSeconds
    ? outcome
    : { ...outcome, answeredAt: at + timeoutSeconds, failure: 'no answer (time-out)' };

/** As loadtests/lib/arrivals.js: so many sorted uniform draws, which is a Poisson process given its number. */
function arrivals(rate: number, from: number, seconds: number, random: Random): Float64Array {
  const count = Math.round(rate * seconds);
  return Float64Array.from({ length: count }, () => from + seconds * random.uniform()).sort();
}

function sample({ at, outcome }: Request): RequestSample {
  const { answeredAt, failure } = outcome;
  return {
    workload: WORKLOAD,
    sentAt: millis(at),
    endedAt: millis(answeredAt),
    correct: failure === undefined,
    ...(failure !== undefined && { failure }),
  };
}

/** What the sampler would have seen, once a second in the measured part. */
function looks(completions: number[], from: number, seconds: number) {
  let ended = 0;
  return Array.from({ length: seconds }, (_, second) => {
    const at = from + second + 0.5;
    while (ended < completions.length && completions[ended]! <= at) ended++;
    return { at: millis(at), instances: [], executions: { succeeded: ended, failed: 0 } };
  });
}
