import { Command } from 'commander';
import { exitCodes } from '../../core/exit-codes.js';
import { isReady } from './finding.js';
import { machineFindings } from './machine.js';
import { programFindings } from './programs.js';
import { printFindings } from './terminal.js';
import { printResult } from '../../commands/options/output.js';

/** `n8n-capacity doctor`. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('Check whether this machine can run validate, and print the commands that install what is missing.')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async ({ json }: { json?: boolean }) => {
      const findings = [...(await programFindings()), ...(await machineFindings())];
      printResult({ ready: isReady(findings), findings }, json, (result) => printFindings(result.findings));
      process.exitCode = isReady(findings) ? 0 : 1;
    });

const HELP = `
Checks what "validate" needs to deploy n8n as local processes: programs, cores, memory, disk, cgroups and ports. Installs
nothing and asks no server.

States:
  ok        present
  installs  absent; a run installs it
  limited   a run works, with restrictions
  missing   a run fails

Examples:
  n8n-capacity doctor
  n8n-capacity doctor --json

${exitCodes({ 0: 'a run can start', 1: 'something is missing' })}`;
