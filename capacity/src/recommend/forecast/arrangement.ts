import type { Component } from '../../model/events.js';
import type { DeploymentRecord } from '../../model/run.js';

/** A recorded deployment and its machine. */
export interface Deployed {
  deployment: DeploymentRecord;
  machine: { cpus: number };
}

/** The properties of a deployment that decide its capacity. */
export interface Arrangement {
  mode: 'regular' | 'queue';
  components: Map<Component, Pods>;
  /** Whether executions are stored in SQLite, which allows one writer at a time. */
  sqlite?: boolean;
  /** Connections to PostgreSQL that each n8n process may open; undefined without PostgreSQL. */
  poolSize?: number;
  /** Cores that all pods and the load generator share; undefined where pods have their own. */
  sharedCores?: number;
}

/** The pods of a component: equal replicas. */
export interface Pods {
  replicas: number;
  /** Limits of each pod; undefined if there are none, or they were not enforced. */
  cores?: number;
  memoryBytes?: number;
  /** Executions that each runs at once; undefined without a limit. */
  slots?: number;
}

/** The arrangement that a run was recorded with. */
export function recordedArrangement({ deployment, machine }: Deployed): Arrangement {
  const components = new Set(deployment.instances.map((i) => i.component));
  const isLocal = deployment.provisioner === undefined || deployment.provisioner === 'process';
  return {
    mode: deployment.mode === 'queue' ? 'queue' : 'regular',
    components: new Map([...components].map((c) => [c, recordedPods(c, deployment, deployment.limits.enforced)])),
    ...(deployment.database === 'sqlite' && { sqlite: true }),
    ...(deployment.database === 'postgresdb' && deployment.poolSize !== undefined && { poolSize: deployment.poolSize }),
    ...(isLocal && { sharedCores: machine.cpus }),
  };
}

/** The recorded pods as a cluster runs them: with the limits of the chart, and with their own cores. */
export function clusterArrangement(run: Deployed): Arrangement {
  const { sharedCores: _, ...recorded } = recordedArrangement(run);
  const components = [...recorded.components.keys()].map((c): [Component, Pods] => [
    c,
    recordedPods(c, run.deployment, true),
  ]);
  return { ...recorded, components: new Map(components) };
}

/** The arrangement with one pod of each component, of the same size. */
export function withSinglePods(arrangement: Arrangement): Arrangement {
  const components = [...arrangement.components].map(([c, pods]): [Component, Pods] => [c, { ...pods, replicas: 1 }]);
  return { ...arrangement, components: new Map(components) };
}

/** The arrangement with changed pods of a component. */
export function withPods(arrangement: Arrangement, component: Component, change: Partial<Pods>): Arrangement {
  const pods = { ...arrangement.components.get(component)!, ...change };
  return { ...arrangement, components: new Map(arrangement.components).set(component, pods) };
}

/** The recorded pods of a component. Its replicas are equal, so the limits are those of the first. */
function recordedPods(component: Component, { instances, slots, mode }: DeploymentRecord, limited: boolean): Pods {
  const own = instances.filter((i) => i.component === component);
  const { cpuMillis, memoryBytes } = own[0]!.limits;
  const runs = component === (mode === 'queue' ? 'worker' : 'main');
  return {
    replicas: own.length,
    ...(limited && cpuMillis !== undefined && { cores: cpuMillis / 1000 }),
    ...(limited && memoryBytes !== undefined && { memoryBytes }),
    ...(runs && slots !== undefined && { slots: slots / own.length }),
  };
}

/**
 * Requests that the chart lets each pod work on at once in queue mode (`n8n-tuned.slots` and `n8n-tuned.overload` in the chart). A
 * single pod gets the slots of all workers. Each of several pods gets one and a half times its share of them. Both get at least
 * five. Undefined in regular mode, where memory decides.
 */
export function queueModeRequestLimit(arrangement: Arrangement): number | undefined {
  const workers = arrangement.components.get('worker');
  if (arrangement.mode !== 'queue' || workers?.slots === undefined) return undefined;
  const slots = workers.replicas * workers.slots;
  const pods = arrangement.components.get(frontOf(arrangement))!.replicas;
  return Math.max(5, Math.min(slots, Math.ceil((1.5 * slots) / pods)));
}

/** The component that takes webhooks. */
export const frontOf = ({ components }: Pick<Arrangement, 'components'>): Component =>
  components.has('webhook') ? 'webhook' : 'main';

/** The component that runs executions. */
export const runnerOf = ({ mode }: Pick<Arrangement, 'mode'>): Component => (mode === 'queue' ? 'worker' : 'main');
