import { UsageError } from '../../core/errors.js';
import { componentOf, type KubernetesObject } from '../../chart/objects.js';
import { renderedPods, type Pod } from '../../chart/pods.js';
import { pm2Environment, optionalFromShell, type VariableValue } from './environment.js';
import { memoryLimits, type Memory } from './memory.js';

/** One entry of PM2's `apps`. */
export interface App {
  name: string;
  component: 'main' | 'worker' | 'webhook';
  mode: 'fork' | 'cluster';
  instances: number;
  args: string[];
  /** Arguments of Node: PM2 passes NODE_OPTIONS to a cluster's processes after Node has started. */
  nodeArgs: string[];
  memory: Memory;
  /** Seconds after which PM2 sends SIGKILL. */
  killSeconds: number;
  /** Seconds that `pm2 reload` waits for a new process before it ends the old one. */
  listenSeconds: number;
  environment: Record<string, VariableValue>;
}

/** Ports as offsets from `N8N_PM2_PORT`: all processes share the machine's ports. */
export const PORT_OFFSETS = { main: 0, broker: 1, webhook: 3, worker: (index: number) => 10 + 2 * index };

const portAtOffset = (offset: number): VariableValue => ({
  code: offset === 0 ? 'String(port)' : `String(port + ${offset})`,
});

/**
 * The chart's pods as PM2 apps: main once, one app for each worker, all webhook processors as one cluster on one port.
 * A worker has two ports (health, task broker), and PM2 can increment only one variable per instance.
 * @throws UsageError that names what n8n needs and PM2 cannot run
 */
export function buildApps(objects: KubernetesObject[]): App[] {
  refuseOtherContainers(objects);
  const pods = renderedPods(objects);
  const of = (component: App['component']) => pods.filter((pod) => pod.component === component);
  const webhooks = of('webhook');
  refuseZeroReplicas(objects, pods);
  return [
    ...of('main').map((pod) => buildApp(pod, 'n8n-main', objects)),
    ...of('worker').map((pod, index) => buildApp(pod, `n8n-worker-${index}`, objects, index)),
    ...webhooks.slice(0, 1).map((pod) => ({ ...buildApp(pod, 'n8n-webhook', objects), instances: webhooks.length })),
  ];
}

/** Refuses zero replicas, at which KEDA may start: PM2 would stay there. */
function refuseZeroReplicas(objects: KubernetesObject[], pods: Pod[]): void {
  for (const object of objects) {
    const component = componentOf(object);
    if (object.kind === 'Deployment' && !pods.some((pod) => pod.component === component))
      throw new UsageError(
        `${component}.autoscaling.minReplicas: is 0, and PM2 does not scale up; set it to 1 or more, or set ${component}.autoscaling.type=none and ${component}.replicas.`,
      );
  }
}

function refuseOtherContainers(objects: KubernetesObject[]): void {
  for (const { metadata, spec } of objects.filter((o) => o.kind === 'Deployment')) {
    const { initContainers = [], containers = [] } = spec?.template?.spec ?? {};
    for (const { name } of [...initContainers, ...containers.slice(1)])
      throw new UsageError(
        `${metadata.name}: PM2 runs only n8n, not the container ${name}; disable the value that adds it (taskRunners.mode=external, loadTargets, communityPackages, extraContainers, extraInitContainers).`,
      );
  }
}

function buildApp(pod: Pod, name: string, objects: KubernetesObject[], index = 0): App {
  const component = pod.component as App['component'];
  const rendered = pm2Environment(pod, objects);
  const cluster = component === 'webhook';
  const { NODE_OPTIONS: nodeOptions = '', ...withoutOptions } = rendered;
  const grace = Number(rendered.N8N_GRACEFUL_SHUTDOWN_TIMEOUT ?? 30);
  return {
    name,
    component,
    mode: cluster ? 'cluster' : 'fork',
    instances: 1,
    args: pod.container.args ?? [],
    nodeArgs: cluster ? (typeof nodeOptions === 'string' ? nodeOptions : '').split(' ').filter(Boolean) : [],
    memory: memoryLimits(pod),
    // The launcher drains connections before n8n's own shutdown begins.
    killSeconds: pod.graceSeconds + (cluster ? grace : 0),
    listenSeconds: startSeconds(pod),
    environment: { ...(cluster ? withoutOptions : rendered), ...machineVariables(component, index, rendered) },
  };
}

/** Seconds that the chart's startup probe gives n8n to start. */
function startSeconds({ container: { startupProbe } }: Pod): number {
  const { failureThreshold = 3, periodSeconds = 10 } = startupProbe ?? {};
  return startupProbe ? failureThreshold * periodSeconds : 300;
}

/** Variables for ports, addresses and folders. Processes on one machine share these, unlike pods. */
function machineVariables(
  component: App['component'],
  index: number,
  rendered: Record<string, VariableValue>,
): Record<string, VariableValue> {
  const folder = (name: string): VariableValue => ({ code: `join(home, '.n8n-pm2', '${name}')` });
  const nodes: VariableValue = { code: `join(home, '.n8n', 'nodes')` };
  const broker = (offset: number): Record<string, VariableValue> =>
    rendered.N8N_RUNNERS_BROKER_PORT === undefined ? {} : { N8N_RUNNERS_BROKER_PORT: portAtOffset(offset) };
  const address = optionalFromShell('N8N_LISTEN_ADDRESS', '127.0.0.1');
  if (component === 'main')
    return {
      N8N_USER_FOLDER: { code: 'home' },
      N8N_LISTEN_ADDRESS: address,
      N8N_PORT: portAtOffset(PORT_OFFSETS.main),
      ...broker(PORT_OFFSETS.broker),
    };
  if (component === 'webhook')
    return {
      N8N_USER_FOLDER: folder('webhook'),
      N8N_PM2_NODES: nodes,
      N8N_LISTEN_ADDRESS: address,
      N8N_PORT: portAtOffset(PORT_OFFSETS.webhook),
    };
  return {
    N8N_USER_FOLDER: folder(`worker-${index}`),
    N8N_PM2_NODES: nodes,
    N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
    QUEUE_HEALTH_CHECK_PORT: portAtOffset(PORT_OFFSETS.worker(index)),
    ...broker(PORT_OFFSETS.worker(index) + 1),
  };
}
