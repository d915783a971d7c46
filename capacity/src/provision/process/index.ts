import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import semver from 'semver';
import { InputError } from '../../errors.js';
import { lastLines, logTail } from '../../log-file.js';
import { isAlive } from '../../processes.js';
import type { Progress } from '../../report/progress.js';
import { versionOf } from '../../tools/binary.js';
import { ensurePostgres } from '../../tools/postgres.js';
import { ensureN8n, type N8nRuntime } from '../../tools/runtimes.js';
import { ensureRedis } from '../../tools/system.js';
import type { Deployment, Instance, InstanceEvent } from '../deployment.js';
import { cgroupHierarchy, createCgroup, sweepCgroups, type Cgroup } from './cgroup.js';
import { listening, postgresCommand, redisCommand } from './databases.js';
import { containerEnvironment } from './environment.js';
import { allocatePorts, LOOPBACK, onThisHost, serviceAddresses, type HostPorts } from './host.js';
import type { KubernetesObject } from './kubernetes.js';
import { importWorkflows, installNode } from './n8n-import.js';
import { podsOf, MAKES_SECRET, type Pod } from './pods.js';
import { ProbeRunner } from './probes.js';
import { Supervised } from './supervise.js';

/** Long enough for a slow machine's first migration, short enough to wait for. */
const READY_SECONDS = 180;

export interface ProvisionOptions {
  objects: KubernetesObject[];
  /** Workflows to import and activate, by the names of their files. */
  workflows: string[];
  /** Folder for the pods' logs; it outlives the deployment. */
  logs: string;
  /** HTTP port of main (or of the first webhook processor); any free one when absent. */
  port?: number;
  progress: Progress;
}

/** The n8n version that the render runs, from main's image tag. */
export function n8nVersion(objects: KubernetesObject[]): string {
  const main = podsOf(objects).find((pod) => pod.component === 'main');
  const tag = main?.container.image.split(':').pop() ?? '';
  const version = semver.coerce(tag)?.version;
  if (!version) throw new InputError(`image.tag: cannot tell the n8n version from "${tag}"; set a tag like 2.41.1.`);
  return version;
}

/**
 * Deploys the rendered chart as local processes: supervises each container's command with its environment, limits and
 * probes. Whatever it has started is ended by `teardown`, also when it fails half way.
 */
export async function provisionProcesses(options: ProvisionOptions): Promise<Deployment> {
  const { progress } = options;
  const runtime = await ensureN8n(n8nVersion(options.objects), progress);
  const provisioner = new ProcessProvisioner(options, runtime);
  process.once('exit', provisioner.killNow);
  try {
    return await provisioner.provision();
  } catch (error) {
    await provisioner.teardown();
    throw error;
  }
}

interface Running {
  pod: Pod;
  ports: HostPorts;
  supervised: Supervised;
  probes: ProbeRunner;
  cgroup?: Cgroup;
}

class ProcessProvisioner {
  private readonly events: InstanceEvent[] = [];
  private readonly running: Running[] = [];
  private eventsSeen = 0;
  private readonly secrets = new Map<string, string>();
  private readonly token = randomBytes(24).toString('hex');
  private folder = '';
  private torn: Promise<void> | undefined;

  constructor(
    private readonly options: ProvisionOptions,
    private readonly runtime: N8nRuntime,
  ) {}

  async provision(): Promise<Deployment> {
    const { objects, progress, logs } = this.options;
    const { signal } = progress;
    const pods = podsOf(objects);
    await sweepFolders();
    this.folder = await mkdtemp(join(tmpdir(), `n8n-tuned-${process.pid}-`));
    await mkdir(logs, { recursive: true });
    const { hierarchy, notice } = await cgroupHierarchy();
    if (hierarchy) await sweepCgroups(hierarchy, isLeftOver);
    const ports = new Map<string, HostPorts>();
    const front = this.frontPod(pods);
    for (const pod of pods) ports.set(pod.name, await allocatePorts(pod === front ? this.options.port : undefined));
    const services = serviceAddresses(objects, ports, pods);

    for (const pod of pods) {
      signal.throwIfAborted();
      const cgroup = hierarchy && (await createCgroup(hierarchy, `${process.pid}-${pod.name}`, pod.limits));
      const launch = await this.launchOf(pod, ports.get(pod.name)!, services);
      const supervised = new Supervised({ ...launch, ...(cgroup && { cgroup }) }, this.events);
      const probes = new ProbeRunner(pod.container, supervised, ports.get(pod.name)!.service);
      this.running.push({ pod, ports: ports.get(pod.name)!, supervised, probes, ...(cgroup && { cgroup }) });
    }
    const databases = this.running.filter((r) => isDatabase(r.pod));
    for (const database of databases) {
      database.supervised.start();
      await listening(database.ports.service, 60, signal);
    }
    const main = this.running.find((r) => r.pod.component === 'main')!;
    await progress.during(
      `importing ${this.options.workflows.join(', ')} into n8n ${this.runtime.version}`,
      async () => {
        await importWorkflows(
          this.runtime,
          main.supervised.launch.environment,
          this.options.workflows,
          this.token,
          this.folder,
          join(logs, 'import.log'),
          signal,
        );
      },
    );
    await progress.during(`starting ${this.describe()}`, async () => {
      for (const n8n of this.running.filter((r) => !isDatabase(r.pod))) {
        n8n.supervised.start();
        if (n8n === main) await this.ready(main);
      }
      await Promise.all(this.running.filter((r) => !isDatabase(r.pod)).map((r) => this.ready(r)));
    });
    for (const { pod, probes } of this.running) if (!isDatabase(pod)) probes.run();
    return this.deployment(notice, (await versionOf(this.runtime.node, ['--version']))?.version ?? 'unknown');
  }

  /** The pod that serves production webhooks under the user's port: a webhook processor where there is one. */
  private frontPod = (pods: Pod[]) =>
    pods.find((p) => p.component === 'webhook') ?? pods.find((p) => p.component === 'main');

  private async launchOf(pod: Pod, ports: HostPorts, services: Map<string, number>) {
    const folder = join(this.folder, pod.name);
    await mkdir(folder, { recursive: true });
    const rendered = containerEnvironment(pod.container, {
      objects: this.options.objects,
      generated: this.generated,
      podName: pod.name,
    });
    const base = {
      name: pod.name,
      component: pod.component,
      cwd: folder,
      logFile: join(this.options.logs, `${pod.name}.log`),
      graceSeconds: pod.graceSeconds,
    };
    const host = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
    if (pod.component === 'redis') {
      const server = await ensureRedis(this.options.progress);
      return {
        ...base,
        ...(await redisCommand(server, folder, ports.service, rendered)),
        environment: { ...host, ...rendered },
      };
    }
    if (pod.component === 'postgresql') {
      const bin = await ensurePostgres(this.options.progress);
      const args = pod.container.args ?? [];
      return {
        ...base,
        ...(await postgresCommand(bin, folder, ports.service, rendered, args)),
        environment: { ...host, ...rendered },
      };
    }
    await installNode(folder);
    return {
      ...base,
      command: this.runtime.node,
      args: [this.runtime.n8n, ...(pod.container.args ?? [])],
      environment: { ...host, ...onThisHost(rendered, pod.component, ports, services, folder) },
    };
  }

  private async readyAgain(): Promise<boolean> {
    const died = this.events.slice(this.eventsSeen).some((e) => e.kind === 'died');
    for (const { supervised } of this.running) supervised.startAfresh();
    await Promise.all(this.running.filter((r) => !isDatabase(r.pod)).map((r) => this.ready(r)));
    this.eventsSeen = this.events.length;
    return died;
  }

  /** The value the cluster's Job would have made for this key, the same for every pod. */
  private readonly generated = (secret: string, key: string): string | undefined => {
    const made = this.options.objects.some((o) => o.metadata.annotations?.[MAKES_SECRET] === secret);
    if (!made) return undefined;
    const id = `${secret}/${key}`;
    if (!this.secrets.has(id)) this.secrets.set(id, randomBytes(24).toString('hex'));
    return this.secrets.get(id);
  };

  private async ready({ pod, ports, supervised }: Running): Promise<void> {
    const probe = pod.container.readinessProbe ?? pod.container.startupProbe;
    const url = `http://${LOOPBACK}:${ports.service}${probe?.httpGet?.path ?? '/healthz'}`;
    const earlier = this.events.length;
    const death = () => this.events.slice(earlier).find((e) => e.instance === pod.name && e.kind === 'died');
    for (const end = Date.now() + READY_SECONDS * 1000; Date.now() < end && !death();) {
      this.options.progress.signal.throwIfAborted();
      if (supervised.pid && (await answers(url)) && (await this.webhooksRegistered(pod, ports))) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const { logFile } = supervised.launch;
    const died = death();
    const what = died
      ? `ended before it was ready (${died.reason}, ${died.detail})`
      : `is not ready after ${READY_SECONDS} s`;
    throw new InputError(
      `${pod.name} ${what}. The last lines of its log:\n${lastLines(await logTail(logFile))}\nThe whole log: ${logFile}`,
    );
  }

  /** n8n 0.x says that it is healthy before it has registered its webhooks: their own answer (403 without a token) is what counts. */
  private async webhooksRegistered(pod: Pod, ports: HostPorts): Promise<boolean> {
    if (pod.component === 'worker') return true;
    const hasFront = this.running.some((r) => r.pod.component === 'webhook');
    if (pod.component === 'main' && hasFront) return true;
    const response = await fetch(`http://${LOOPBACK}:${ports.service}/webhook/${this.options.workflows[0]}`, {
      signal: AbortSignal.timeout(2000),
    }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status === 403;
  }

  private deployment(limits: Deployment['limits'], node: string): Deployment {
    const serving = this.running.filter((r) => r.pod.component === 'webhook');
    const front = serving.length > 0 ? serving : this.running.filter((r) => r.pod.component === 'main');
    const redis = this.running.find((r) => r.pod.component === 'redis');
    const password = redis?.supervised.launch.environment.REDIS_PASSWORD;
    return {
      endpoints: front.map((r) => `http://${LOOPBACK}:${r.ports.service}`),
      token: this.token,
      node,
      instances: this.running.map(instanceOf),
      ...(redis && { redis: { host: LOOPBACK, port: redis.ports.service, ...(password && { password }) } }),
      limits,
      events: this.events,
      ready: () => this.readyAgain(),
      teardown: () => this.teardown(),
    };
  }

  private describe(): string {
    const counts = new Map<string, number>();
    for (const { pod } of this.running) counts.set(pod.component, (counts.get(pod.component) ?? 0) + 1);
    return [...counts].map(([component, n]) => (n === 1 ? component : `${n} × ${component}`)).join(', ');
  }

  teardown(): Promise<void> {
    this.torn ??= this.end();
    return this.torn;
  }

  private async end(): Promise<void> {
    process.off('exit', this.killNow);
    for (const { probes } of this.running) probes.stop();
    const n8n = this.running.filter((r) => !isDatabase(r.pod));
    await Promise.all(n8n.map((r) => r.supervised.stop(5)));
    await Promise.all(this.running.filter((r) => isDatabase(r.pod)).map((r) => r.supervised.stop(5)));
    for (const { cgroup } of this.running) await removeWhenEmpty(cgroup);
    if (this.folder) await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  readonly killNow = (): void => {
    for (const { supervised } of this.running) supervised.killNow();
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
  };
}

const isDatabase = (pod: Pod) => pod.component === 'postgresql' || pod.component === 'redis';

function instanceOf({ pod, ports, supervised }: Running): Instance {
  return {
    name: pod.name,
    component: pod.component,
    pid: () => supervised.pid,
    ...(!isDatabase(pod) && { metricsUrl: `http://${LOOPBACK}:${ports.service}/metrics` }),
    limits: pod.limits,
  };
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok ?? false;
}

/** A killed process leaves its group a moment after it has ended. */
async function removeWhenEmpty(cgroup: Cgroup | undefined): Promise<void> {
  for (let i = 0; cgroup && i < 20; i++) {
    try {
      return await cgroup.remove();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Removes the folders of runs that were killed before they could. */
async function sweepFolders(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith('n8n-tuned-'));
  const left = names.filter((name) => isLeftOver(name.replace('n8n-tuned-', '')));
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })));
}

/** Whether a name that begins with a process id belongs to a run whose process is gone. */
function isLeftOver(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1]);
  return pid > 0 && !isAlive(pid);
}
