import { Command } from 'commander';
import { arrivalsCommand } from './arrivals.js';
import { burstCommand } from './burst.js';
import { checkCommand } from '../features/check/command.js';
import { cleanCommand } from './clean.js';
import { compareCommand } from '../features/compare/command.js';
import { withCompletion } from './completion.js';
import { withConfig } from './config.js';
import { confirmCommand } from '../features/confirm/command.js';
import { doctorCommand } from '../features/doctor/command.js';
import { faultsCommand } from '../features/faults/command.js';
import { forecastCommand } from '../features/forecast/command.js';
import { payloadLimitCommand } from './payload-limit.js';
import { pm2Command } from '../features/pm2/command.js';
import { recommendCommand } from './recommend.js';
import { reportCommand } from './report.js';
import { setupCommand } from './setup.js';
import { soakCommand } from './soak.js';
import { sweepCommand } from '../features/sweep/command.js';
import { tuneCommand } from '../features/tune/command.js';
import { upgradeCommand } from '../features/upgrade/command.js';
import { uploadCommand } from './upload.js';
import { validateCommand } from './validate.js';
import { exitCodes, VERDICT_CODES } from '../core/exit-codes.js';
import { toolPackage } from '../core/paths.js';

type NewCommand = (interruption: AbortSignal) => Command;

/** In the order of the help. */
const GROUPS: Record<string, NewCommand[]> = {
  'Measure:': [
    validateCommand,
    soakCommand,
    burstCommand,
    payloadLimitCommand,
    sweepCommand,
    tuneCommand,
    upgradeCommand,
    faultsCommand,
    arrivalsCommand,
  ],
  'Decide:': [checkCommand, confirmCommand, recommendCommand, forecastCommand, compareCommand, reportCommand],
  'Operate:': [pm2Command, uploadCommand],
  'Maintain:': [doctorCommand, setupCommand, cleanCommand],
};

/** The program with all its commands. Nothing runs until it parses arguments. */
export function n8nCapacity(interruption: AbortSignal): Command {
  const program = new Command('n8n-capacity')
    .description('Find the capacity of an n8n deployment, what limits it, and the chart values that meet an SLO.')
    .version(toolPackage().version)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      `\nExamples:\n  n8n-capacity validate --target 20/s\n  n8n-capacity --config staging.yaml validate\n\n${exitCodes(VERDICT_CODES)}\n\nRun "n8n-capacity <command> --help" for options and examples.`,
    );
  for (const [group, commands] of Object.entries(GROUPS))
    for (const command of commands) program.addCommand(command(interruption).helpGroup(group));
  return withCompletion(withConfig(program), 'Maintain:');
}
