import type { Slo } from '../../capacity/src/model/plan.js';
import type { Random } from '../../capacity/src/stats/random.js';

/** What becomes of one request. Times in seconds, on the clock of the step. */
export interface Outcome {
  answeredAt: number;
  /** When the execution that it started has ended. */
  completedAt: number;
  failure?: string;
}

/** A target in one step, empty when the step begins. Requests arrive in the order of time. */
export interface Server {
  request(at: number): Outcome;
}

/** A model of a deployment whose capacity is known by formula. */
export interface Target {
  name: string;
  slo: Slo;
  /** The highest arrival rate that meets the SLO for ever, per second. */
  capacity: number;
  /** @param rate arrivals per second of the step */
  start(rate: number, random: Random): Server;
}

/** Latencies as validate's default; errors as a team that promises 99.9 %. */
const SLO: Slo = { p95: 0.8, p99: 2, errors: 0.001 };

/**
 * The six targets of the benchmark.
 * @param scale service rate, or the rate that each takes, per second
 */
export const targets = (scale: number): Target[] => [
  queue(scale),
  late(scale),
  cliff(scale),
  leak(scale),
  flaky(scale),
  tight(scale),
];

/** A single server with exponential service times of mean 1/`serviceRate`. */
export function queue(serviceRate: number, slo = SLO): Target {
  return {
    name: 'queue',
    slo,
    capacity: queueCapacity(serviceRate, slo),
    start: (_, random) => {
      const serve = singleServer(serviceRate, random);
      return { request: (at) => ended(serve(at)) };
    },
  };
}

/** Objective of 4 to 16 mean services: latency is not far from it at any rate, and grows slowly with the rate. */
export const tight = (scale: number): Target => ({
  ...queue(TIGHT_RATE * scale, { p95: 0.1, errors: SLO.errors }),
  name: 'tight',
});

const TIGHT_RATE = 2;

/**
 * Answers at once, works later: one server behind the answers. Its backlog has a limit in distribution exactly when less
 * arrives than it serves (Loynes 1962), so the capacity is the service rate.
 */
export function late(serviceRate: number): Target {
  return {
    name: 'late',
    slo: SLO,
    capacity: serviceRate,
    start: (_, random) => {
      const serve = singleServer(serviceRate, random);
      return { request: (at) => ({ answeredAt: at + quickAnswer(random), completedAt: serve(at) }) };
    },
  };
}

/** Quick up to a rate, above it twice what the SLO allows, at once and for ever: the capacity is that rate. */
export function cliff(edge: number): Target {
  return {
    name: 'cliff',
    slo: SLO,
    capacity: edge,
    start: (rate, random) => ({
      request: (at) => ended(at + quickAnswer(random) + (rate > edge ? 2 * SLO.p95! : 0)),
    }),
  };
}

/** What each thing that has leaked adds to an answer, in seconds. */
const SECONDS_A_LEAK = 0.005;

/**
 * Every request leaves something behind, of which `collected` are cleaned up in a second; each that is left makes every
 * answer slower. What is left grows without end exactly when more arrives than is cleaned up, so the capacity is that.
 */
export function leak(collected: number): Target {
  return {
    name: 'leak',
    slo: SLO,
    capacity: collected,
    start: (_, random) => {
      let [left, last] = [0, 0];
      return {
        request: (at) => {
          left = Math.max(0, left - collected * (at - last)) + 1;
          last = at;
          return ended(at + quickAnswer(random) + SECONDS_A_LEAK * left);
        },
      };
    },
  };
}

/** Errors at random, half of what the SLO allows, in front of the queue: the queue's capacity. */
export const flaky = (serviceRate: number): Target => failing('errors', serviceRate, SLO.errors / 2);

/** Errors at random, twice what the SLO allows, at every rate: it has no capacity, and PASS is wrong. */
export const broken = (serviceRate: number): Target => ({
  ...failing('twice the errors', serviceRate, 2 * SLO.errors),
  capacity: 0,
});

function failing(name: string, serviceRate: number, errors: number): Target {
  const behind = queue(serviceRate);
  return {
    ...behind,
    name,
    start: (rate, random) => {
      const server = behind.start(rate, random);
      return {
        request: (at) => {
          const outcome = server.request(at);
          return random.uniform() < errors ? { ...outcome, failure: 'HTTP 500' } : outcome;
        },
      };
    },
  };
}

/**
 * Capacity of D/M/1 under a latency objective, per second. k6 spaces arrivals evenly. The sojourn time in GI/M/1 is
 * exponential with rate μ(1 − σ), where σ solves σ = A*(μ(1 − σ)) and A* is the Laplace transform of the time between
 * arrivals (Kleinrock, Queueing Systems, vol. 1, 1975, section 6.4); for even spacing A*(s) = exp(−s/λ). "The quantile p
 * is at most t" is μ(1 − σ) ≥ η = −ln(1 − p)/t. At equality σ = 1 − η/μ, and λ = −η ÷ ln(1 − η/μ).
 */
export function queueCapacity(serviceRate: number, { p50, p95, p99 }: Slo): number {
  const least = Math.max(
    ...(
      [
        [0.5, p50],
        [0.95, p95],
        [0.99, p99],
      ] as const
    ).map(([p, t]) => (t === undefined ? 0 : -Math.log(1 - p) / t)),
  );
  return least >= serviceRate ? 0 : -least / Math.log(1 - least / serviceRate);
}

/** First come, first served; gives the time at which each has been served. */
function singleServer(serviceRate: number, random: Random): (at: number) => number {
  let free = 0;
  return (at) => (free = Math.max(free, at) - Math.log(1 - random.uniform()) / serviceRate);
}

/** 20 ms in the median, log-normal. */
const quickAnswer = (random: Random) => 0.02 * Math.exp(0.4 * random.normal());

const ended = (at: number): Outcome => ({ answeredAt: at, completedAt: at });
