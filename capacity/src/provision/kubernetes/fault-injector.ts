import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, NotReady } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { componentOf } from '../../chart/objects.js';
import type { Evidence, FaultInjector } from '../../model/deployment.js';
import { N8N_COMPONENTS, type Component } from '../../model/events.js';
import { MARKER_KEY } from '../../observe/redis-marker.js';
import { isReady, type PodObject, type WorkloadObject } from './api-objects.js';
import { ASK_MS } from './api-proxy.js';
import type { Cluster } from './cluster.js';
import type { ReleaseView } from './release.js';

/** The kubelet notices within a second or two that a container ended, and starts it again at once the first time. */
const RESTART_SECONDS = 60;
/** Longest rolling restart of one workload: its grace period, and the start of its pods. */
const ROLLOUT_SECONDS = 600;
/** A signal to every process but the first: that of n8n's image is tini, which ends with n8n. */
const TO_ALL = (signal: string) => `kill -${signal} -1`;
/** The first process of a database's container is the server. */
const TO_FIRST = (signal: string) => `kill -${signal} 1`;
/** The states of all processes but the first and this shell. */
const STATES = `for p in /proc/[0-9]*; do p=\${p#/proc/}; [ $p = 1 ] || [ $p = $$ ] || cut -d ' ' -f 3 /proc/$p/stat; done 2>/dev/null`;
const STOP_SIGNAL = { redis: 'TERM', postgresql: 'INT' } as const;

/** The release that is harmed. */
export interface HarmedRelease extends Pick<FaultInjector, 'environment' | 'postgres'> {
  cluster: Cluster;
  view: ReleaseView;
}

/** Harms the pods of a release. Signals are sent by a shell in the container, whose processes belong to the same user. */
export function createPodInjector({ cluster, view, environment, postgres }: HarmedRelease): FaultInjector {
  const pods = new Pods(cluster, view);
  return {
    environment,
    ...(postgres && { postgres }),
    kill: (component, which, signal) => killed(pods, component, which, signal),
    halt: (component, seconds, signal) =>
      component === 'redis' ? paused(pods, seconds, signal) : halted(pods, component, seconds, signal),
    restart: async (database, signal) => {
      const [pod] = await pods.of(database);
      const stop = STOP_SIGNAL[database];
      const again = await pods.restartedBy(pod!, TO_FIRST(stop), signal);
      return again ? `${pod!.metadata.name} ended by SIG${stop} and was started again` : undefined;
    },
    takeAway: (database, seconds, signal) => away(pods, database, seconds, signal),
    loseQueue: (signal) => emptied(pods, signal),
    restartEach: (signal) => rolledOut(pods, signal),
    scaleIn: (signal) => scaledIn(pods, signal),
    drain: (signal) => drained(pods, signal),
  };
}

/** The pods of a release, and what runs in them. */
class Pods {
  constructor(
    private readonly cluster: Cluster,
    private readonly view: ReleaseView,
  ) {}

  /** Those of a component that are not ending. */
  async of(component: Component): Promise<PodObject[]> {
    return (await this.all(component)).filter(({ metadata }) => !metadata.deletionTimestamp);
  }

  /** Those of a component, also while they end. */
  async all(component: Component): Promise<PodObject[]> {
    return (await this.view.pods(ASK_MS)).filter((pod) => componentOf(pod) === component);
  }

  async workloads(component: Component): Promise<WorkloadObject[]> {
    return (await this.view.workloads(ASK_MS)).filter((workload) => componentOf(workload) === component);
  }

  /** Runs a line of shell in the first container of a pod; the shell may be ended by what it does. */
  async shell({ metadata, spec }: PodObject, line: string, timeoutMs?: number): Promise<string> {
    const exec = ['exec', metadata.name, '-c', spec.containers[0]!.name, '--', 'sh', '-c', line];
    return this.kubectl(exec, timeoutMs).catch(() => '');
  }

  kubectl(args: string[], timeoutMs?: number, input?: string): Promise<string> {
    const options = { ...(timeoutMs && { timeoutMs }), ...(input !== undefined && { input }) };
    return this.cluster.kubectl(['--namespace', this.view.namespace, ...args], options);
  }

  /** Asks the cluster to evict a pod; whether its disruption budget allows that now. */
  async evict({ metadata: { name } }: PodObject): Promise<boolean> {
    const path = `/api/v1/namespaces/${this.view.namespace}/pods/${name}/eviction`;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    try {
      await this.kubectl(['create', '--raw', path, '-f', '-'], undefined, JSON.stringify(eviction));
      return true;
    } catch (error) {
      if (/disruption budget/.test(messageOf(error))) return false;
      throw error;
    }
  }

  /** Sets the number of pods. Not "kubectl scale", which needs permissions of its own. */
  async scale(workload: string, replicas: number): Promise<void> {
    await this.kubectl(['patch', workload, '--type=merge', '-p', JSON.stringify({ spec: { replicas } })]);
  }

  /** How often the first container of a pod was started again; undefined while that cannot be read. */
  async restarts({ metadata, spec }: PodObject): Promise<number | undefined> {
    const pods = await this.view.pods(ASK_MS).catch((): PodObject[] => []);
    const now = pods.find(({ metadata: { uid } }) => uid === metadata.uid);
    return now?.status.containerStatuses?.find(({ name }) => name === spec.containers[0]!.name)?.restartCount;
  }

  /** Runs a line of shell that ends the container; whether it was started again. */
  async restartedBy(pod: PodObject, line: string, signal: AbortSignal): Promise<boolean> {
    const before = await this.restarts(pod);
    // Without a number to compare with, nothing would show that it was.
    if (before === undefined) return false;
    await this.shell(pod, line);
    const isAgain = async () => ((await this.restarts(pod)) ?? 0) > before;
    return (await waitUntil(isAgain, { seconds: RESTART_SECONDS, everyMs: 500, signal })) === true;
  }
}

async function killed(pods: Pods, component: Component, which: string, signal: AbortSignal): Promise<Evidence> {
  const all = await pods.of(component);
  const chosen = which === 'one' ? all.slice(0, 1) : all;
  const ended = await Promise.all(chosen.map((pod) => pods.restartedBy(pod, TO_ALL('KILL'), signal)));
  return ended.every(Boolean) ? `SIGKILL in ${chosen.map(({ metadata }) => metadata.name).join(', ')}` : undefined;
}

async function halted(pods: Pods, component: Component, seconds: number, signal: AbortSignal): Promise<Evidence> {
  const pod = (await pods.of(component))[0]!;
  const { name } = pod.metadata;
  const before = await pods.restarts(pod);
  const isHalted = async () => {
    const states = (await pods.shell(pod, STATES)).split('\n');
    return states.includes('T') && states.every((state) => state === 'T' || state === '');
  };
  await pods.shell(pod, TO_ALL('STOP'));
  try {
    if (!(await isHalted())) return undefined;
    await sleep(seconds * 1000, undefined, { signal });
    // Unknown while the API does not answer: that is no restart.
    const after = await pods.restarts(pod);
    if (before !== undefined && after !== undefined && after > before)
      return `${name} was halted, and restarted by its liveness probe`;
    return (await isHalted()) ? `${name} was halted for ${seconds} s` : undefined;
  } finally {
    await pods.shell(pod, TO_ALL('CONT'));
  }
}

/** A ping waits so long for its answer; the last look is so long before the end of a pause: a shell in a pod takes a second or two. */
const [PING_SECONDS, LAST_LOOK_SECONDS] = [2, 10];

/** Redis answers nothing for a time in seconds; its connections stay open. Redis cannot be told to answer again earlier. */
async function paused(pods: Pods, seconds: number, signal: AbortSignal): Promise<Evidence> {
  const pod = (await pods.of('redis'))[0]!;
  const ping = () => pods.shell(pod, `timeout ${PING_SECONDS} redis-cli ping || echo none`);
  const before = await ping();
  const accepted = await pods.shell(pod, `redis-cli client pause ${seconds * 1000} all`);
  const answer = await ping();
  const last = Math.min(LAST_LOOK_SECONDS, seconds);
  await sleep((seconds - last) * 1000, undefined, { signal });
  const late = await ping();
  await sleep(Math.max(0, last - PING_SECONDS) * 1000, undefined, { signal });
  const isPaused =
    before.includes('PONG') && accepted.trim() === 'OK' && [answer, late].every((a) => a.trim() === 'none');
  return !isPaused ? undefined : `${pod.metadata.name} answered no command for ${seconds} s`;
}

/** The append-only file of Redis, as version 7 and older ones keep it, and its snapshot. */
const REDIS_DATA = '/data/appendonlydir /data/appendonly.aof /data/dump.rdb';

async function emptied(pods: Pods, signal: AbortSignal): Promise<Evidence> {
  const pod = (await pods.of('redis'))[0]!;
  const marked = await pods.shell(pod, `redis-cli set ${MARKER_KEY} 1`);
  if (marked.trim() !== 'OK') return undefined;
  const again = await pods.restartedBy(pod, `rm -rf ${REDIS_DATA}; redis-cli shutdown nosave`, signal);
  if (!again) return undefined;
  const isGone = async () => (await pods.shell(pod, `redis-cli exists ${MARKER_KEY}`)).trim() === '0';
  const gone = await waitUntil(isGone, { seconds: RESTART_SECONDS, everyMs: 500, signal });
  return gone ? `${pod.metadata.name} came back empty` : undefined;
}

const named = ({ metadata }: WorkloadObject) => `deployment/${metadata.name}`;

async function rolledOut(pods: Pods, signal: AbortSignal): Promise<Evidence> {
  const restarted: string[] = [];
  for (const component of N8N_COMPONENTS)
    for (const workload of await pods.workloads(component)) {
      signal.throwIfAborted();
      await pods.kubectl(['rollout', 'restart', named(workload)]);
      const wait = ['rollout', 'status', named(workload), `--timeout=${ROLLOUT_SECONDS}s`];
      await pods.kubectl(wait, (ROLLOUT_SECONDS + 10) * 1000).catch((error: unknown) => {
        if (!/timed out|exceeded its progress deadline/.test(messageOf(error))) throw error;
        throw new NotReady(workload.metadata.name, `is not rolled out after ${ROLLOUT_SECONDS} s`);
      });
      restarted.push(workload.metadata.name);
    }
  return `rolling restart of ${restarted.join(', ')}`;
}

/** Takes a database's only pod away for a time in seconds, by its StatefulSet. */
async function away(pods: Pods, database: Component, seconds: number, signal: AbortSignal): Promise<Evidence> {
  const [workload] = await pods.workloads(database);
  const { name } = workload!.metadata;
  // Without a claim, its data would go with the pod.
  if (!(await pods.of(database)).some(hasClaim)) return undefined;
  const wait = { seconds: RESTART_SECONDS, everyMs: 500, signal };
  const now = () => pods.all(database).catch(() => undefined);
  await pods.scale(`statefulset/${name}`, 0);
  try {
    if (!(await waitUntil(async () => (await now())?.length === 0, wait))) return undefined;
    await sleep(seconds * 1000, undefined, { signal });
  } finally {
    await pods.scale(`statefulset/${name}`, 1);
  }
  const isUp = await waitUntil(async () => (await now())?.some(isReady), wait);
  if (!isUp) throw new NotReady(name, `has no ready pod ${RESTART_SECONDS} s after it was put back`);
  return `${name} had no pod for ${seconds} s`;
}

const hasClaim = ({ spec }: PodObject): boolean =>
  (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim !== undefined);

const wanted = ({ replicas = 1 }: WorkloadObject['spec']): number => replicas;

async function scaledIn(pods: Pods, signal: AbortSignal): Promise<Evidence> {
  // Another chart may have several workloads of workers, and some of them none.
  const workload = (await pods.workloads('worker')).find(({ spec }) => wanted(spec) > 0);
  if (workload === undefined) return undefined;
  const replicas = wanted(workload.spec);
  const before = (await pods.of('worker')).length;
  await pods.scale(named(workload), replicas - 1);
  const isGone = async () => (await pods.of('worker').catch(() => [])).length === before - 1;
  const gone = await waitUntil(isGone, { seconds: RESTART_SECONDS, everyMs: 500, signal });
  return gone ? `${workload.metadata.name} has ${replicas - 1} instead of ${replicas} pods` : undefined;
}

/** Evicts n8n's pods of the first worker's node, and waits until they are gone. A pod may start again on the same node. */
async function drained(pods: Pods, signal: AbortSignal): Promise<Evidence> {
  const all = (await Promise.all(N8N_COMPONENTS.map((component) => pods.of(component)))).flat();
  const node = (await pods.of('worker'))[0]!.spec.nodeName;
  const chosen = all.filter(({ spec }) => spec.nodeName === node);
  const wait = { seconds: ROLLOUT_SECONDS, everyMs: 1000, signal };
  for (const pod of chosen)
    if (!(await waitUntil(() => pods.evict(pod), wait))) throw new NotReady(pod.metadata.name, 'may not be evicted');
  const uids = chosen.map(({ metadata }) => metadata.uid);
  const isGone = async () => {
    const left = await Promise.all(N8N_COMPONENTS.map((component) => pods.all(component))).catch(() => undefined);
    return left !== undefined && !left.flat().some(({ metadata }) => uids.includes(metadata.uid));
  };
  const gone = await waitUntil(isGone, wait);
  return gone ? `${chosen.map(({ metadata }) => metadata.name).join(', ')} evicted from ${node}` : undefined;
}
