import type { Generator, GeneratorEnd, GeneratorRun, StepLoad } from '../../model/generator.js';
import { gzipSync } from 'node:zlib';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { EnvironmentFault, messageOf } from '../../core/errors.js';
import { releaseFromGuard, guardCommand } from '../../core/guard.js';
import { killGroup } from '../../core/processes.js';
import { waitUntil } from '../../core/wait-until.js';
import { scriptName } from '../../load/k6.js';
import { isCompleteOutput, mergeSamples } from '../../load/merge.js';
import type { Container, Volume } from 'kubernetes-types/core/v1.js';
import { ASK_MS } from './api-proxy.js';
import type { Cluster } from './cluster.js';
import { awayFromTarget, k6Environment, STEP_LABEL } from './k6-job.js';
import { k6Facts, placeOf, POLL_MS, stepName, type K6Place } from './k6-place.js';
import type { List, PodObject } from './api-objects.js';
import { ReleaseView } from './release.js';

const CRD = 'testruns.k6.io';
/** Time for the operator's own pods, which read the script and start the others. */
const OVERHEAD_SECONDS = 300;

/** A log ends with its pod, unless the API server hangs. */
const LOG_END_MS = 60_000;
/** Phases of a pod that has ended. */
const ENDED = new Set(['Succeeded', 'Failed']);

/** The fields of the k6-operator's TestRun that are written or read. */
export interface TestRunObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec: {
    parallelism: number;
    arguments?: string;
    script: { localFile: string };
    initializer?: TestRunPod;
    starter?: object;
    runner: TestRunPod;
  };
  status?: { stage?: string };
}

export interface TestRunPod extends Partial<Container> {
  metadata?: { labels?: Record<string, string> };
  affinity?: object;
  volumes?: Volume[];
}

/** @throws EnvironmentFault when the cluster has no TestRun resource */
export async function requireOperator(cluster: Cluster): Promise<void> {
  if (await cluster.kubectl(['get', 'crd', CRD, '--ignore-not-found', '-o', 'name'])) return;
  throw new EnvironmentFault(
    '--generators: several k6 pods need the k6-operator, which is not installed in this cluster. Install it ' +
      '(helm install k6-operator grafana/k6-operator), or omit --generators.',
  );
}

/** The chart's TestRun with the step's settings. Samples go to the pods' output, the only one that the operator supports. */
export function createTestRun(chart: TestRunObject, name: string, step: StepLoad): TestRunObject {
  const { runner, initializer } = chart.spec;
  const labels = { ...chart.metadata.labels, [STEP_LABEL]: name };
  return {
    apiVersion: chart.apiVersion,
    kind: chart.kind,
    metadata: { name, labels },
    spec: {
      ...chart.spec,
      arguments: '--no-usage-report --no-color --out csv=-',
      script: { localFile: `/loadtests/${scriptName(step)}` },
      ...(initializer && { initializer: { ...initializer, env: k6Environment(initializer.env, step) } }),
      runner: {
        ...runner,
        env: k6Environment(runner.env, step),
        affinity: awayFromTarget,
        metadata: { ...runner.metadata, labels: { ...runner.metadata?.labels, [STEP_LABEL]: name } },
      },
    },
  };
}

/** k6 in several pods, which the k6-operator starts together; each sends its share of the arrivals. */
export function k6TestRuns(place: K6Place, chart: TestRunObject): Generator {
  const { version, cores } = k6Facts(chart.spec.runner);
  let steps = 0;
  return {
    version,
    cores: chart.spec.parallelism * cores,
    start: (step) => new TestRun(place, createTestRun(chart, stepName(steps++), step), step),
  };
}

const isRunning = ({ status }: PodObject): boolean => status.phase === 'Running';

/** A log that is followed. */
interface Log {
  pid: number | undefined;
  text: Promise<string>;
}

class TestRun implements GeneratorRun {
  readonly finished: Promise<GeneratorEnd>;
  private readonly logs = new Map<string, Log>();
  private readonly view: ReleaseView;
  private pods: PodObject[] = [];
  private stopped = false;
  private readonly interrupted = new Set<string>();

  constructor(
    private readonly place: K6Place,
    private readonly object: TestRunObject,
    private readonly step: StepLoad,
  ) {
    this.view = new ReleaseView(place.api, place.namespace);
    this.finished = this.run().catch((error: unknown) => this.end(undefined, messageOf(error)));
  }

  async usage(): Promise<{ cpuSeconds: number; rssBytes: number } | undefined> {
    const running = this.pods.filter(isRunning);
    if (running.length < this.object.spec.parallelism) return undefined;
    const usage = await this.view.usage([...this.nodes()], ASK_MS);
    const found = running.flatMap((p) => usage.get(p.metadata.name) ?? []);
    if (found.length < running.length) return undefined;
    const sum = (of: (u: (typeof found)[number]) => number) => found.reduce((total, u) => total + of(u), 0);
    return { cpuSeconds: sum((u) => u.cpuSeconds), rssBytes: sum((u) => u.rssBytes) };
  }

  kill(): void {
    this.stopped = true;
    this.interrupt();
  }

  /**
   * Interrupts each k6 that runs: the first process of its container. On SIGINT it still writes its samples; on a second one it would
   * not. One that could not be told is told again at the next look.
   */
  private interrupt(): void {
    for (const { metadata } of this.pods.filter(isRunning)) {
      const { name } = metadata;
      if (this.interrupted.has(name)) continue;
      this.interrupted.add(name);
      void this.kubectl(['exec', name, '--container=k6', '--', 'sh', '-c', 'kill -INT 1']).catch(() =>
        this.interrupted.delete(name),
      );
    }
  }

  private async run(): Promise<GeneratorEnd> {
    const { namespace, cluster } = this.place;
    const { metadata } = this.object;
    await cluster.create({ ...this.object, metadata: { ...metadata, namespace } });
    try {
      await this.untilEnded();
    } finally {
      await this.kubectl(['delete', CRD, metadata.name, '--wait=false', '--ignore-not-found']).catch(() => {});
    }
    const outputs = await this.outputs();
    const codes = this.pods.map(exitCodeOf);
    const missing = [...outputs]
      .filter(([, output]) => !isCompleteOutput(output))
      .map(([pod]) => this.whyIncomplete(pod));
    if (outputs.size < this.object.spec.parallelism) missing.push('a k6 pod never started');
    if (missing.length > 0) return this.end(undefined, missing.join('; '));
    await writeFile(join(this.step.folder, this.step.csv), gzipSync(mergeSamples([...outputs.values()])));
    return this.end(codes.find((code) => code !== 0) ?? 0, '');
  }

  /**
   * Follows the pods' logs from the start, before nodes rotate them, until every k6 has ended. One that is deleted has ended,
   * too.
   */
  private async untilEnded(): Promise<void> {
    const { parallelism } = this.object.spec;
    const { warmupSeconds, stepSeconds, timeoutSeconds } = this.step;
    const seconds = warmupSeconds + stepSeconds + timeoutSeconds + OVERHEAD_SECONDS;
    const haveEnded = async () => {
      const pods = await this.podsOfTestRun().catch(() => undefined);
      if (!pods) return false;
      await this.throwWhereInitializerFailed(pods);
      this.pods = pods.filter(({ metadata }) => metadata.labels?.runner === 'true');
      for (const { metadata, status } of this.pods)
        if (status.phase !== 'Pending' && !this.logs.has(metadata.name))
          this.logs.set(metadata.name, this.follow(metadata.name));
      if (this.stopped) this.interrupt();
      const running = this.pods.filter(({ status }) => !ENDED.has(status.phase ?? ''));
      // Pods that have not started would drive the whole load later: they are deleted with the TestRun.
      return (this.logs.size >= parallelism && running.length === 0) || (this.stopped && !this.pods.some(isRunning));
    };
    if (!(await waitUntil(haveEnded, { seconds, everyMs: POLL_MS })))
      throw new EnvironmentFault(`the k6-operator did not finish its ${parallelism} k6 pods within ${seconds} s`);
  }

  /** What each pod printed, by its name. */
  private async outputs(): Promise<Map<string, string>> {
    const late = setTimeout(() => [...this.logs.values()].forEach(({ pid }) => killGroup(pid)), LOG_END_MS);
    const all = [...this.logs].map(async ([pod, { text }]) => [pod, await text] as const);
    return new Map(await Promise.all(all).finally(() => clearTimeout(late)));
  }

  private whyIncomplete(name: string): string {
    const pod = this.pods.find(({ metadata }) => metadata.name === name);
    if (!pod) return `the k6 pod ${name} was deleted while it ran`;
    const code = exitCodeOf(pod);
    // 99: a threshold is crossed. 105: interrupted; both end with a summary.
    if (code !== undefined && ![0, 99, 105].includes(code)) return `k6 in the pod ${name} ended with exit code ${code}`;
    return `the output of the k6 pod ${name} is incomplete: its log was truncated`;
  }

  /** @throws EnvironmentFault when the script cannot be read: the operator itself would wait without an end */
  private async throwWhereInitializerFailed(pods: PodObject[]): Promise<void> {
    const isInitializer = ({ metadata }: PodObject) =>
      metadata.labels?.['job-name'] === `${this.object.metadata.name}-initializer`;
    const failed = pods.find((pod) => isInitializer(pod) && pod.status.phase === 'Failed');
    if (!failed) return;
    const log = await this.kubectl(['logs', failed.metadata.name, '--tail=5']).catch(messageOf);
    throw new EnvironmentFault(`the k6-operator could not initialize the test: ${log.trim()}`);
  }

  private async podsOfTestRun(): Promise<PodObject[]> {
    const selector = encodeURIComponent(`k6_cr=${this.object.metadata.name}`);
    const path = `/api/v1/namespaces/${this.place.namespace}/pods?labelSelector=${selector}`;
    return (await this.place.api.json<List<PodObject>>(path, ASK_MS)).items;
  }

  private follow(pod: string): Log {
    const args = ['--namespace', this.place.namespace, 'logs', '--follow', pod, '--container=k6'];
    const { file, args: given, guard } = guardCommand('kubectl', this.place.cluster.arguments(args));
    const child = execa(file, given, {
      ...{ reject: false, detached: true, maxBuffer: 2 ** 30 },
      stdio: ['ignore', 'pipe', 'ignore', guard],
    });
    const text = child.then(({ stdout }) => {
      releaseFromGuard(child.pid);
      return String(stdout ?? '');
    });
    return { pid: child.pid, text };
  }

  private kubectl(args: string[]): Promise<string> {
    return this.place.cluster.kubectl(['--namespace', this.place.namespace, ...args]);
  }

  private nodes(): Set<string> {
    return new Set(this.pods.flatMap(({ spec }) => spec.nodeName ?? []));
  }

  private end(exitCode: number | undefined, stderr: string): GeneratorEnd {
    return { exitCode, signal: undefined, stderr, place: placeOf([...this.nodes()], this.place.nodesUnderTest()) };
  }
}

const exitCodeOf = ({ status }: PodObject): number | undefined =>
  status.containerStatuses?.find((s) => s.name === 'k6')?.state?.terminated?.exitCode;
