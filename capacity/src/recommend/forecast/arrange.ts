import type { Component } from '../../model/events.js';
import type { Slo } from '../../model/plan.js';
import { runnerOf, withPods, type Arrangement, type Pods } from './arrangement.js';
import { MOST_MEMORY, predict, type Prediction } from './predict.js';
import type { LoadProfile } from './profile.js';
import type { Share } from './system.js';

/** The smallest arrangement that was found for a rate, or the resource that no number of pods gives more of. */
export type Arranged =
  { arrangement: Arrangement; prediction: Prediction } | { impossible: Share | 'latency' | 'too-many-pods' };

/** No forecast is that good. */
const MOST_REPLICAS = 1000;
const MOST_CHANGES = 200;
/** Shares are brought below this before anything is simulated. */
const AIM = 0.97;
/** Below this share of everything more pods change no latency. */
const IDLE = 0.3;
const CORE_STEP = 0.5;
const MEMORY_STEP = 2 ** 28;

/**
 * The smallest arrangement that holds a rate: what is fullest gets more, until the simulation says that the rate holds. Pods
 * keep their recorded size; n8n's are added, and main, PostgreSQL and Redis, of which there is one, get more CPU and memory.
 */
export function arrange(profile: LoadProfile, start: Arrangement, rate: number, slo: Slo): Arranged {
  let arrangement = start;
  for (let i = 0; i < MOST_CHANGES; i++) {
    const prediction = predict(profile, arrangement, rate, slo);
    if (prediction.holds) return { arrangement, prediction };
    const full = prediction.shares.filter((s) => s.share >= limitOf(s));
    const narrowest = full[0] ?? prediction.shares.find((s) => s.resource !== 'memory' && s.share >= IDLE);
    if (!narrowest) return { impossible: 'latency' };
    const wider = widened(profile, arrangement, narrowest);
    if (!wider) return { impossible: narrowest };
    arrangement = wider;
    if ([...arrangement.components.values()].some((p) => p.replicas > MOST_REPLICAS)) break;
  }
  return { impossible: 'too-many-pods' };
}

const limitOf = ({ resource }: Share): number => (resource === 'memory' ? MOST_MEMORY : AIM);

/** The arrangement with more of a resource; undefined if no value of the chart gives more. */
function widened(profile: LoadProfile, arrangement: Arrangement, share: Share): Arrangement | undefined {
  const { component } = share;
  if (component === undefined) return undefined;
  const pods = arrangement.components.get(component)!;
  const scales = arrangement.mode === 'queue' && (component === 'worker' || component === 'webhook');
  if (share.resource === 'slots') return moreSlots(profile, arrangement, component, pods, share.share);
  if (scales) return withPods(arrangement, component, { replicas: grown(pods.replicas, share) });
  if (share.resource === 'cpu')
    return withPods(arrangement, component, { cores: roundUp((pods.cores! * share.share) / AIM, CORE_STEP) });
  if (share.resource === 'memory')
    return withPods(arrangement, component, {
      memoryBytes: roundUp((pods.memoryBytes! * share.share) / MOST_MEMORY, MEMORY_STEP),
    });
  return undefined;
}

/** At least one more, and as many as bring the share below what is allowed. */
const grown = (replicas: number, share: Share): number =>
  Math.max(replicas + 1, Math.ceil((replicas * share.share) / limitOf(share)));

/** More slots in each pod as long as its memory holds what runs in them, else more pods. */
function moreSlots(profile: LoadProfile, arrangement: Arrangement, component: Component, pods: Pods, share: number) {
  const slots = Math.ceil(Math.max(pods.slots! + 1, (pods.slots! * share) / AIM));
  const memory = profile.costs.components.get(component)?.memory;
  const holds = memory && memory.intercept + memory.slope * slots <= MOST_MEMORY * (pods.memoryBytes ?? 0);
  if (component === runnerOf(arrangement) && (arrangement.mode === 'regular' || holds))
    return withPods(arrangement, component, { slots });
  return withPods(arrangement, component, { replicas: pods.replicas + 1 });
}

/** The next multiple of a step; rounding errors of a multiple are none. */
const roundUp = (value: number, step: number): number => Math.ceil(value / step - 1e-9) * step;
