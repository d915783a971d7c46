import { sum } from 'simple-statistics';
import type { PhaseRecord, StepRecord } from '../../capacity/src/model/step.js';
import type { Random } from '../../capacity/src/stats/random.js';
import type { SlowLimit } from '../../capacity/src/model/generator.js';
import type { RequestSample } from '../../capacity/src/load/samples.js';
import { summariseSamples } from '../../capacity/src/load/requests.js';
import type { Plan } from '../../capacity/src/model/plan.js';
import type { PhasedLoad } from '../../capacity/src/run/context.js';
import { endsAt } from '../../capacity/src/run/ends-early.js';
import { backlog } from '../../capacity/src/run/executions.js';
import type { Outcome, Server } from './family.js';

/** Milliseconds since the Unix epoch at which the virtual clock starts. The date does not matter. */
const EPOCH = Date.UTC(2026, 0, 1);
const WORKLOAD = 'webhook-ack';
const INSTANCE = { instance: 'n8n-tuned-main-0', component: 'main' } as const;
/** Memory limit of the instance, in bytes. */
export const MEMORY_BYTES = 2 ** 31;
/** Seconds between two steps, in which the tool reads counts and starts k6. */
const PAUSE_SECONDS = 1;

/** The requests of one step. */
interface Driven {
  requests: Request[];
  droppedAt: number[];
  vusMost: number;
  /** Time at which k6 aborted the step; undefined if the step ran to its end. */
  endedAt?: number;
}

interface Request {
  at: number;
  outcome: Outcome;
}

/** A run against a simulated deployment in virtual time. The clock continues from step to step. */
export class VirtualRun {
  private clock = 0;

  constructor(
    private readonly server: Server,
    private readonly random: Random,
  ) {}

  /** Simulates one step at a rate, and records it like run/step.ts. */
  step(rate: number, plan: Plan, index: number, profile: Parameters<typeof endsAt>[1]['profile'] = {}): StepRecord {
    const most = Math.ceil(rate * plan.timeoutSeconds) + 10;
    const clients = { least: Math.min(most, Math.ceil(rate * 2) + 5), most };
    const { endsAt: limits } = endsAt(plan, { at: { rate }, stepSeconds: plan.stepSeconds, profile });
    return { ...this.drive([{ rate, seconds: plan.stepSeconds }], plan, clients, index, limits), rate };
  }

  /** Simulates a closed loop: each client sends its next request after the last answer. */
  probe(clients: number, plan: Plan, index: number): StepRecord {
    const { warmupSeconds, stepSeconds } = plan;
    const [begin, from] = [this.clock, this.clock + warmupSeconds];
    const free = Array.from({ length: clients }, () => begin);
    const requests: Request[] = [];
    for (;;) {
      const client = free.indexOf(Math.min(...free));
      const at = free[client]!;
      if (at >= from + stepSeconds) break;
      const outcome = applyTimeout(at, this.server.request(at), plan.timeoutSeconds);
      requests.push({ at, outcome });
      free[client] = outcome.answeredAt;
    }
    const step = this.record({ requests, droppedAt: [], vusMost: clients }, from, plan, index);
    return { ...step, clients };
  }

  /** Simulates an overload with its phases. */
  overload({ phases, bounds }: PhasedLoad, plan: Plan, index: number): StepRecord {
    const most = bounds!.maxVUs;
    const bounded = { ...plan, timeoutSeconds: bounds!.timeoutSeconds };
    const step = this.drive(phases, bounded, { least: most, most }, index);
    const { seconds } = step.summary;
    let from = 0;
    const records = phases.map(({ name, rate, seconds: length }): PhaseRecord => {
      const to = from + length;
      const within = seconds.filter(({ at }) => at >= from && at < to);
      const [answered, failed] = [sum(within.map((s) => s.answered)), sum(within.map((s) => s.failed))];
      // All failures are recorded as time-outs, even wrong answers.
      const failures = { [TIMED_OUT]: failed };
      const record = { name, rate, from, to, answered, failed, failures, latency: null };
      from = to;
      return record;
    });
    return { ...step, phases: records };
  }

  private drive(
    parts: { rate: number; seconds: number }[],
    plan: Plan,
    clients: { least: number; most: number },
    index: number,
    endsAt: SlowLimit[] = [],
  ): StepRecord {
    const seconds = sum(parts.map((part) => part.seconds));
    const warmup = { rate: parts[0]!.rate, seconds: plan.warmupSeconds };
    const times = drawArrivals([warmup, ...parts], this.clock, this.random);
    const from = this.clock + plan.warmupSeconds;
    const decided = createSlowCounter(from, endsAt);
    const driven = drive(this.server, times, plan.timeoutSeconds, clients, decided);
    return this.record(driven, from, { ...plan, stepSeconds: seconds }, index);
  }

  /** @param from start of the measured part, on the clock of the run */
  private record(
    { requests, droppedAt, vusMost, endedAt: cutAt }: Driven,
    from: number,
    { warmupSeconds, stepSeconds, drainSeconds, loads, slo }: Plan,
    index: number,
  ): StepRecord {
    const to = cutAt ?? from + stepSeconds;
    const [measuredFrom, measuredTo] = [toMillis(from), toMillis(to)];
    // k6 does not record interrupted requests.
    const seen = requests.filter(({ outcome }) => outcome.answeredAt <= (cutAt ?? Infinity));
    const samples = seen.map(toRequestSample);
    const answeredLast = requests.reduce((last, { outcome }) => Math.max(last, outcome.answeredAt), to);
    const correct = seen.filter((r) => r.outcome.failure === undefined);
    const acceptedAt = Float64Array.from(correct, (r) => toMillis(r.at));
    // The execution continues after its client has given up.
    const executed = requests.filter(({ outcome: { failure } }) => failure === undefined || failure === TIMED_OUT);
    const completions = executed.map((r) => r.outcome.completedAt).sort((a, b) => a - b);
    const drained = answeredLast + drainSeconds;
    const completed = completions.filter((at) => at <= drained);
    const ended = completed.length >= executed.length ? Math.max(answeredLast, completed.at(-1) ?? 0) : drained;
    this.clock = ended + PAUSE_SECONDS;
    return {
      index,
      load: loads[0]!.name,
      measuredFrom,
      measuredTo,
      endedAt: toMillis(ended),
      k6: { exitCode: 0, cpuShare: 0.1, samples: '' },
      summary: summariseSamples(
        {
          warmup: [],
          measured: samples.filter((s) => s.sentAt >= measuredFrom),
          dropped: droppedAt.filter((at) => at >= from).length,
          vusMost,
        },
        { [WORKLOAD]: 0 },
        measuredFrom,
        slo,
      ),
      executions: {
        sent: seen.length,
        accepted: correct.length,
        completed: completed.length,
        failed: 0,
        drainSeconds: ended - answeredLast,
      },
      backlog: backlog(sampleCompletions(completions, from, Math.floor(to - from)), acceptedAt, NOTHING, {
        from: measuredFrom,
        to: measuredTo,
        executionSeconds: 0,
      }),
      ...(this.server.memory && {
        memory: [{ ...INSTANCE, usedBytes: this.server.memory(to) * MEMORY_BYTES, limitBytes: MEMORY_BYTES }],
      }),
      events: (this.server.restarts?.(from - warmupSeconds, ended) ?? []).map((at) => ({
        ...INSTANCE,
        at: toMillis(at),
        kind: 'died' as const,
        reason: 'Crash' as const,
        detail: 'simulated',
      })),
      ...(cutAt !== undefined && { aborted: true as const }),
    };
  }
}

const toMillis = (seconds: number) => EPOCH + seconds * 1000;
const TIMED_OUT = 'no answer (time-out)';
const NOTHING = { succeeded: 0, failed: 0 };

/**
 * Simulates arrivals with the virtual users of loadtests/lib/scenarios.js: an arrival that finds no idle user is dropped, and one
 * more user is created. Answers come in about the order of the requests, so the oldest request in flight is the first to end.
 */
function drive(
  server: Server,
  times: number[],
  timeoutSeconds: number,
  { least, most }: { least: number; most: number },
  decided: (request: Request | undefined, now: number) => boolean,
): Driven {
  const requests: Request[] = [];
  const droppedAt: number[] = [];
  let vus = least;
  let [oldest, vusMost] = [0, 0];
  for (const at of times) {
    if (decided(requests.at(-1), at)) return { requests, droppedAt, vusMost, endedAt: at };
    while (oldest < requests.length && requests[oldest]!.outcome.answeredAt <= at) oldest++;
    const inFlight = requests.length - oldest;
    if (inFlight < vus) requests.push({ at, outcome: applyTimeout(at, server.request(at), timeoutSeconds) });
    else {
      droppedAt.push(at);
      vus = Math.min(most, vus + 1);
    }
    vusMost = Math.max(vusMost, requests.length - oldest);
  }
  return { requests, droppedAt, vusMost };
}

/** Returns a function that is true once enough requests were answered too late. Pass each request once, in order of time. */
function createSlowCounter(from: number, limits: SlowLimit[]) {
  const slow = limits.map((): number[] => []);
  let last: Request | undefined;
  let looked = 0;
  return (request: Request | undefined, now: number): boolean => {
    if (request && request !== last && request.at >= from && request.outcome.failure === undefined)
      limits.forEach(({ seconds }, i) => {
        if (request.outcome.answeredAt - request.at > seconds) slow[i]!.push(request.outcome.answeredAt);
      });
    last = request;
    // k6 checks every two seconds.
    const seen = Math.floor(now / LOOK_SECONDS) * LOOK_SECONDS;
    if (seen === looked) return false;
    looked = seen;
    return limits.some(({ answers }, i) => slow[i]!.filter((at) => at <= seen).length >= answers);
  };
}
const LOOK_SECONDS = 2;

/** Turns an answer after the time-out into a failure. */
const applyTimeout = (at: number, outcome: Outcome, timeoutSeconds: number): Outcome =>
  outcome.answeredAt - at <= timeoutSeconds
    ? outcome
    : { ...outcome, answeredAt: at + timeoutSeconds, failure: TIMED_OUT };

/**
 * Draws arrival times like loadtests/lib/arrivals.js: in each part, rate × seconds sorted uniform draws. Given their number, that is a
 * Poisson process.
 */
function drawArrivals(parts: { rate: number; seconds: number }[], begin: number, random: Random): number[] {
  let from = begin;
  return parts.flatMap(({ rate, seconds }) => {
    const times = Array.from({ length: Math.round(rate * seconds) }, () => from + seconds * random.uniform());
    from += seconds;
    return times.sort((a, b) => a - b);
  });
}

function toRequestSample({ at, outcome }: Request): RequestSample {
  const { answeredAt, failure } = outcome;
  return {
    workload: WORKLOAD,
    sentAt: toMillis(at),
    endedAt: toMillis(answeredAt),
    correct: failure === undefined,
    ...(failure !== undefined && { failure }),
  };
}

/** The samples that the sampler would have taken, once a second in the measured part. */
function sampleCompletions(completions: number[], from: number, seconds: number) {
  let ended = 0;
  return Array.from({ length: seconds }, (_, second) => {
    const at = from + second + 0.5;
    while (ended < completions.length && completions[ended]! <= at) ended++;
    return { at: toMillis(at), instances: [], executions: { succeeded: ended, failed: 0 } };
  });
}
