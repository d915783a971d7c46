import type { Values } from '../model/plan.js';
import { Command } from 'commander';
import { checkedValues } from '../plan/values.js';
import { appsOf } from '../pm2/apps.js';
import { ecosystemFile } from '../pm2/file.js';
import type { KubernetesObject } from '../chart/objects.js';
import { renderChart } from '../chart/render.js';
import { writeWhole } from '../record/files.js';
import { terminalProgress } from '../core/progress.js';
import { ensureHelm } from '../tools/go-tools.js';
import { collect } from './options/output.js';

/** `n8n-capacity pm2`. */
export const pm2Command = (signal: AbortSignal): Command =>
  new Command('pm2')
    .description('Prints an ecosystem.config.cjs for PM2, made of the same rendered chart; runs nothing.')
    .option('-f, --values <file>', 'values file of the chart; may be repeated', collect)
    .option('--set <key=value>', 'a single value of the chart; may be repeated', collect)
    .option('-o, --output <file>', 'write it into this file (default: print it)')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, signal));

interface Options {
  values?: string[];
  set?: string[];
  output?: string;
}

async function run({ output, ...given }: Options, signal: AbortSignal): Promise<void> {
  const values = checkedValues(given);
  const objects = await renderChart(await ensureHelm(terminalProgress(false, signal)), values);
  const text = ecosystemOf(objects, values);
  if (output === undefined) process.stdout.write(text);
  else await writeWhole(output, text, 0o600);
}

/** The file that PM2 reads, of what the chart makes of the values. */
export function ecosystemOf(objects: KubernetesObject[], { files, set }: Values): string {
  const command = ['n8n-capacity pm2', ...files.map((file) => `-f ${file}`), ...set.map(withoutValue)];
  return ecosystemFile(appsOf(objects), objects, command.join(' '));
}

/** A value may be a secret. */
const withoutValue = (assignment: string) => `--set ${assignment.split('=')[0]}=…`;

const HELP = `
One app for each process of n8n: main once, each worker, and the webhook processors as one cluster, which "pm2 reload" renews
without losing a request. Secrets are not printed: the file asks for them in the environment of "pm2 start". What PM2 cannot
do is said at its top. docs/pm2.md says what a reload costs.

Examples:
  n8n-capacity pm2 -f values.yaml -o ecosystem.config.cjs
  n8n-capacity pm2 -f charts/n8n-tuned/profiles/queue.yaml --set worker.replicas=4 > ecosystem.config.cjs

Exit code: 0 the file is written, 3 the values or the tool failed.`;
