import type { Command } from 'commander';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { hasCostAbove } from '../../workflow/check/check.js';
import type { Circumstances } from '../../workflow/check/circumstances.js';
import { checkFile, fixFile, type CheckedFile, type UnreadFile } from '../../workflow/check/check-file.js';
import { UsageError } from '../../core/errors.js';
import { EXIT_CODES, exitCodesHelp } from '../../core/exit-codes.js';
import { escapeControls } from '../../core/printable.js';
import { terminalProgress } from '../../core/progress.js';
import { circumstancesGiven } from '../../plan/circumstances.js';
import type { ForeignOptions } from '../../plan/foreign.js';
import type { ConfiguredOptions } from '../../plan/options.js';
import { percentage } from '../../plan/quantities.js';
import { OWNER_ONLY, writeWhole } from '../../record/files.js';
import { formatChecks } from './terminal.js';
import { withForeign, withValues } from '../../commands/options/deployment.js';
import { printResult } from '../../commands/options/output.js';

interface CheckOptions extends ForeignOptions, ConfiguredOptions {
  fix?: boolean;
  output?: string;
  maxCost?: string;
  json?: boolean;
}

/** `n8n-capacity check FILE...`. */
export const defineCheck = (command: Command, signal: AbortSignal): Command =>
  withForeign(
    withValues(command.argument('<files...>', 'workflows exported from n8n')),
    'version of n8n that it runs on (default: that of the chart, or the tag of the image)',
  )
    .option('--fix', 'write a copy with the changes that cannot alter what the workflow does')
    .option('-o, --output <file>', 'with --fix: file to write (default: beside the workflow, as order.fixed.json)')
    .option('--max-cost <share>', 'end with 1 if one choice costs a larger share of the capacity, such as 30%')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((files: string[], options: CheckOptions) => run(files, options, signal));

/** Options that do not describe the deployment. */
const OTHER_OPTIONS = ['fix', 'output', 'maxCost', 'json', 'configOrigin'] satisfies (keyof CheckOptions)[];

const deploymentOptions = (options: CheckOptions): ForeignOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !(OTHER_OPTIONS as string[]).includes(name)));

async function run(files: string[], options: CheckOptions, signal: AbortSignal): Promise<void> {
  const most = highestCost(options);
  refuseOutput(files, options);
  const here = await circumstancesGiven(deploymentOptions(options), terminalProgress(false, signal));
  const rows = files.map((file) => (files.length === 1 ? checkFile(file, here) : checkOrTell(file, here)));
  const checked = rows.filter((row) => 'findings' in row);
  printResult(rows, options.json, formatChecks);
  if (options.fix) for (const { file } of checked) await writeFixed(file, options.output ?? fixedPath(file));
  if (options.maxCost !== undefined) warnUnmeasured(checked);
  if (checked.some(({ findings }) => hasCostAbove(findings, most))) process.exitCode = EXIT_CODES.FAIL;
  if (checked.length < rows.length) process.exitCode = EXIT_CODES.error;
}

/** Checks a file among others: one that cannot be read does not end the check. */
function checkOrTell(file: string, here: Circumstances | undefined): CheckedFile | UnreadFile {
  try {
    return checkFile(file, here);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file, error: error.message.replace(`${file}: `, '') };
  }
}

/** Warns that --max-cost does not count costs that were not measured. */
function warnUnmeasured(checked: CheckedFile[]): void {
  for (const { file, findings } of checked) {
    const unmeasured = findings.filter((finding) => finding.unlike).map(({ rule }) => rule);
    if (unmeasured.length > 0)
      process.stderr.write(`${file}: --max-cost does not count ${unmeasured.join(', ')}: not measured on this n8n\n`);
  }
}

/** The largest allowed share of the capacity, 0 to 1. Without --max-cost, any cost is allowed. */
const highestCost = ({ maxCost }: CheckOptions): number =>
  maxCost === undefined ? 1 : percentage(maxCost, '--max-cost');

function refuseOutput(files: string[], { fix, output }: CheckOptions): void {
  if (output === undefined) return;
  if (!fix) throw new UsageError('--output needs --fix: without it nothing is written.');
  if (files.length > 1)
    throw new UsageError(`--output: names one file, but ${files.length} workflows were given; give one workflow.`);
  if (files.some((file) => resolve(file) === resolve(output)))
    throw new UsageError(`--output: ${output} is the workflow itself; give another file.`);
}

async function writeFixed(file: string, copy: string): Promise<void> {
  const { content, fixed } = fixFile(file);
  const tell = (line: string) => process.stderr.write(`${escapeControls(line)}\n`);
  if (fixed.length === 0) return void tell(`${file}: nothing can be changed without altering what it does`);
  // A workflow may hold secrets: only the owner may read the copy.
  await writeWhole(copy, `${JSON.stringify(content, null, 2)}\n`, OWNER_ONLY);
  for (const { rule, node } of fixed) tell(`${file}: "${node}": ${rule} is changed`);
  tell(`wrote ${copy}`);
}

const fixedPath = (file: string): string => join(dirname(file), `${basename(file, extname(file))}.fixed.json`);

const HELP = `
Starts no n8n. Each cost was measured on an example with that choice alone and with the chart's defaults (docs/check.md). A
workflow that does much more work loses a smaller share; run validate to measure yours. With --n8n, -f, --set, --manifests or
--chart, the check leaves out choices that cost nothing on that deployment, and shows a cost only if it was measured on a similar
deployment.

Of several files it prints a table, then each finding once; a file that cannot be read is a row, and the command ends with 3.

Examples:
  n8n-capacity check order.json
  n8n-capacity check workflows/*.json --max-cost 30%
  n8n-capacity check order.json --n8n 2.39.10
  n8n-capacity check order.json --manifests n8n.yaml
  n8n-capacity check order.json --fix -o order-faster.json
  n8n-capacity check order.json --json

${exitCodesHelp({ 0: 'no choice costs more than --max-cost', 1: 'a choice costs more than --max-cost' })}`;
