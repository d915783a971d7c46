import type { Command } from 'commander';
import { rm } from 'node:fs/promises';
import { ChartRefused, UsageError } from '../../core/errors.js';
import { EXIT_CODES, exitCodesHelp } from '../../core/exit-codes.js';
import { terminalProgress } from '../../core/progress.js';
import type { RatesOf } from '../../model/plan.js';
import { describeRates } from '../../plan/kinds.js';
import { readHeadroom, targetGiven } from '../../plan/rates.js';
import { askedPrices, type AskedOptions } from '../../recommend/asked.js';
import { forecastFromRun, forecastValues } from './from-run.js';
import { summarizeForecast } from './summary.js';
import { OWNER_ONLY, writeWhole } from '../../record/files.js';
import type { S3Options } from '../../record/s3/address.js';
import { withCopies } from '../../record/s3/place.js';
import { printForecast } from './report/terminal.js';
import { chartRefusal } from '../../chart/refusal.js';
import { ensureHelm } from '../../tools/programs.js';
import { withTarget } from '../../commands/options/target.js';
import { printResult, withS3 } from '../../commands/options/output.js';

/** `n8n-capacity forecast PLACE`. */
export const defineForecast = (command: Command, signal: AbortSignal): Command =>
  withS3(
    withTarget(
      command.argument('<place>', 'record of validate or soak: results/<time> or s3://bucket/prefix'),
      'arrival rate that must be sustained, such as 400/s',
    )
      .option('--headroom <factor>', 'multiple of the target that must be sustained (default: 1.3)')
      .option('--workload <name>', 'load of the record, where it has several')
      .option('--cpu-price <price>', 'price of a core for an hour')
      .option('--memory-price <price>', 'price of a GiB of memory for an hour')
      .option('-o, --output <file>', 'file to write the values to')
      .option('--json', 'print the result as JSON'),
  )
    .addHelpText('after', HELP)
    .action((place: string, options: Options) => run(place, options, signal));

interface Options extends S3Options, AskedOptions {
  workload?: string;
  output?: string;
  json?: boolean;
}

async function run(place: string, options: Options, signal: AbortSignal): Promise<void> {
  const { output, json, workload } = options;
  const target = readTarget(options);
  const rate = target.rate * target.headroom;
  const prices = readPrices(options);
  const summary = await withCopies([place], options, signal, async ({ folders: [folder = place], named }) => {
    const { found, run: recorded } = await forecastFromRun(folder, {
      rate,
      ...(workload !== undefined && { workload }),
    });
    const made = summarizeForecast(found, prices);
    const values = output === undefined ? undefined : await forecastValues(found, recorded, made.conclusion);
    if (output === undefined || values === undefined) return made;
    await writeCheckedValues(output, named(values), signal);
    return { ...made, values: output };
  });
  if (target.day) process.stderr.write(`${describeRates(target)}\n`);
  printResult(summary, json, printForecast);
  process.exitCode = EXIT_CODES[summary.verdict];
}

function readTarget({ target, perDay, peak, headroom }: Options): RatesOf<'target'> {
  if (target === undefined && perDay === undefined)
    throw new UsageError('give the rate to forecast for: --target, such as 400/s, or --per-day, such as 10M.');
  const given = targetGiven({ target, perDay, peak });
  return { kind: 'target', ...given!, headroom: readHeadroom({ headroom }) };
}

function readPrices(options: Options) {
  const { cpuHour, memoryGibHour } = askedPrices(options);
  if (cpuHour === undefined && memoryGibHour === undefined) return undefined;
  if (cpuHour === undefined || memoryGibHour === undefined)
    throw new UsageError('--cpu-price and --memory-price need each other: give both, or neither.');
  return { cpuHour, memoryGibHour };
}

/** Writes the values so that only the owner may read them: they may be secret. Deletes the file if the chart refuses it. */
async function writeCheckedValues(file: string, values: string, signal: AbortSignal): Promise<void> {
  await writeWhole(file, values, OWNER_ONLY);
  const refused = await chartRefusal(await ensureHelm(terminalProgress(true, signal)), file);
  if (refused === undefined) return;
  await rm(file, { force: true });
  throw new ChartRefused(refused);
}

const HELP = `
The cost of an execution is fitted over the steps of the record below its limit; a simulation of threads, slots, connections
and memory finds the smallest arrangement of the same pods that meets the record's objectives at the target times the headroom.
A forecast proves nothing: before go-live, run validate with its values at the target.

Examples:
  n8n-capacity forecast results/2026-11-20T10-15-00 --per-day 10M --peak 4x -o values.yaml
  n8n-capacity forecast results/2026-11-20T10-15-00 --target 400/s --cpu-price 0.03 --memory-price 0.004
  n8n-capacity forecast docs/example-run --workload webhook-ack --target 10/s --json

${exitCodesHelp({ 0: 'an arrangement was found', 1: 'no arrangement can take the rate' })}`;
