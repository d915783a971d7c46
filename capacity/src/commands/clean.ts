import { UsageError } from '../core/errors.js';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import type { Listed } from '../provision/existing/api.js';
import { apiOf, NAME_PREFIX, type TargetOptions } from '../provision/existing/target.js';

interface CleanOptions extends TargetOptions {
  yes?: boolean;
}

/** `n8n-capacity clean --url URL`. */
export const cleanCommand = (): Command =>
  new Command('clean')
    .description('Removes what a run left in an existing n8n that was killed before it could.')
    .option('--url <url>', 'address of n8n; its API key is in the environment, in N8N_API_KEY')
    .option('--allow-http', 'plain http to another machine is meant')
    .option('--yes', 'remove without asking')
    .addHelpText('after', HELP)
    .action(clean);

async function clean(options: CleanOptions): Promise<void> {
  const api = apiOf(options);
  const ours = (list: Listed[]) => list.filter(({ name }) => name.startsWith(NAME_PREFIX));
  const [workflows, credentials] = [ours(await api.workflows()), ours(await api.credentials())];
  const found = [
    ...workflows.map(({ id, name }) => `workflow   ${id}  ${name}`),
    ...credentials.map(({ id, name }) => `credential ${id}  ${name}`),
  ];
  if (found.length === 0) return void process.stdout.write(`nothing of n8n-capacity is left in ${api.url}\n`);
  process.stdout.write(`${found.join('\n')}\n`);
  if (!(await meant(options))) return;
  for (const { id } of workflows) await api.deleteWorkflow(id);
  for (const { id } of credentials) await api.deleteCredential(id);
  process.stdout.write(`removed ${found.length} from ${api.url}\n`);
}

async function meant({ yes }: CleanOptions): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new UsageError('add --yes to remove these: there is no terminal to ask at.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Remove these? A run that goes on now would lose them. [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

const HELP = `
Everything that a run puts into an n8n is named "${NAME_PREFIX}…" and removed when the run ends, also on Ctrl-C.

Examples:
  N8N_API_KEY=… n8n-capacity clean --url https://n8n.example.org
  N8N_API_KEY=… n8n-capacity clean --url http://127.0.0.1:5678 --yes`;
