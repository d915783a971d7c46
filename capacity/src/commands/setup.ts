import { Command } from 'commander';
import { deployedVersion } from '../chart/render.js';
import { exitCodes } from '../core/exit-codes.js';
import { terminalProgress } from '../core/progress.js';
import { setup } from '../tools/setup.js';

/** `n8n-capacity setup`. */
export const setupCommand = (signal: AbortSignal): Command =>
  new Command('setup')
    .description('Install the tools that validate needs: k6, helm and the n8n that the chart deploys.')
    .option('--all', 'also install n8n 1.x and 0.x, PostgreSQL and Redis')
    .option('--tools', 'install only k6 and helm')
    .option('--n8n <version>', 'install this version of n8n instead, with the Node that it wants, such as 2.39.10')
    .addHelpText('after', HELP)
    .action(async ({ all, tools, n8n }: { all?: boolean; tools?: boolean; n8n?: string }) => {
      const deployed = await deployedVersion();
      const progress = terminalProgress(false, signal);
      if (tools) return setup('tools', progress);
      await setup(all ? 'all' : 'default', progress, n8n ?? deployed);
    });

const HELP = `
Skips what is installed already. Other commands install what they need, so setup is only needed to prepare a machine or an
image. Everything is installed in ~/.cache/n8n-tuned, or in N8N_TUNED_CACHE if set.

Examples:
  n8n-capacity setup
  n8n-capacity setup --all
  n8n-capacity setup --n8n 2.39.10

${exitCodes({ 0: 'everything is installed' })}`;
