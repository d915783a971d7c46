import { LOOPBACK } from '../../core/loopback.js';
import { EnvironmentFault, NotReady, UsageError } from '../../core/errors.js';
import { readLogExcerpt } from '../../core/log-file.js';
import type { ProbedWebhook } from '../webhook.js';
import { listening } from '../listening.js';
import type { LimitsNotice } from '../../model/run.js';
import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ProcessObserver } from '../../observe/process-observer.js';
import { readPostgresAddress, createPostgresWatch } from '../../observe/postgres.js';
import { QueueWatch } from '../../observe/queue.js';
import { readRedisAddress } from '../../observe/redis.js';
import { Lifecycle } from '../lifecycle.js';
import { createRowCounter } from '../../observe/tables.js';
import type { Progress } from '../../core/progress.js';
import { readVersion } from '../../tools/binary.js';
import { ensureN8n, type N8nRuntime } from '../../tools/runtimes.js';
import type { Deployment } from '../../model/deployment.js';
import { cgroupHierarchy, createCgroup, removeWhenEmpty, sweepCgroups, type Cgroup } from './cgroup.js';
import { describeDeployment } from '../../chart/describe.js';
import { allocatePorts, serviceAddresses, type HostPorts } from './host.js';
import { n8nVersion, type KubernetesObject } from '../../chart/objects.js';
import { INSPECTABLE, startProfile, type RunningProfile } from './inspector.js';
import { createProcessInjector } from './fault-injector.js';
import { prepareLaunch, type LaunchContext } from './launch.js';
import { isLeftOver, scratchFolder, sweepFolders } from '../leftovers.js';
import { importAndActivate, n8nCommand, type Imports } from '../n8n-import.js';
import { listLocalPods, type Pod } from '../../chart/pods.js';
import { ProbeRunner } from './probes.js';
import { createLocalRescue, type LocalRescue } from './rescue.js';
import { seedExecutions } from './seed.js';
import { untilReady, describe, webhookPods, isDatabase, describeSource, type Running } from './running.js';
import { generateSecrets, randomSecret } from '../../chart/environment.js';
import { Supervised, type Launch } from './supervise.js';

export interface ProvisionOptions {
  objects: KubernetesObject[];
  /** What is imported and activated; load targets require the token. Called once the databases run. */
  imports: (token: string, environment: Record<string, string>) => Promise<Imports>;
  /** A webhook of one of the workflows; n8n has registered its webhooks once it serves this one. */
  webhook: ProbedWebhook;
  /** Folder for the pods' logs; it outlives the deployment. */
  logs: string;
  /** HTTP port of main, or of the first webhook processor; undefined: any free port. */
  port?: number;
  /** Alters how a pod of the render is started. */
  adapt?: (launch: Launch, pod: Pod, objects: KubernetesObject[]) => Launch | Promise<Launch>;
  /** Whether the CPU of n8n's processes can be profiled. */
  profiled?: true;
  progress: Progress;
}

/** A deployment whose n8n can be replaced by that of another render, on the same databases. */
export interface ProcessDeployment extends Deployment {
  /** @returns how long main took until it served requests, in seconds; throws UsageError, NotReady */
  replaceN8n(objects: KubernetesObject[]): Promise<{ seconds: number }>;
}

/**
 * Deploys the rendered chart as local processes: supervises each container's command with its environment, limits and
 * probes. If it fails half way, it ends what it started.
 */
export async function provisionProcesses(options: ProvisionOptions): Promise<ProcessDeployment> {
  const runtime = await ensureN8n(n8nVersion(options.objects), options.progress);
  const provisioner = new ProcessProvisioner(options, runtime);
  process.once('exit', provisioner.killNow);
  try {
    return await provisioner.provision();
  } catch (error) {
    await provisioner.lifecycle.teardown();
    throw error;
  }
}

class ProcessProvisioner {
  private readonly running: Running[] = [];
  private context!: LaunchContext;
  private readonly token = randomSecret();
  private folder = '';
  private rescue: LocalRescue | undefined;
  readonly lifecycle = new Lifecycle(() => this.end());

  constructor(
    private readonly options: ProvisionOptions,
    private runtime: N8nRuntime,
  ) {}

  async provision(): Promise<ProcessDeployment> {
    await sweepFolders();
    this.folder = await scratchFolder();
    await mkdir(this.options.logs, { recursive: true });
    const limits = await this.prepare();
    await this.startDatabases();
    await this.importWorkflows();
    const startSeconds = await this.start();
    const node = (await readVersion(this.runtime.node, ['--version']))?.version;
    return { ...this.deployment(limits, node), startSeconds };
  }

  /** Assigns ports, folder, environment and cgroup to every pod. Nothing runs yet. */
  private async prepare(): Promise<LimitsNotice> {
    const { objects, logs, progress } = this.options;
    const pods = listLocalPods(objects);
    const { hierarchy, notice } = await cgroupHierarchy();
    if (hierarchy) await sweepCgroups(hierarchy, isLeftOver);
    const ports = new Map<string, HostPorts>();
    const [front] = webhookPods(pods);
    for (const pod of pods) ports.set(pod.name, await allocatePorts(pod === front ? this.options.port : undefined));
    const services = serviceAddresses(objects, ports, pods);
    const generated = generateSecrets(objects);
    this.context = { objects, generated, runtime: this.runtime, services, folder: this.folder, logs, progress };
    for (const pod of pods) {
      progress.signal.throwIfAborted();
      const own = ports.get(pod.name)!;
      const cgroup = hierarchy && (await createCgroup(hierarchy, `${process.pid}-${pod.name}`, pod.limits));
      this.running.push(await this.launched(pod, own, cgroup));
    }
    return notice;
  }

  /** A pod as it will run. */
  private async launched(pod: Pod, ports: HostPorts, cgroup: Cgroup | undefined): Promise<Running> {
    const { adapt = (launch: Launch) => launch } = this.options;
    const { objects } = this.context;
    const launch = this.inspectable(await adapt(await prepareLaunch(pod, ports, this.context), pod, objects));
    const supervised = new Supervised({ ...launch, ...(cgroup && { cgroup }) }, this.lifecycle.events);
    const probes = new ProbeRunner(pod.container, supervised, ports.service);
    return { pod, ports, supervised, probes, ...(cgroup && { cgroup }) };
  }

  /** Replaces n8n by that of another render; databases, ports and limits stay. */
  private async replaceN8n(objects: KubernetesObject[]): Promise<{ seconds: number }> {
    await this.stopN8n();
    this.runtime = await ensureN8n(n8nVersion(objects), this.options.progress);
    this.context = { ...this.context, objects, runtime: this.runtime };
    const pods = listLocalPods(objects);
    for (const before of this.n8n) {
      const pod = pods.find(({ name }) => name === before.pod.name);
      if (!pod)
        throw new UsageError(`${before.pod.name}: is in only one of the two deployments; an upgrade keeps the pods.`);
      Object.assign(before, await this.launched(pod, before.ports, before.cgroup));
    }
    return { seconds: await this.start() };
  }

  private inspectable(launch: Launch): Launch {
    if (!this.options.profiled || launch.command !== this.runtime.node) return launch;
    return { ...launch, args: [...INSPECTABLE, ...launch.args] };
  }

  private profile(instance: string): Promise<RunningProfile> {
    const { pid, launch } = this.running.find((r) => r.pod.name === instance)!.supervised;
    if (pid === undefined) return Promise.reject(new Error(`${instance} is down`));
    return startProfile(pid, launch.logFile);
  }

  private async startDatabases(): Promise<void> {
    for (const running of this.running.filter(isDatabase)) {
      running.supervised.start();
      await this.untilListening(running, () => this.requireAlive(running.supervised));
    }
  }

  private untilListening({ ports }: Running, failed?: () => Promise<void>): Promise<void> {
    return listening(ports.service, DATABASE_SECONDS, this.options.progress.signal, failed);
  }

  private untilUp(running: Running): Promise<void> {
    if (!isDatabase(running)) return this.untilReady(running);
    return this.untilListening(running).catch((error: unknown) => {
      if (!(error instanceof EnvironmentFault)) throw error;
      throw new NotReady(running.pod.name, `does not listen after ${DATABASE_SECONDS} s`);
    });
  }

  /** Throws NotReady with the end of its log once a process has died. */
  private async requireAlive({ launch }: Supervised): Promise<void> {
    const death = this.lifecycle.events.all.find((e) => e.instance === launch.name && e.kind === 'died');
    if (!death) return;
    const reason = `ended before it was ready (${death.reason}, ${death.detail})`;
    throw new NotReady(launch.name, reason, await readLogExcerpt(launch.logFile));
  }

  private async importWorkflows(): Promise<void> {
    const { logs, progress } = this.options;
    const { environment } = this.main.supervised.launch;
    const imports = await this.options.imports(this.token, environment);
    const n8n = n8nCommand(this.runtime, environment, join(logs, 'import.log'), progress.signal);
    const names = imports.workflows.map(({ name }) => name.replace(/^n8n-tuned: /, '')).join(', ');
    await progress.during(`importing ${names} into n8n ${this.runtime.version}`, () =>
      importAndActivate(n8n, this.runtime.version, imports, this.folder),
    );
  }

  /** Starts n8n; returns how long main took. */
  private start(): Promise<number> {
    return this.options.progress.during(`starting ${describe(this.running)}`, () => this.startN8n());
  }

  /** Starts main first: it migrates the database that all share. */
  private async startN8n(): Promise<number> {
    const begun = performance.now();
    this.main.supervised.start();
    await this.untilReady(this.main);
    const seconds = (performance.now() - begun) / 1000;
    const others = this.n8n.filter((r) => r !== this.main);
    for (const { supervised } of others) supervised.start();
    await Promise.all(others.map((r) => this.untilReady(r)));
    for (const { probes } of this.n8n) probes.run();
    return seconds;
  }

  private untilReady(running: Running): Promise<void> {
    const serves = webhookPods(this.running.map((r) => r.pod)).includes(running.pod);
    return untilReady(
      running,
      serves ? this.options.webhook : undefined,
      this.lifecycle.events,
      this.options.progress.signal,
    );
  }

  private get n8n(): Running[] {
    return this.running.filter((r) => !isDatabase(r));
  }

  private get main(): Running {
    return this.running.find((r) => r.pod.component === 'main')!;
  }

  private deployment(limits: LimitsNotice, node: string | undefined): ProcessDeployment {
    const front = webhookPods(this.running.map((r) => r.pod));
    const hasRedis = this.running.some((r) => r.pod.component === 'redis');
    const { environment } = this.main.supervised.launch;
    const countRows = createRowCounter(environment, this.runtime.n8n);
    const postgres = readPostgresAddress(environment);
    const serving = this.running.filter((r) => front.includes(r.pod));
    this.rescue = createLocalRescue(
      this.options.objects,
      `http://${LOOPBACK}:${environment.N8N_PORT}`,
      this.options.logs,
    );
    const isShared = this.running.some((r) => r.supervised.launch.shared);
    return {
      record: { ...describeDeployment(listLocalPods(this.options.objects)), limits, replaced: this.runtime.replaced },
      ...(node && { node }),
      access: { endpoints: serving.map((r) => `http://${LOOPBACK}:${r.ports.service}`), token: this.token },
      sources: {
        observer: new ProcessObserver(this.running.map(describeSource)),
        ...(isShared && { countsExecutions: false as const }),
        ...(hasRedis && { queue: new QueueWatch(readRedisAddress(environment)) }),
        ...(postgres && { database: createPostgresWatch(postgres, this.options.progress) }),
        ...(countRows && { countRows }),
      },
      events: this.lifecycle.events,
      ready: () => this.lifecycle.ready(() => this.startWhatIsDown()),
      ...(this.options.profiled && { profile: (instance: string) => this.profile(instance) }),
      replaceN8n: (objects) => this.replaceN8n(objects),
      injector: createProcessInjector(this.running, environment, (running) => this.untilUp(running)),
      ...(this.rescue && { rescue: this.rescue }),
      seed: (seed) => seedExecutions(environment, this.runtime, seed, this.options.progress.signal),
      teardown: this.lifecycle.teardown,
    };
  }

  private async startWhatIsDown(): Promise<void> {
    for (const { supervised } of this.running) supervised.startAfresh();
    await Promise.all(this.n8n.map((r) => this.untilReady(r)));
  }

  private async stopN8n(): Promise<void> {
    for (const { probes } of this.running) probes.stop();
    await Promise.all(this.n8n.map((r) => r.supervised.stop(STOP_SECONDS)));
  }

  private async end(): Promise<void> {
    await this.rescue?.end();
    await this.stopN8n();
    await Promise.all(this.running.filter(isDatabase).map((r) => r.supervised.stop(STOP_SECONDS)));
    await Promise.all(this.running.flatMap(({ cgroup }) => (cgroup ? [removeWhenEmpty(cgroup)] : [])));
    if (this.folder) await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    process.off('exit', this.killNow);
  }

  readonly killNow = (): void => {
    for (const { supervised } of this.running) supervised.killNow();
    try {
      if (this.folder) rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // a process that was just killed may still write; the next run removes the folder
    }
  };
}

/** Longest start of an embedded database. */
const DATABASE_SECONDS = 60;
/** The measurement is over, so executions are not waited for as long as the pods' grace period. */
const STOP_SECONDS = 5;
