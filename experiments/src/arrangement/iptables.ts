import { LOOPBACK } from './loopback.js';
import { execa } from 'execa';
import getPort from 'get-port';
import { UsageError, type Deployment, type Progress } from 'n8n-capacity';
import { routeThroughPort } from './balancer.js';
import { isInOwnNetwork } from './network.js';

/**
 * Rules for the OUTPUT chain that distribute connections to `port` over `ports`. The first rule takes every Nth connection, the
 * second every (N-1)th of the rest, and the last all others. Only the first packet of a connection passes the rules, so all its
 * requests reach one process. See iptables-extensions(8), statistic and REDIRECT.
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

/**
 * Puts the deployment behind kernel rules. They distribute connections, not requests, and need no process.
 * @throws UsageError when iptables fails
 */
export async function deployBehindIptables(deployment: Deployment, { signal }: Progress): Promise<Deployment> {
  if (!isInOwnNetwork())
    throw new Error('not in its own network namespace; refusing to change the rules of the machine');
  const port = await getPort({ host: LOOPBACK });
  const rules = iptablesRules(
    port,
    deployment.access.endpoints.map((url) => Number(new URL(url).port)),
  );
  const made: string[][] = [];
  const remove = async () => {
    for (const rule of made.splice(0)) await runIptables(['-D', ...OUTPUT_CHAIN, ...rule]);
  };
  try {
    for (const rule of rules) {
      signal.throwIfAborted();
      await runIptables(['-A', ...OUTPUT_CHAIN, ...rule]);
      made.push(rule);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return routeThroughPort(deployment, port, remove);
}

const OUTPUT_CHAIN = ['OUTPUT', '-t', 'nat'];

async function runIptables(args: string[]): Promise<void> {
  const { failed, stderr, shortMessage } = await execa('iptables', args, { reject: false, stdin: 'ignore' });
  if (failed) throw new UsageError(`iptables ${args.join(' ')}: ${String(stderr).trim() || shortMessage}`);
}
