import type { Component } from '../../model/events.js';
import type { Slo } from '../../model/plan.js';
import { runnerOf, withPods, type Arrangement, type Pods } from './arrangement.js';
import { MOST_MEMORY, predictRate, type Prediction } from './predict.js';
import type { LoadProfile } from './profile.js';
import type { Share } from './system.js';

/** The smallest arrangement that was found for a rate, or the resource that more pods do not enlarge. */
export type Arranged =
  { arrangement: Arrangement; prediction: Prediction } | { impossible: Share | 'latency' | 'too-many-pods' };

/** Replicas of a component above which a forecast is not credible. */
const MOST_REPLICAS = 1000;
const MOST_CHANGES = 200;
/** Share below which every resource is brought before anything is simulated. */
const MOST_SHARE = 0.97;
/** Share below which a resource adds no latency, so that more pods do not help. */
const IDLE_SHARE = 0.3;
const CORE_STEP = 0.5;
const MEMORY_STEP = 2 ** 28;

/**
 * Finds the smallest arrangement that holds a rate: enlarges the fullest resource until the rate holds in the simulation.
 * Workers and webhook processors keep their recorded size, and pods are added. Main, PostgreSQL and Redis have one pod each,
 * which gets more CPU and memory.
 */
export function findSmallestArrangement(profile: LoadProfile, start: Arrangement, rate: number, slo: Slo): Arranged {
  let arrangement = start;
  for (let i = 0; i < MOST_CHANGES; i++) {
    const prediction = predictRate(profile, arrangement, rate, slo);
    if (prediction.holds) return { arrangement, prediction };
    const full = prediction.shares.filter((s) => s.share >= limitOf(s));
    const narrowest = full[0] ?? prediction.shares.find((s) => s.resource !== 'memory' && s.share >= IDLE_SHARE);
    if (!narrowest) return { impossible: 'latency' };
    const wider = enlargeResource(profile, arrangement, narrowest);
    if (!wider) return { impossible: narrowest };
    arrangement = wider;
    if ([...arrangement.components.values()].some((p) => p.replicas > MOST_REPLICAS)) break;
  }
  return { impossible: 'too-many-pods' };
}

const limitOf = ({ resource }: Share): number => (resource === 'memory' ? MOST_MEMORY : MOST_SHARE);

/** The arrangement with more of a resource; undefined if no value of the chart gives more. */
function enlargeResource(profile: LoadProfile, arrangement: Arrangement, share: Share): Arrangement | undefined {
  const { component } = share;
  if (component === undefined) return undefined;
  const pods = arrangement.components.get(component)!;
  const scales = arrangement.mode === 'queue' && (component === 'worker' || component === 'webhook');
  if (share.resource === 'slots') return addSlots(profile, arrangement, component, pods, share.share);
  if (scales) return withPods(arrangement, component, { replicas: moreReplicas(pods.replicas, share) });
  if (share.resource === 'cpu')
    return withPods(arrangement, component, { cores: roundUp((pods.cores! * share.share) / MOST_SHARE, CORE_STEP) });
  if (share.resource === 'memory')
    return withPods(arrangement, component, {
      memoryBytes: roundUp((pods.memoryBytes! * share.share) / MOST_MEMORY, MEMORY_STEP),
    });
  return undefined;
}

/** Replicas that bring the share below its limit, at least one more. */
const moreReplicas = (replicas: number, share: Share): number =>
  Math.max(replicas + 1, Math.ceil((replicas * share.share) / limitOf(share)));

/** Adds slots to each pod, in queue mode only if its memory holds the executions in them. Else adds a pod. */
function addSlots(profile: LoadProfile, arrangement: Arrangement, component: Component, pods: Pods, share: number) {
  const slots = Math.ceil(Math.max(pods.slots! + 1, (pods.slots! * share) / MOST_SHARE));
  const memory = profile.costs.components.get(component)?.memory;
  const holds = memory && memory.intercept + memory.slope * slots <= MOST_MEMORY * (pods.memoryBytes ?? 0);
  if (component === runnerOf(arrangement) && (arrangement.mode === 'regular' || holds))
    return withPods(arrangement, component, { slots });
  return withPods(arrangement, component, { replicas: pods.replicas + 1 });
}

/** The next multiple of a step. A rounding error above a multiple does not count. */
const roundUp = (value: number, step: number): number => Math.ceil(value / step - 1e-9) * step;
