import { Command } from 'commander';
import { arrivalsCommand } from './commands/arrivals.js';
import { burstCommand } from './commands/burst.js';
import { checkCommand } from './commands/check.js';
import { cleanCommand } from './commands/clean.js';
import { compareCommand } from './commands/compare.js';
import { withCompletion } from './commands/completion.js';
import { withConfig } from './commands/config.js';
import { confirmCommand } from './commands/confirm.js';
import { doctorCommand } from './commands/doctor.js';
import { faultsCommand } from './commands/faults.js';
import { forecastCommand } from './commands/forecast.js';
import { abortOnSignals } from './commands/interruption.js';
import { payloadLimitCommand } from './commands/payload-limit.js';
import { pm2Command } from './commands/pm2.js';
import { runProgram } from './commands/program.js';
import { recommendCommand } from './commands/recommend.js';
import { reportCommand } from './commands/report.js';
import { setupCommand } from './commands/setup.js';
import { soakCommand } from './commands/soak.js';
import { sweepCommand } from './commands/sweep.js';
import { tuneCommand } from './commands/tune.js';
import { upgradeCommand } from './commands/upgrade.js';
import { uploadCommand } from './commands/upload.js';
import { validateCommand } from './commands/validate.js';
import { exitCodes, VERDICT_CODES } from './core/exit-codes.js';
import { toolPackage } from './core/paths.js';

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

const interruption = abortOnSignals();
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
await runProgram(withCompletion(withConfig(program), 'Maintain:'), interruption);
