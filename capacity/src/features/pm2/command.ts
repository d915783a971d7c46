import type { Values } from '../../model/plan.js';
import type { Command } from 'commander';
import { exitCodesHelp } from '../../core/exit-codes.js';
import type { ValuesOptions } from '../../plan/options.js';
import { checkedValues } from '../../plan/values.js';
import { buildApps } from './apps.js';
import { ecosystemFile } from './file.js';
import type { KubernetesObject } from '../../chart/objects.js';
import { renderChart } from '../../chart/render.js';
import { valuesFlags } from '../../chart/values-flags.js';
import { OWNER_ONLY, writeWhole } from '../../record/files.js';
import { terminalProgress } from '../../core/progress.js';
import { ensureHelm } from '../../tools/programs.js';
import { withValues } from '../../commands/options/deployment.js';

/** `n8n-capacity pm2`. */
export const definePm2 = (command: Command, signal: AbortSignal): Command =>
  withValues(command)
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, signal));

interface Options extends ValuesOptions {
  output?: string;
}

async function run({ output, ...given }: Options, signal: AbortSignal): Promise<void> {
  const values = checkedValues(given);
  const objects = await renderChart(await ensureHelm(terminalProgress(false, signal)), values);
  const text = ecosystemFromChart(objects, values);
  if (output === undefined) process.stdout.write(text);
  else await writeWhole(output, text, OWNER_ONLY);
}

/** The ecosystem file for the rendered objects of the chart. */
export function ecosystemFromChart(objects: KubernetesObject[], values: Values): string {
  const flags = valuesFlags(values).map(
    ([flag, value]) => `${flag} ${SHOWN_FLAGS.includes(flag) ? value : withoutValue(value)}`,
  );
  const command = ['n8n-capacity pm2', ...flags];
  return ecosystemFile(buildApps(objects), objects, command.join(' '));
}

/** Names of files and profiles; any other value is left out, as it may be secret. */
const SHOWN_FLAGS = ['--profile', '-f'];
const withoutValue = (assignment: string) =>
  `${assignment.trim().startsWith('{') ? '' : `${assignment.split('=')[0]}=`}…`;

const HELP = `
The file has one app for each process of n8n: main, each worker, and the webhook processors as one cluster, which
"pm2 reload" restarts without losing a request. Secrets are not written: "pm2 start" reads them from the environment. The top
of the file lists the chart's settings that PM2 cannot apply. docs/pm2.md shows what a reload costs.

Examples:
  n8n-capacity pm2 -f values.yaml -o ecosystem.config.cjs
  n8n-capacity pm2 --profile queue --set worker.replicas=4 > ecosystem.config.cjs

${exitCodesHelp({ 0: 'the file was written' })}`;
