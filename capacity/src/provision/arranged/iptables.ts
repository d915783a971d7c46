import { UsageError } from '../../core/errors.js';
import { execa } from 'execa';
import getPort from 'get-port';
import type { Progress } from '../../core/progress.js';
import type { Deployment } from '../../model/deployment.js';
import { LOOPBACK } from '../process/host.js';
import { inFront } from './in-front.js';
import { isOwnNetwork } from './network.js';

/**
 * Rules of the chain OUTPUT that send connections to `port` to `ports` in turn: the first takes every Nth, the next every
 * (N-1)th of the rest, the last what is left. Only a connection's first packet is asked; its requests all go where it goes.
 * See iptables-extensions(8), statistic and REDIRECT.
 */
export function iptablesRules(port: number, ports: number[]): string[][] {
  return ports.map((to, i) => {
    const left = ports.length - i;
    const turn = ['-m', 'statistic', '--mode', 'nth', '--every', String(left), '--packet', '0'];
    return [
      ...['-d', LOOPBACK, '-p', 'tcp', '--dport', String(port)],
      ...(left > 1 ? turn : []),
      ...['-j', 'REDIRECT', '--to-ports', String(to)],
    ];
  });
}

/** The deployment behind rules of the kernel. They hand out connections, not requests, and use no process of their own. */
export async function behindIptables(deployment: Deployment, { signal }: Progress): Promise<Deployment> {
  if (!isOwnNetwork()) throw new Error('the rules of the machine itself are left alone');
  const port = await getPort({ host: LOOPBACK });
  const rules = iptablesRules(
    port,
    deployment.access.endpoints.map((url) => Number(new URL(url).port)),
  );
  const made: string[][] = [];
  const remove = async () => {
    for (const rule of made.splice(0)) await iptables(['-D', ...OUTPUT, ...rule]);
  };
  try {
    for (const rule of rules) {
      signal.throwIfAborted();
      await iptables(['-A', ...OUTPUT, ...rule]);
      made.push(rule);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return inFront(deployment, port, remove);
}

const OUTPUT = ['OUTPUT', '-t', 'nat'];

async function iptables(args: string[]): Promise<void> {
  const { failed, stderr, shortMessage } = await execa('iptables', args, { reject: false, stdin: 'ignore' });
  if (failed) throw new UsageError(`iptables ${args.join(' ')}: ${String(stderr).trim() || shortMessage}`);
}
