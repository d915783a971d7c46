import { PERCENTILES, type Percentile, type Slo } from '../../model/plan.js';
import type { Arrangement } from './arrangement.js';
import type { LoadProfile } from './profile.js';
import { simulate } from './simulate.js';
import { usedCores, memoryShares, usedShares, buildSystem, type Share } from './system.js';

/** The prediction for a rate in an arrangement. */
export interface Prediction {
  /** Executions per second. */
  rate: number;
  holds: boolean;
  /** Percentiles of the overhead in seconds; undefined if a resource cannot serve the rate. */
  latency?: Record<Percentile, number>;
  /** Cores of all pods together. */
  cores: number;
  /** Executions in flight, and connections of one process' pool in use at most; undefined if the latency is. */
  inFlight?: number;
  connections?: number;
  /** The fullest resource first. */
  shares: Share[];
}

/** Share of a resource above which there is no steady state to simulate. */
const MOST_BUSY = 0.98;
/** Share of the memory limit above which a working set is not sustained, as in judge/step.ts. */
export const MOST_MEMORY = 0.9;
/** Executions to simulate. A 95th percentile at 90 % of the capacity then varies by about 5 % between seeds. */
const EXECUTIONS = 6000;
const SEED = 1909;

/** Predicts the effect of a rate: by arithmetic if a resource would be full, else by a simulation. */
export function predictRate(profile: LoadProfile, arrangement: Arrangement, rate: number, slo: Slo): Prediction {
  const busy = usedShares(profile, arrangement, rate);
  const cores = usedCores(profile, arrangement, rate);
  if (busy.some((b) => b.share >= MOST_BUSY)) return { rate, holds: false, cores, shares: sortFullestFirst(busy) };
  const warmup = 3 * profile.waitSeconds + EXECUTIONS / rate / 10;
  const seen = simulate(buildSystem(profile, arrangement, rate), rate, { executions: EXECUTIONS, warmup, seed: SEED });
  const above = (seconds: number) => Math.max(0, seconds + profile.besideOverhead);
  const latency = { p50: above(seen.p50), p95: above(seen.p95), p99: above(seen.p99) };
  const memory = memoryShares(profile, arrangement, seen.inFlight);
  return {
    rate,
    holds:
      PERCENTILES.every((p) => slo[p] === undefined || latency[p] <= slo[p]) &&
      memory.every((m) => m.share <= MOST_MEMORY),
    latency,
    cores,
    inFlight: seen.inFlight,
    ...(arrangement.poolSize !== undefined && { connections: seen.connections }),
    shares: sortFullestFirst([...busy, ...memory]),
  };
}

const sortFullestFirst = (shares: Share[]): Share[] => shares.sort((a, b) => b.share - a.share);

/** Halvings of the range from 0 to the rate at which a resource is full. They find the capacity to within 0.4 % of that rate. */
const HALVINGS = 8;

/** The highest rate that would hold, in executions per second; 0 if none would. */
export function predictCapacity(profile: LoadProfile, arrangement: Arrangement, slo: Slo): number {
  let [low, high] = [0, findFullRate(profile, arrangement)];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (predictRate(profile, arrangement, middle, slo).holds) low = middle;
    else high = middle;
  }
  return low;
}

/** The rate at which the first resource is full. It stays full at every higher rate. */
function findFullRate(profile: LoadProfile, arrangement: Arrangement): number {
  const isFull = (rate: number) => usedShares(profile, arrangement, rate).some((s) => s.share >= MOST_BUSY);
  let [low, high] = [0, 1];
  while (!isFull(high) && high < MOST_RATE) [low, high] = [high, 2 * high];
  for (let i = 0; i < 2 * HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (isFull(middle)) high = middle;
    else low = middle;
  }
  return high;
}
const MOST_RATE = 1e6;
