import { Lifecycle } from '../lifecycle.js';
import type { Component } from '../../model/events.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { CustomWorkflow } from '../../model/plan.js';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../core/errors.js';
import { chartFolder } from '../../core/paths.js';
import { readCustom } from '../../plan/custom-workflow/load.js';
import { findWorkload } from '../../plan/workloads.js';
import type { Progress } from '../../core/progress.js';
import type { Deployment, Instance, PostgresAddress } from '../../model/deployment.js';
import { ApiProxy, ASK_MS } from './api-proxy.js';
import { asChart } from './as-chart.js';
import { k6TestRuns } from './k6-test-run.js';
import type { Rendered } from './render-release.js';
import { requireSameClock, type Cluster } from './cluster.js';
import { installRelease } from './install.js';
import { Forwarding } from './forwarding.js';
import { k6InCluster } from './k6-generator.js';
import { PostgresWatch } from '../../observe/postgres.js';
import { embeddedPostgres, readEnvironment, plainEnvironment } from './postgres.js';
import type { Imports } from '../n8n-import.js';
import { seedRelease } from './seed.js';
import { importInto, type Imported } from './custom-workflow.js';
import { createPodInjector } from './fault-injector.js';
import { createClusterRescue } from './rescue.js';
import { createRequestSecret, withRequestFiles, type RequestFiles } from './request-files.js';
import { createNamespace, removeNamespace, sweepNamespaces } from './namespace.js';
import { componentOf, type KubernetesObject } from '../../chart/objects.js';
import type { PodObject } from './api-objects.js';
import { KubernetesObserver } from './observer.js';
import { replaceBackingOff, untilReleaseReady } from './readiness.js';
import { N8N_PORT, RELEASE, ReleaseView } from './release.js';

export interface KubernetesOptions {
  cluster: Cluster;
  /** Version of the API server. */
  version: string;
  helm: string;
  rendered: Rendered;
  /** n8n of another chart is deployed in the place of this one's. */
  isForeign: boolean;
  /** The deployment as the render describes it. */
  described: Omit<DeploymentRecord, 'limits'>;
  /** Workloads that the plan drives. */
  workflows: string[];
  /** Folder for the pods' logs; it outlives the deployment. */
  logs: string;
  progress: Progress;
  /** Version of n8n. */
  n8n: string;
  /** A custom workflow to import too. */
  custom?: CustomWorkflow;
  /** Workflows to import too. */
  driven?: DrivenWorkflows;
  /** Files that k6 in the cluster reads. */
  request: RequestFiles | undefined;
}

/** Workflows that are driven in the place of load targets. */
export interface DrivenWorkflows {
  /** What is imported, given the environment of n8n's main. */
  imports: (environment: Record<string, string>) => Imports;
  /** Path of the webhook that is driven; it asks for the token of the load targets. */
  path: string;
}

/** Installs the release in a new namespace. If it fails half way, it removes what it created. */
export async function deployOnKubernetes(options: KubernetesOptions): Promise<Deployment> {
  const deployer = new KubernetesDeployer(options, await ApiProxy.open(options.cluster));
  try {
    return await deployer.deploy();
  } catch (error) {
    await deployer.lifecycle.teardown();
    throw error;
  }
}

/** Name of the Service of a component, which values may change. */
function findServiceName(objects: KubernetesObject[], component: Component): string {
  const service = objects.find((o) => o.kind === 'Service' && componentOf(o) === component);
  return service?.metadata.name ?? `${RELEASE}-${component}`;
}

class KubernetesDeployer {
  readonly lifecycle = new Lifecycle(() => this.end());
  /** The pods right after the installation. */
  private instances: Instance[] = [];
  private namespace: string | undefined;
  private view!: ReleaseView;
  private nodes = new Set<string>();
  private forwarding: Forwarding | undefined;
  private observer: KubernetesObserver | undefined;

  constructor(
    private readonly options: KubernetesOptions,
    private readonly api: ApiProxy,
  ) {}

  async deploy(): Promise<Deployment> {
    const { cluster, helm, logs, progress, rendered, request } = this.options;
    await this.compareClocks();
    await sweepNamespaces(cluster, helm, (line) => progress.line(line));
    progress.signal.throwIfAborted();
    await mkdir(logs, { recursive: true });
    this.namespace = await createNamespace(cluster, helm, this.options.isForeign ? undefined : 'restricted');
    this.view = new ReleaseView(this.api, this.namespace);
    const forwarding = new Forwarding(cluster, this.namespace);
    this.forwarding = forwarding;
    await progress.during(`installing the chart in namespace ${this.namespace}`, () => this.install(this.namespace!));
    const environment = await this.environment(this.namespace);
    for (const imported of this.toImport(environment))
      await progress.during(`importing ${imported.name}`, () => this.import(imported));
    if (request) await createRequestSecret(cluster, this.namespace, request);
    await progress.during('waiting until the load targets answer', () => this.untilReady());
    const pods = await this.view.pods(ASK_MS);
    pods.forEach((pod) => this.noteNode(pod));
    this.instances = pods.map((pod) => this.describeInstance(pod));
    const deployment = this.deployment(this.namespace);
    const { sources } = deployment;
    const postgres = await this.postgres(forwarding, environment);
    const rescue = createClusterRescue({
      ...{ cluster, namespace: this.namespace, helm, rendered, forwarding, logs, signal: progress.signal },
      main: this.instances.find(({ component }) => component === 'main')!.name,
    });
    const seeded = { cluster, view: this.view, objects: rendered.objects, postgres, signal: progress.signal };
    return {
      ...deployment,
      sources: { ...sources, ...(postgres && { database: new PostgresWatch(postgres, this.noStatistics) }) },
      injector: createPodInjector({ cluster, view: this.view, environment, ...(postgres && { postgres }) }),
      ...(rescue && { rescue }),
      seed: (seed) => seedRelease(seeded, seed),
    };
  }

  private async install(namespace: string): Promise<void> {
    const { cluster, helm, logs, progress, rendered, isForeign } = this.options;
    const install = { cluster, view: this.view, helm, logs, progress };
    if (!isForeign) return installRelease({ ...install, chart: chartFolder, values: rendered.values });
    const chart = await asChart(rendered.objects, namespace);
    try {
      await installRelease({ ...install, chart, values: { files: [], set: [] } });
    } finally {
      await rm(chart, { recursive: true, force: true });
    }
  }

  /** Of main. Without the permission to read Secrets, only what needs the login of a database fails. */
  private environment(namespace: string): Promise<Record<string, string>> {
    const { cluster, rendered, driven } = this.options;
    return readEnvironment(cluster, namespace, rendered.objects).catch((error: unknown) => {
      if (driven) throw error;
      this.noStatistics(messageOf(error));
      return plainEnvironment(rendered.objects);
    });
  }

  private toImport(environment: Record<string, string>): Imported[] {
    const { custom, driven } = this.options;
    return [
      ...(custom ? [{ name: custom.name, source: `--workflow ${custom.file}`, imports: readCustom(custom) }] : []),
      ...(driven ? [{ name: driven.path, source: driven.path, imports: driven.imports(environment) }] : []),
    ];
  }

  private import(imported: Imported): Promise<void> {
    const { cluster, progress, n8n } = this.options;
    return importInto({ cluster, view: this.view, version: n8n, signal: progress.signal }, imported);
  }

  private deployment(namespace: string): Deployment {
    const { cluster, version, request } = this.options;
    const rendered = request ? withRequestFiles(this.options.rendered) : this.options.rendered;
    const observer = new KubernetesObserver(this.view, (pod) => this.noteNode(pod));
    this.observer = observer;
    const { record: described, nodes } = this;
    const place = { cluster, api: this.api, namespace, loadTest: rendered.loadTest, nodesUnderTest: () => nodes };
    return {
      record: { ...described, limits: { enforced: true, detail: `Kubernetes ${version}` } },
      access: {
        endpoints: [`http://${findServiceName(rendered.objects, this.front)}:${N8N_PORT}`],
        // k6 reads it from the Secret, so it does not leave the cluster.
        token: '',
        ...(request && { scriptEnv: request.scriptEnv }),
        generator: rendered.testRun ? k6TestRuns(place, rendered.testRun) : k6InCluster(place),
      },
      sources: { observer, queue: observer.queueSource },
      events: this.lifecycle.events,
      ready: () => this.lifecycle.ready((died) => this.becomeReady(died)),
      teardown: this.lifecycle.teardown,
    };
  }

  /** The embedded PostgreSQL at a port of this machine; undefined if there is none, or it cannot be reached. */
  private async postgres(
    forwarding: Forwarding,
    environment: Record<string, string>,
  ): Promise<PostgresAddress | undefined> {
    const pod = this.instances.find(({ component }) => component === 'postgresql')?.name;
    if (pod === undefined) return undefined;
    try {
      return await embeddedPostgres({ forwarding, pod }, environment);
    } catch (error) {
      return void this.noStatistics(messageOf(error));
    }
  }

  private readonly noStatistics = (why: string): void =>
    this.options.progress.line(`  PostgreSQL statistics are unavailable: ${why}`);

  /** The description of the render with the actual names of the pods. */
  private get record(): Omit<DeploymentRecord, 'limits'> {
    const { described } = this.options;
    const instances = this.instances.map(({ name, component }) => ({ ...this.describedAs(component), name }));
    return { ...described, provisioner: 'kubernetes', instances };
  }

  private describedAs(component: Component): DeploymentRecord['instances'][number] {
    return this.options.described.instances.find((i) => i.component === component)!;
  }

  private noteNode({ spec }: PodObject): void {
    if (spec.nodeName) this.nodes.add(spec.nodeName);
  }

  private describeInstance(pod: PodObject): Instance {
    const component = componentOf(pod)!;
    return { name: pod.metadata.name, component, limits: this.describedAs(component).limits };
  }

  /** The component that serves production webhooks. */
  private get front(): Component {
    return this.options.described.instances.some((i) => i.component === 'webhook') ? 'webhook' : 'main';
  }

  private async compareClocks(): Promise<void> {
    const before = Date.now();
    const { date } = await this.api.get('/version', ASK_MS);
    // The header has whole seconds.
    if (date > 0) requireSameClock(date + 500, before - 500, Date.now() + 500);
  }

  /** Replaces pods that are backing off after a death: that back-off belongs to the step in which the death happened. */
  private async becomeReady(died: boolean): Promise<void> {
    if (died) await replaceBackingOff(this.options.cluster, this.view, (names) => this.observer?.forget(names));
    await this.untilReady();
  }

  private untilReady(): Promise<void> {
    const { cluster, workflows, custom, driven, progress } = this.options;
    const path = driven?.path ?? findWorkload(workflows[0]!).path;
    const served = { component: this.front, path, ...(custom && { custom }) };
    return untilReleaseReady(cluster, this.view, served, progress.signal);
  }

  private async end(): Promise<void> {
    const { cluster, helm, progress } = this.options;
    try {
      if (this.namespace === undefined) return;
      const name = this.namespace;
      await this.saveLogs().catch(() => {});
      await progress
        .during(`removing namespace ${name}`, () => removeNamespace(cluster, helm, name))
        .catch((error: unknown) =>
          progress.warn(
            `  namespace ${name} was not removed: ${messageOf(error)}; remove it with kubectl delete namespace ${name}`,
          ),
        );
    } finally {
      this.forwarding?.close();
      this.api.close();
    }
  }

  private async saveLogs(): Promise<void> {
    const { cluster, logs } = this.options;
    const pods = await this.view.pods(ASK_MS);
    for (const { metadata } of pods) {
      const read = (...more: string[]) =>
        cluster
          .kubectl(['--namespace', this.namespace!, 'logs', metadata.name, '--all-containers', '--prefix', ...more])
          .catch(() => '');
      const texts = [await read('--previous'), await read()].filter(Boolean);
      await writeFile(join(logs, `${metadata.name}.log`), `${texts.join('\n')}\n`);
    }
  }
}
