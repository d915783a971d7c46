import type { Generator, GeneratorEnd, GeneratorRun, StepLoad } from '../../model/generator.js';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentFault, messageOf } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { parseStat } from '../../observe/proc.js';
import { ASK_MS } from './api-proxy.js';
import { COLLECTED, k6Job, k6State, K6_LOG, PID, SAMPLES, STEP_LABEL, type JobObject, type K6State } from './k6-job.js';
import { k6Facts, placeOf, POLL_MS, stepName, type K6Place } from './k6-place.js';
import type { List, PodObject } from './api-objects.js';
import { describePodState, withoutImage } from './pod-waits.js';

/** The image may have to be pulled first. */
const START_MS = 180_000;
/** k6 continues while the API server does not answer. */
const SILENCE_MS = 30_000;
const ATTEMPTS = 5;
/** The samples of a long step are hundreds of megabytes. */
const COPY_MS = 600_000;

/** k6 as a Job in the release's namespace, one for each step. */
export function k6InCluster(place: K6Place): Generator {
  const [container] = place.loadTest.spec.template.spec.containers;
  let steps = 0;
  return { ...k6Facts(container), start: (step) => new K6Run(place, step, stepName(steps++)) };
}

class K6Run implements GeneratorRun {
  readonly finished: Promise<GeneratorEnd>;
  private state: K6State = {};
  private pod: PodObject | undefined;
  private stopped = false;
  private interrupted = false;

  constructor(
    private readonly place: K6Place,
    private readonly step: StepLoad,
    private readonly name: string,
  ) {
    this.finished = this.run().catch((error: unknown) => this.end({ exitCode: undefined, stderr: messageOf(error) }));
  }

  usage(): Promise<{ cpuSeconds: number; rssBytes: number } | undefined> {
    const { stat, ended } = this.state;
    if (stat === undefined || ended) return Promise.resolve(undefined);
    const { cpuSeconds, rssBytes } = parseStat(stat);
    return Promise.resolve({ cpuSeconds, rssBytes });
  }

  kill(): void {
    this.stopped = true;
    void this.interrupt();
  }

  /** On SIGINT k6 still writes its samples; on a second one it would not. */
  private async interrupt(): Promise<void> {
    if (this.interrupted) return;
    this.interrupted = true;
    await this.exec(['sh', '-c', `kill -INT "$(cat ${PID})"`]).catch(() => {
      // The API server did not answer, or k6 has not started: the next look tries again.
      this.interrupted = false;
    });
  }

  private async run(): Promise<GeneratorEnd> {
    const { cluster, namespace, loadTest } = this.place;
    await cluster.create({ ...k6Job(loadTest, this.name, this.step), metadata: this.metadata(loadTest) });
    const { exitCode, sha256 } = await this.untilEnded();
    const stderr = exitCode === 0 ? '' : await this.exec(['tail', '-c', '2000', K6_LOG]).catch(() => '');
    if (sha256 !== undefined) await this.collect(sha256);
    await cluster
      .kubectl(['--namespace', namespace, 'delete', 'job', this.name, '--wait=false', '--ignore-not-found'])
      .catch(() => {});
    return this.end({ exitCode, stderr });
  }

  private metadata(loadTest: JobObject) {
    const { labels } = k6Job(loadTest, this.name, this.step).metadata;
    return { name: this.name, namespace: this.place.namespace, ...(labels && { labels }) };
  }

  /**
   * Polls the pod's state and log until k6 has ended.
   * @throws EnvironmentFault when the pod is lost or never starts
   */
  private async untilEnded(): Promise<NonNullable<K6State['ended']>> {
    const started = Date.now();
    let answered = started;
    const look = async () => {
      try {
        this.pod = await this.findPod();
        if (this.pod && isStarted(this.pod)) this.state = k6State(await this.log());
        if (this.stopped) void this.interrupt();
        answered = Date.now();
      } catch (error) {
        if (Date.now() - answered > SILENCE_MS) throw error;
        return undefined;
      }
      return this.ended(Date.now() - started);
    };
    return (await waitUntil(look, { seconds: Infinity, everyMs: POLL_MS }))!;
  }

  /** How k6 ended, by the last look; undefined while it runs or may still start. */
  private ended(waitedMs: number): K6State['ended'] {
    if (this.state.ended) return this.state.ended;
    if (this.stopped && !this.state.stat) return { exitCode: 0 };
    const why = lost(this.pod);
    if (why) throw new EnvironmentFault(`the k6 pod was lost: ${why}`);
    if (this.state.stat || waitedMs <= START_MS) return undefined;
    const state = this.pod ? describePodState(this.pod) : 'no pod';
    throw new EnvironmentFault(`the k6 pod did not start within ${START_MS / 1000} s: ${state}`);
  }

  private async findPod(): Promise<PodObject | undefined> {
    const selector = encodeURIComponent(`${STEP_LABEL}=${this.name}`);
    const path = `/api/v1/namespaces/${this.place.namespace}/pods?labelSelector=${selector}`;
    return (await this.place.api.json<List<PodObject>>(path, ASK_MS)).items[0];
  }

  private async log(): Promise<string> {
    const path = `/api/v1/namespaces/${this.place.namespace}/pods/${this.pod!.metadata.name}/log?container=k6&tailLines=3`;
    const { status, body } = await this.place.api.get(path, ASK_MS);
    if (status !== 200) throw new EnvironmentFault(`the log of the k6 pod cannot be read: HTTP ${status}`);
    return body;
  }

  /**
   * Copies the samples and lets the pod end.
   * @throws EnvironmentFault when the copy is not what k6 wrote
   */
  private async collect(sha256: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      // A copy that broke off is not whole either.
      const bytes = await this.bytes(SAMPLES).catch(() => Buffer.alloc(0));
      if (createHash('sha256').update(bytes).digest('hex') === sha256) {
        await writeFile(join(this.step.folder, this.step.csv), bytes);
        await this.exec(['touch', COLLECTED]).catch(() => {});
        return;
      }
      if (attempt === ATTEMPTS)
        throw new EnvironmentFault(`k6's samples could not be copied completely in ${ATTEMPTS} attempts`);
      await sleep(POLL_MS);
    }
  }

  private async exec(command: string[]): Promise<string> {
    return this.place.cluster.kubectl(this.execArguments(command));
  }

  private async bytes(file: string): Promise<Uint8Array> {
    return this.place.cluster.bytes(this.execArguments(['cat', file]), { timeoutMs: COPY_MS });
  }

  private execArguments(command: string[]): string[] {
    return ['--namespace', this.place.namespace, 'exec', this.pod!.metadata.name, '--container=k6', '--', ...command];
  }

  private end({ exitCode, stderr }: Pick<GeneratorEnd, 'exitCode' | 'stderr'>): GeneratorEnd {
    const nodes = this.pod?.spec.nodeName ? [this.pod.spec.nodeName] : [];
    return { exitCode, signal: undefined, stderr, place: placeOf(nodes, this.place.nodesUnderTest()) };
  }
}

const container = ({ status }: PodObject) => status.containerStatuses?.find((s) => s.name === 'k6');

const isStarted = (pod: PodObject): boolean =>
  container(pod)?.state?.running !== undefined || container(pod)?.state?.terminated !== undefined;

/** Why a pod will deliver no samples; undefined while it still may. */
function lost(pod: PodObject | undefined): string | undefined {
  if (!pod) return undefined;
  const { status, metadata } = pod;
  const ended = container(pod)?.state?.terminated;
  if (ended) return `${ended.reason ?? 'ended'}, exit code ${ended.exitCode}`;
  if (status.phase === 'Failed') return status.message ?? status.reason ?? 'failed';
  return metadata.deletionTimestamp ? 'it was deleted' : withoutImage(pod)?.text;
}
