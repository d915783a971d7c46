import { mean } from 'simple-statistics';
import { percentile } from '../../stats/intervals.js';
import { seededRandom, type Random } from '../../stats/random.js';
import { Clock } from './clock.js';
import { Servers, type Job, type Permit, type Tier } from './servers.js';

/** One of the operations that an execution does one after another. `tier` is an index in the list of tiers. */
export type Operation =
  /** Work on a station of the replica that has the execution; of a random one, if none has it yet. */
  | { do: 'work'; tier: number; station: number }
  /** Acquires a permit, waiting if none is free, or releases it. */
  | { do: 'take' | 'give'; what: Permit; tier: number }
  /** Waits without using CPU. */
  | { do: 'wait'; seconds: number }
  /** Answers the caller. */
  | { do: 'answer' };

/** A deployment, and the operations of an execution in it. */
export interface System {
  tiers: Tier[];
  path: Operation[];
  /** Cores that all tiers share, minus those in use by other processes; undefined if each tier has its own. */
  sharedCores?: number;
  /** Coefficient of variation of the work of an execution; 0: all are equal. */
  variation: number;
}

/** How long to simulate. */
export interface Horizon {
  /** Executions that are measured. */
  executions: number;
  /** Seconds before them that are not measured. */
  warmup: number;
  seed: number;
}

/** The results of a simulation. */
export interface Simulated {
  /** Percentiles and mean of the time from arrival to answer, in seconds. */
  p50: number;
  p95: number;
  p99: number;
  mean: number;
  /** Means of the executions in flight, and of those that hold a slot, at arrivals. */
  inFlight: number;
  slots: number;
  /** Most connections of one replica in use. */
  connections: number;
  /** Share of the simulated time in which the stations of each tier were busy. */
  busy: number[];
}

/**
 * Simulates random arrivals (Poisson) at a rate, event by event (Law and Kelton, Simulation Modeling and Analysis, 2000,
 * chapter 1). The same seed gives the same arrivals and works at every rate, so that rates can be compared.
 * @param rate executions per second; the system must be able to serve it, or the result depends on the horizon
 */
export function simulate(system: System, rate: number, { executions, warmup, seed }: Horizon): Simulated {
  const [arrivals, sizes, choices] = [0, 1, 2].map((i) => seededRandom(3 * seed + i)) as [Random, Random, Random];
  const size = lognormal(system.variation, sizes);
  const servers = new Servers(system.tiers, choices, system.sharedCores);
  const clock = new Clock<Job>();
  const latencies: number[] = [];
  const seen = { inFlight: [] as number[], slots: [] as number[] };
  let [now, inFlight, measured] = [0, 0, 0];
  let nextArrival = drawExponential(arrivals) / rate;
  const done = (job: Job) => {
    inFlight -= 1;
    if (job.counted) measured += 1;
  };

  /** Takes an execution through its operations until it has to wait for something. */
  const advance = (job: Job): void => {
    for (;;) {
      const operation = system.path[job.next++];
      if (!operation) return done(job);
      if (operation.do === 'answer') {
        if (job.counted) latencies.push(now - job.at);
      } else if (operation.do === 'wait') return clock.add(now + operation.seconds, job);
      else if (operation.do === 'work') return servers.startWork(job, operation.tier, operation.station);
      else if (operation.do === 'give') {
        const waiting = servers.release(job, operation.tier, operation.what);
        if (waiting) clock.add(now, waiting);
      } else if (!servers.acquire(job, operation.tier, operation.what)) return;
    }
  };

  while (measured < executions) {
    const ends = servers.secondsToNextEnd();
    const at = Math.min(nextArrival, now + ends, clock.next);
    servers.advanceTime(at - now);
    now = at;
    if (now === nextArrival) {
      const counted = now >= warmup && seen.inFlight.length < executions;
      if (counted) {
        seen.inFlight.push(inFlight);
        seen.slots.push(servers.slotsInUse);
      }
      inFlight += 1;
      nextArrival = now + drawExponential(arrivals) / rate;
      advance({ at: now, next: 0, size: size(), counted, replicas: [] });
    } else if (now === clock.next) advance(clock.takeNext());
    else for (const job of servers.finishWork()) advance(job);
  }
  const sorted = latencies.sort((a, b) => a - b);
  return {
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    mean: mean(sorted),
    inFlight: mean(seen.inFlight),
    slots: mean(seen.slots),
    connections: servers.mostConnections,
    busy: servers.busyShares(now),
  };
}

const drawExponential = (random: Random): number => -Math.log(1 - random.uniform());

/** Random factors of mean 1 with this coefficient of variation, as service times of requests often are. */
function lognormal(variation: number, random: Random): () => number {
  const sigma = Math.sqrt(Math.log(1 + variation ** 2));
  return () => (sigma === 0 ? 1 : Math.exp(sigma * random.normal() - sigma ** 2 / 2));
}
