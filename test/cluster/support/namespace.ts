import { randomBytes } from 'node:crypto';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { eventually } from './eventually.js';

/** A Kubernetes object, or a part of one. */
export type Manifest = any;

const open = new Set<Namespace>();

/** What environment.cjs calls when a test has failed. */
(globalThis as { describeFailure?: () => Promise<string> }).describeFailure = async () =>
  (await Promise.all([...open].map((namespace) => namespace.describe()))).join('\n');

/** kubectl outside of any namespace; resolves to what it printed. */
export async function kubectl(args: string[], input = ''): Promise<string> {
  return (await execa('kubectl', args, { input, timeout: 300_000 })).stdout;
}

/** A namespace of a test: pods in it must pass the pod security standard `restricted`. */
export class Namespace {
  private constructor(readonly name: string) {}

  static async create(purpose: string): Promise<Namespace> {
    const namespace = new Namespace(`n8n-tuned-${purpose}-${randomBytes(3).toString('hex')}`);
    const metadata = {
      name: namespace.name,
      labels: {
        'n8n-tuned.io/test-run': process.env.CLUSTER_TEST_RUN,
        'pod-security.kubernetes.io/enforce': 'restricted',
      },
    };
    await kubectl(['apply', '-f', '-'], stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }));
    open.add(namespace);
    return namespace;
  }

  kubectl(args: string[], input = ''): Promise<string> {
    return kubectl(['--namespace', this.name, ...args], input);
  }

  /** Undefined when there is none. */
  async find(kind: string, name: string): Promise<Manifest> {
    const text = await this.kubectl(['get', kind, name, '--ignore-not-found', '-o', 'json']);
    return text ? JSON.parse(text) : undefined;
  }

  async get(kind: string, name: string): Promise<Manifest> {
    return JSON.parse(await this.kubectl(['get', kind, name, '-o', 'json']));
  }

  async list(kind: string, selector = ''): Promise<Manifest[]> {
    return JSON.parse(await this.kubectl(['get', kind, '--selector', selector, '-o', 'json'])).items;
  }

  /** Names of the objects of these kinds, as `kind/name`. */
  async names(kinds: string[]): Promise<string[]> {
    const text = await this.kubectl(['get', kinds.join(','), '-o', 'name', '--ignore-not-found']);
    return text.split('\n').filter(Boolean).sort();
  }

  apply(manifests: string): Promise<string> {
    return this.kubectl(['apply', '-f', '-'], manifests);
  }

  /** What there is, of any kind, as `kind/name`, but what Kubernetes and the test put there themselves. */
  async everything(): Promise<string[]> {
    const kinds = await kubectl(['api-resources', '--namespaced', '--verbs=list,delete', '-o', 'name']);
    const names = await this.names(kinds.split('\n').filter((kind) => !/^(events|pods\.metrics)/.test(kind)));
    return names.filter((name) => !/\/(client|loadtests|kube-root-ca\.crt)$|^serviceaccount\/default$/.test(name));
  }

  /** The value of a key of a Secret. */
  async secret(name: string, key: string): Promise<string> {
    const { data } = await this.get('secret', name);
    if (data?.[key] === undefined) throw new Error(`Secret ${name} has no key ${key}`);
    return Buffer.from(data[key], 'base64').toString();
  }

  /** Runs a command in the first container of a pod, or of a workload's. */
  exec(pod: string, command: string[], input = ''): Promise<string> {
    return this.kubectl(['exec', '-i', pod, '--', ...command], input);
  }

  /** Pods, events and the ends of the logs, for a test that has failed. */
  async describe(): Promise<string> {
    const print = async (...args: string[]) =>
      (await execa('kubectl', ['--namespace', this.name, ...args], { reject: false, all: true, timeout: 30_000 })).all;
    const pods = (await print('get', 'pods', '-o', 'name')).split('\n').filter((line) => line.startsWith('pod/'));
    const parts = [
      await print('get', 'pods,jobs,hpa,pvc', '-o', 'wide'),
      (await print('get', 'events', '--sort-by=.lastTimestamp')).split('\n').slice(-25).join('\n'),
    ];
    for (const pod of pods) {
      if (pod === 'pod/client') continue;
      parts.push(`--- ${pod}`, await print('logs', pod, '--all-containers', '--prefix', '--tail=15'));
      const before = await print('logs', pod, '--all-containers', '--prefix', '--tail=15', '--previous');
      if (!before.startsWith('Error from server')) parts.push(`--- ${pod} before its restart`, before);
    }
    return [`=== namespace ${this.name}`, ...parts].join('\n');
  }

  async delete(): Promise<void> {
    open.delete(this);
    // A pod that still works on something is not waited for.
    await this.kubectl(['delete', 'pods', '--all', '--grace-period=1', '--wait=false']);
    await kubectl(['delete', 'namespace', this.name, '--timeout=120s']);
  }

  /** Resolves when no pod of the selection is left. */
  async gone(selector: string, seconds = 60): Promise<void> {
    await eventually(`no pods ${selector}`, seconds, async () => (await this.list('pods', selector)).length === 0);
  }
}
