import type { Command } from 'commander';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { UsageError } from '../core/errors.js';
import { exitCodesHelp } from '../core/exit-codes.js';
import type { Listed } from '../provision/existing/api.js';
import { createApi, NAME_PREFIX, type TargetOptions } from '../provision/existing/target.js';
import { duration } from '../plan/quantities.js';
import { Cluster } from '../provision/kubernetes/cluster.js';
import { oldNamespaces, removeNamespace } from '../provision/kubernetes/namespace.js';
import { terminalProgress } from '../core/progress.js';
import { ensureHelm } from '../tools/programs.js';
import { findOnDemandRuntimes } from '../tools/runtimes.js';
import { withUrl } from './options/existing.js';

interface CleanOptions extends TargetOptions {
  yes?: boolean;
  runtimes?: boolean;
  provisioner?: string;
  kubeContext?: string;
  olderThan?: string;
}

/** `n8n-capacity clean`. */
export const defineClean = (command: Command): Command =>
  withUrl(command)
    .option('--provisioner <name>', 'kubernetes: remove namespaces of runs of any host')
    .option('--kube-context <name>', 'kubeconfig context (default: the current context)')
    .option('--older-than <time>', 'with --provisioner kubernetes: least age of a namespace, such as 2h')
    .option('--runtimes', 'remove the versions of n8n that were installed beside the pinned ones')
    .option('--yes', 'remove without asking')
    .addHelpText('after', HELP)
    .action(clean);

async function clean(options: CleanOptions): Promise<void> {
  if (options.runtimes) return cleanRuntimes(options);
  if (options.provisioner !== undefined) return cleanCluster(options);
  if (options.url === undefined)
    throw new UsageError(
      'nothing to clean is named; give --url for an existing n8n, --provisioner kubernetes for a cluster, or --runtimes for this machine.',
    );
  const api = createApi(options);
  const ours = (list: Listed[]) => list.filter(({ name }) => name.startsWith(NAME_PREFIX));
  const [workflows, credentials] = [ours(await api.workflows()), ours(await api.credentials())];
  const found = [
    ...workflows.map(({ id, name }) => `workflow   ${id}  ${name}`),
    ...credentials.map(({ id, name }) => `credential ${id}  ${name}`),
  ];
  if (found.length === 0) return void process.stdout.write(`nothing to remove from ${api.url}\n`);
  process.stdout.write(`${found.join('\n')}\n`);
  if (!(await confirmed(options))) return;
  for (const { id } of workflows) await api.deleteWorkflow(id);
  for (const { id } of credentials) await api.deleteCredential(id);
  process.stdout.write(`removed ${found.length} from ${api.url}\n`);
}

async function cleanCluster(options: CleanOptions): Promise<void> {
  const { provisioner, kubeContext, olderThan } = options;
  if (provisioner !== 'kubernetes')
    throw new UsageError(`--provisioner ${provisioner}: leaves no namespaces; write kubernetes, or give --url.`);
  if (olderThan === undefined)
    throw new UsageError('--older-than is missing: set the least age of a namespace, as --older-than 2h.');
  const seconds = duration(olderThan, '--older-than');
  const cluster = new Cluster(kubeContext);
  const found = await oldNamespaces(cluster, seconds);
  if (found.length === 0) return void process.stdout.write(`no namespace of a run is older than ${olderThan}\n`);
  const lines = found.map(
    ({ name, hours, hostname }) => `namespace ${name}  ${hours.toFixed(1)} h old, of ${hostname}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  if (!(await confirmed(options))) return;
  const helm = await ensureHelm(terminalProgress());
  for (const { name } of found) await removeNamespace(cluster, helm, name);
  process.stdout.write(`removed ${found.length}\n`);
}

async function cleanRuntimes(options: CleanOptions): Promise<void> {
  const folders = await findOnDemandRuntimes();
  if (folders.length === 0) return void process.stdout.write('no version of n8n is installed beside the pinned ones\n');
  process.stdout.write(`${folders.join('\n')}\n`);
  if (!(await confirmed(options))) return;
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  process.stdout.write(`removed ${folders.length}\n`);
}

async function confirmed({ yes }: CleanOptions): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY)
    throw new UsageError('cannot ask for confirmation without a terminal; add --yes to remove these.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Remove these? A run that is still going would lose them. [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

const HELP = `
The API key is read from N8N_API_KEY. Runs name everything that they create in n8n "${NAME_PREFIX}…", and remove it when they
end, also after Ctrl-C. On Kubernetes the next run on the same host removes the namespaces of killed runs; --older-than
removes those of other hosts, such as CI runners.

Examples:
  N8N_API_KEY=… n8n-capacity clean --url https://n8n.example.org
  N8N_API_KEY=… n8n-capacity clean --url http://127.0.0.1:5678 --yes
  n8n-capacity clean --provisioner kubernetes --older-than 2h --yes
  n8n-capacity clean --runtimes

${exitCodesHelp({ 0: 'nothing is left, or you answered no' })}`;
