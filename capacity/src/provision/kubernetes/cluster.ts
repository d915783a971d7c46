import { EnvironmentFault } from '../../core/errors.js';
import { runWithTimeout } from '../../core/run-within.js';
import { readVersion, formatInstallWays } from '../../tools/binary.js';

/** Longer than a loaded API server takes; commands that wait set their own timeout. */
const COMMAND_TIMEOUT_MS = 60_000;
/** A cluster that does not answer by then does not answer. */
const VERSION_MS = 15_000;
/** Largest allowed clock difference: k6's samples carry the cluster's time, all others this machine's. */
const CLOCK_DIFFERENCE_MS = 2000;

export interface CommandInput {
  /** Standard input, for manifests: arguments are visible to other users. */
  input?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * The cluster that kubectl reaches: the given context, or the current one of KUBECONFIG. Uses kubectl instead of a client
 * library because it supports every login of a kubeconfig and does not truncate the streams of `exec`.
 */
export class Cluster {
  /** The current context when the cluster was checked: another one may become current during a run. */
  private found: string | undefined;

  constructor(private readonly given?: string) {}

  /** The context; undefined in a pod, which needs none. */
  get context(): string | undefined {
    return this.given ?? this.found;
  }

  /**
   * Runs kubectl; resolves to what it printed.
   * @throws EnvironmentFault with kubectl's message, or when it does not end in time
   */
  async kubectl(args: string[], options: CommandInput = {}): Promise<string> {
    return (await this.bytes(args, options)).toString().replace(/\r?\n$/, '');
  }

  /** As `kubectl`, for what is no text. */
  async bytes(
    args: string[],
    { input = '', timeoutMs = COMMAND_TIMEOUT_MS, signal }: CommandInput = {},
  ): Promise<Buffer> {
    const options = { input, timeoutMs, ...(signal && { signal }) };
    const { stdout, failure } = await runWithTimeout('kubectl', this.arguments(args), options);
    signal?.throwIfAborted();
    if (failure !== undefined) throw new EnvironmentFault(`kubectl ${args.slice(0, 3).join(' ')}: ${failure}`);
    return stdout;
  }

  /** Runs kubectl with `-o json` and parses what it prints. */
  async json<T>(args: string[], options?: CommandInput): Promise<T> {
    return JSON.parse(await this.kubectl([...args, '-o', 'json'], options)) as T;
  }

  /** Creates an object. */
  async create(object: object, options: CommandInput = {}): Promise<void> {
    await this.kubectl(['create', '-f', '-'], { ...options, input: JSON.stringify(object) });
  }

  /** Adds the arguments that choose the cluster for kubectl. */
  arguments(args: string[]): string[] {
    return this.context === undefined ? args : [`--context=${this.context}`, ...args];
  }

  /** Arguments that choose the cluster for helm. */
  get helmArguments(): string[] {
    return this.context === undefined ? [] : ['--kube-context', this.context];
  }

  /**
   * Checks that the cluster answers and that this user has the permissions of a run; resolves to the server's version.
   * @throws EnvironmentFault that says what is missing and what to do
   */
  async check(): Promise<string> {
    if (!(await readVersion('kubectl', ['version', '--client']))) throw new EnvironmentFault(NO_KUBECTL);
    // Without one, kubectl takes the account of its pod.
    if (this.given === undefined)
      this.found = (await this.kubectl(['config', 'current-context']).catch(() => '')) || undefined;
    const version = await this.serverVersion();
    for (const [verb, resource, subresource] of NEEDED) {
      const asked = [verb, resource, ...(subresource === undefined ? [] : [`--subresource=${subresource}`])];
      const answer = await this.kubectl(['auth', 'can-i', ...asked, '--all-namespaces']).catch(() => 'no');
      if (answer.trim() !== 'yes')
        throw new EnvironmentFault(
          `the user of the kubeconfig may not ${verb} ${[resource, subresource].filter(Boolean).join('/')}; use another user or ask for a role that allows it (check with kubectl auth can-i ${asked.join(' ')} --all-namespaces).`,
        );
    }
    return version;
  }

  private async serverVersion(): Promise<string> {
    try {
      const { gitVersion } = JSON.parse(
        // Not --request-timeout: with it, kubectl in a pod does not take the pod's own account.
        await this.kubectl(['get', '--raw', '/version'], { timeoutMs: VERSION_MS }),
      ) as Record<string, string>;
      return gitVersion!;
    } catch (error) {
      const current = this.found === undefined ? '' : ` (${this.found})`;
      const where =
        this.given === undefined ? `the current context of KUBECONFIG${current}` : `--kube-context ${this.given}`;
      throw new EnvironmentFault(`no cluster answers at ${where}: ${(error as Error).message}`);
    }
  }
}

/** Permissions that a run needs. To kubectl, `pods/exec` is a pod with the name exec. */
const NEEDED: [verb: string, resource: string, subresource?: string][] = [
  ['create', 'namespaces'],
  ['delete', 'namespaces'],
  ['create', 'deployments.apps'],
  ['create', 'pods', 'exec'],
  ['get', 'pods', 'proxy'],
];

const NO_KUBECTL = `kubectl is not on PATH. Install it:\n${formatInstallWays({
  debian: 'apt-get install kubectl, from the package repository that Kubernetes documents',
  fedora: 'dnf install kubernetes-client',
  macos: 'brew install kubectl',
  docker: 'copy /bin/kubectl out of the image registry.k8s.io/kubectl',
})}`;

/**
 * Refuses clocks that differ by more than 2 s: rates and backlogs would be counted in the wrong seconds.
 * @param there time of the cluster, in milliseconds since the epoch
 * @param before time of this machine when the cluster was asked
 * @param after time of this machine when the answer arrived
 * @throws EnvironmentFault
 */
export function requireSameClock(there: number, before: number, after: number): void {
  const difference = there < before ? before - there : Math.max(0, there - after);
  if (difference <= CLOCK_DIFFERENCE_MS) return;
  throw new EnvironmentFault(
    `the clocks of this machine and of the cluster differ by ${(difference / 1000).toFixed(1)} s; synchronize them with NTP, because samples of both are compared.`,
  );
}
