import { execa } from 'execa';
import { EnvironmentFault } from '../../core/errors.js';
import { versionOf, waysToInstall } from '../../tools/binary.js';

/** Longer than a loaded API server takes; a command that waits for something says so itself. */
const COMMAND_TIMEOUT_MS = 60_000;
/** By so much the clocks may differ: k6's samples carry the cluster's time, all others this machine's. */
const CLOCK_DIFFERENCE_MS = 2000;

export interface CommandInput {
  /** Standard input: where a manifest goes, so that nothing of it is in an argument. */
  input?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * The cluster that kubectl reaches, chosen as kubectl does: KUBECONFIG, its current context or the given one. kubectl and
 * not a client library: every way to log in that a kubeconfig can name works, on every Node that this tool runs on, and
 * streams of `exec` end whole.
 */
export class Cluster {
  constructor(readonly context?: string) {}

  /**
   * Runs kubectl; resolves to what it printed.
   * @throws EnvironmentFault with kubectl's own words
   */
  async kubectl(args: string[], { input = '', timeoutMs = COMMAND_TIMEOUT_MS, signal }: CommandInput = {}) {
    const result = await execa('kubectl', this.arguments(args), {
      input,
      timeout: timeoutMs,
      reject: false,
      // Ctrl-C must reach it through us alone: what tidies up is kubectl too.
      detached: true,
      ...(signal && { cancelSignal: signal }),
    });
    signal?.throwIfAborted();
    if (!result.failed) return result.stdout;
    throw new EnvironmentFault(`kubectl ${args.slice(0, 3).join(' ')}: ${result.stderr.trim() || result.shortMessage}`);
  }

  /** What kubectl prints as JSON. */
  async json<T>(args: string[], options?: CommandInput): Promise<T> {
    return JSON.parse(await this.kubectl([...args, '-o', 'json'], options)) as T;
  }

  /** Makes an object that is not there yet. */
  async create(object: object, options: CommandInput = {}): Promise<void> {
    await this.kubectl(['create', '-f', '-'], { ...options, input: JSON.stringify(object) });
  }

  /** kubectl's arguments with those that choose the cluster. */
  arguments(args: string[]): string[] {
    return this.context === undefined ? args : [`--context=${this.context}`, ...args];
  }

  /** Those that choose it for helm. */
  get helmArguments(): string[] {
    return this.context === undefined ? [] : ['--kube-context', this.context];
  }

  /**
   * Checks that there is a cluster which lets this run do its work, and resolves to its version.
   * @throws EnvironmentFault that says what is missing and what to do
   */
  async check(): Promise<string> {
    if (!(await versionOf('kubectl', ['version', '--client']))) throw new EnvironmentFault(NO_KUBECTL);
    const version = await this.serverVersion();
    for (const [verb, resource] of NEEDED) {
      const answer = await this.kubectl(['auth', 'can-i', verb, resource, '--all-namespaces']).catch(() => 'no');
      if (answer.trim() !== 'yes')
        throw new EnvironmentFault(
          `this user of the cluster may not ${verb} ${resource}: log in as one who may, or ask for a role that allows it (kubectl auth can-i ${verb} ${resource} --all-namespaces).`,
        );
    }
    return version;
  }

  private async serverVersion(): Promise<string> {
    try {
      const { gitVersion } = JSON.parse(
        await this.kubectl(['get', '--raw', '/version', '--request-timeout=15s']),
      ) as Record<string, string>;
      return gitVersion!;
    } catch (error) {
      const where = this.context === undefined ? 'the current context of KUBECONFIG' : `--kube-context ${this.context}`;
      throw new EnvironmentFault(`no cluster answers at ${where}: ${(error as Error).message}`);
    }
  }
}

/** What a run does that a user of a cluster may be forbidden. */
const NEEDED: [string, string][] = [
  ['create', 'namespaces'],
  ['delete', 'namespaces'],
  ['create', 'deployments.apps'],
  ['create', 'pods/exec'],
  ['get', 'pods/proxy'],
];

const NO_KUBECTL = `kubectl is not on PATH. Install it:\n${waysToInstall({
  debian: 'apt-get install kubectl, from the package repository that Kubernetes documents',
  macos: 'brew install kubectl',
  docker: 'copy /bin/kubectl out of the image registry.k8s.io/kubectl',
})}`;

/**
 * Refuses clocks that differ: rates and backlogs would be counted in the wrong seconds.
 * @param there a time of the cluster, in milliseconds since the epoch
 * @param before,after when it was asked and when the answer was there, on this machine
 */
export function requireSameClock(there: number, before: number, after: number): void {
  const difference = there < before ? before - there : Math.max(0, there - after);
  if (difference <= CLOCK_DIFFERENCE_MS) return;
  throw new EnvironmentFault(
    `the clocks of this machine and of the cluster differ by ${(difference / 1000).toFixed(1)} s: set them by NTP; what k6 saw there and what is seen from here could not be put together.`,
  );
}
