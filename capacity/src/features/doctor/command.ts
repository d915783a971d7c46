import type { Command } from 'commander';
import { deployedVersion } from '../../chart/render.js';
import { exitCodesHelp } from '../../core/exit-codes.js';
import { UsageError } from '../../core/errors.js';
import { terminalProgress } from '../../core/progress.js';
import { printResult } from '../../commands/options/output.js';
import { setUp } from '../../tools/setup.js';
import { isReady, type Finding } from './finding.js';
import { checkMachine } from './machine.js';
import { checkPrograms } from './programs.js';
import { printFindings } from './terminal.js';

interface DoctorOptions extends InstallOptions {
  json?: boolean;
  fix?: boolean;
}

/** What to install. */
interface InstallOptions {
  all?: boolean;
  tools?: boolean;
  n8n?: string;
}

/** `n8n-capacity doctor`. */
export const defineDoctor = (command: Command, signal: AbortSignal): Command =>
  withInstall(
    command
      .option('--json', 'print the result as JSON')
      .option('--fix', 'install what is missing: k6, helm and the n8n that the chart deploys'),
    'with --fix: ',
  )
    .addHelpText('after', HELP)
    .action((options: DoctorOptions) => diagnose(options, signal));

/** `n8n-capacity setup`: the old name of `doctor --fix`. */
export const defineSetup = (command: Command, signal: AbortSignal): Command =>
  withInstall(command)
    .addHelpText('after', SETUP_HELP)
    .action((options: InstallOptions) => diagnose({ ...options, fix: true }, signal));

const withInstall = (command: Command, when = ''): Command =>
  command
    .option('--all', `${when}also install n8n 1.x and 0.x, PostgreSQL and Redis`)
    .option('--tools', `${when}install only k6 and helm`)
    .option(
      '--n8n <version>',
      `${when}install this version of n8n instead, with the Node that it wants, such as 2.39.10`,
    );

async function diagnose({ json, fix, ...scope }: DoctorOptions, signal: AbortSignal): Promise<void> {
  const given = Object.keys(scope)[0];
  if (!fix && given !== undefined)
    throw new UsageError(`--${given}: says what --fix installs; add --fix, or omit --${given}.`);
  if (fix) await install(scope, signal);
  const findings = [...(await checkPrograms()), ...(await checkMachine())];
  const isReadyHere = isReady(findings);
  printResult({ ready: isReadyHere, findings }, json, (result) => print(result.findings, fix));
  process.exitCode = isReadyHere ? 0 : 1;
}

async function install({ all, tools, n8n }: InstallOptions, signal: AbortSignal): Promise<void> {
  const progress = terminalProgress(false, signal);
  if (tools) return setUp('tools', progress);
  await setUp(all ? 'all' : 'default', progress, n8n ?? (await deployedVersion()));
}

/** After a fix only what is left. */
function print(findings: Finding[], fix?: boolean): string {
  const shown = fix ? findings.filter(({ state }) => state !== 'ok') : findings;
  return shown.length === 0 ? '' : printFindings(shown);
}

const HELP = `
Checks what "validate" needs to deploy n8n as local processes: programs, cores, memory, disk, cgroups and ports. Without --fix
it installs nothing and asks no server. --fix skips what is installed already, and installs in ~/.cache/n8n-tuned, or in
N8N_TUNED_CACHE if set. Other commands install what they need, so --fix only prepares a machine or an image.

States:
  ok        present
  installs  absent; a run installs it
  limited   a run works, with restrictions
  missing   a run fails

Examples:
  n8n-capacity doctor
  n8n-capacity doctor --json
  n8n-capacity doctor --fix
  n8n-capacity doctor --fix --n8n 2.39.10

${exitCodesHelp({ 0: 'a run can start', 1: 'something is missing' })}`;

const SETUP_HELP = `
The old name of "n8n-capacity doctor --fix".

Examples:
  n8n-capacity setup --all

${exitCodesHelp({ 0: 'everything is installed', 1: 'something is missing' })}`;
