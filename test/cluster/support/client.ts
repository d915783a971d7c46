import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type ResultPromise } from 'execa';
import { stringify } from 'yaml';
import { k6 } from '../../support/tools.js';
import type { Namespace } from './namespace.js';

const loadtests = fileURLToPath(new URL('../../../loadtests', import.meta.url));
const version = /v(\d+\.\d+\.\d+)/.exec((await execa(k6, ['version'])).stdout)![1];

/** ConfigMap keys have no slashes. */
const files = readdirSync(loadtests, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.js(on)?$/.test(path) && statSync(join(loadtests, path)).isFile())
  .map((path) => ({ path, key: path.replaceAll('/', '__') }));

const ONE_REQUEST = `
import http from 'k6/http';
export default function () {
  const { method, url, headers } = JSON.parse(__ENV.REQUEST);
  const { status, body, error } = http.request(method, url, null, { headers, timeout: '90s', redirects: 0 });
  console.log(JSON.stringify({ status, body, error }));
}`;

export interface Answer {
  /** 0: none came, and `error` says why. */
  status: number;
  body: string;
  error: string;
}

/** A request of a load, as k6 saw it. */
export interface Sample {
  /** ms since 1970 when it had ended. */
  at: number;
  ok: boolean;
  status: string;
  errorCode: string;
}

/** k6 in a pod: requests go the way of every client in the cluster, through DNS, the Service and its rules. */
export class Client {
  private runs = 0;
  private constructor(private readonly namespace: Namespace) {}

  static async start(namespace: Namespace): Promise<Client> {
    const from = files.map(({ path, key }) => `--from-file=${key}=${join(loadtests, path)}`);
    await namespace.kubectl(['create', 'configmap', 'loadtests', ...from]);
    await namespace.apply(stringify(pod));
    await namespace.kubectl(['wait', 'pod/client', '--for=condition=Ready', '--timeout=120s']);
    return new Client(namespace);
  }

  async request(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    const request = JSON.stringify({ method, url, headers });
    const quiet = ['--quiet', '--no-usage-report', '--summary-mode=disabled', '--log-format=raw'];
    const command = ['k6', 'run', ...quiet, '--console-output=/dev/stdout', '-e', `REQUEST=${request}`, '-'];
    return JSON.parse(await this.namespace.exec('client', command, ONE_REQUEST));
  }

  /** Begins a script of loadtests/; it runs until it ends or is stopped. */
  load(script: string, variables: Record<string, string | number>): Load {
    const name = `/tmp/load-${++this.runs}`;
    const settings = Object.entries(variables).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
    const k6run = ['k6', 'run', '--quiet', '--no-usage-report', '--out', `csv=${name}.csv`, ...settings];
    const command = ['sh', '-c', `echo $$ > ${name}.pid; exec "$@"`, 'sh', ...k6run, `/loadtests/${script}.js`];
    const child = execa('kubectl', ['-n', this.namespace.name, 'exec', 'client', '--', ...command], {
      reject: false,
      all: true,
    });
    return new Load(this.namespace, name, child);
  }
}

export class Load {
  constructor(
    private readonly namespace: Namespace,
    private readonly name: string,
    private readonly child: ResultPromise<{ reject: false; all: true }>,
  ) {}

  /** Ends it now; requests on their way are forgotten. */
  async stop(): Promise<Samples> {
    await this.namespace.exec('client', ['sh', '-c', `kill -INT "$(cat ${this.name}.pid)" || true`]);
    return this.end();
  }

  /** Waits for its end. */
  async end(): Promise<Samples> {
    const { all, exitCode } = await this.child;
    // 99: a threshold is crossed, which the test judges itself. 105: stopped.
    if (![0, 99, 105].includes(exitCode ?? -1)) throw new Error(`k6 ended with ${exitCode}:\n${all}`);
    // grep's 1: nothing was sent before the end.
    const lines = await this.namespace.exec('client', [
      ...['sh', '-c'],
      `grep -E '^(http_reqs|wrong_answers|dropped_iterations),' ${this.name}.csv || [ $? = 1 ]`,
    ]);
    return new Samples(lines.split('\n').filter(Boolean), all);
  }
}

/** What a load has seen, in the order of time. */
export class Samples {
  readonly requests: Sample[];
  /** Answers without the proof of the work, of whatever status. */
  readonly wrong: number;
  /** Requests that were due when every virtual user was waiting. */
  readonly dropped: number;

  constructor(
    lines: string[],
    readonly output: string,
  ) {
    const rows = lines.map((line) => line.split(','));
    const of = (metric: string) => rows.filter(([name]) => name === metric);
    // metric_name,timestamp,metric_value,error_code,expected_response,scenario,status,...
    this.requests = of('http_reqs')
      .map(([, at, , errorCode, expected, , status]) => ({
        at: Number(at) / 1000,
        ok: expected === 'true',
        status: status!,
        errorCode: errorCode!,
      }))
      .sort((a, b) => a.at - b.at);
    this.wrong = of('wrong_answers').length;
    this.dropped = of('dropped_iterations').length;
  }

  get failed(): Sample[] {
    return this.requests.filter(({ ok }) => !ok);
  }

  /** Seconds from the last good answer before the first failure to the first good one after the last; 0 without one. */
  get outageSeconds(): number {
    const first = this.requests.findIndex(({ ok }) => !ok);
    if (first === -1) return 0;
    const last = this.requests.length - 1 - [...this.requests].reverse().findIndex(({ ok }) => !ok);
    const begin = this.requests[first - 1] ?? this.requests[0]!;
    const end = this.requests[last + 1] ?? this.requests.at(-1)!;
    return Math.round((end.at - begin.at) / 100) / 10;
  }

  /** One line: how many, and what failed when. */
  toString(): string {
    const begin = this.requests[0]?.at ?? 0;
    const failures = this.failed.map(({ at, status, errorCode }) => {
      const kind = status === '0' ? `no answer (k6's error ${errorCode})` : `status ${status}`;
      return `${kind} at ${((at - begin) / 1000).toFixed(1)} s`;
    });
    const some = failures.length > 10 ? [...failures.slice(0, 5), '…', ...failures.slice(-5)] : failures;
    const what = some.length > 0 ? ` (${some.join(', ')})` : '';
    return `${this.requests.length} requests, ${failures.length} failed${what}, ${this.dropped} not sent in time`;
  }
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'client' },
  spec: {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsNonRoot: true, runAsUser: 12345, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'k6',
        image: `docker.io/grafana/k6:${version}`,
        command: ['sleep', 'infinity'],
        env: [{ name: 'K6_CSV_TIME_FORMAT', value: 'unix_micro' }],
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '512Mi' } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        volumeMounts: [{ name: 'loadtests', mountPath: '/loadtests' }],
      },
    ],
    volumes: [{ name: 'loadtests', configMap: { name: 'loadtests', items: files } }],
  },
};
