import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UsageError } from '../../core/errors.js';
import { escapeControlsKeepLines } from '../../core/printable.js';
import { claimed } from '../../record/claim.js';
import { isS3, s3Address, type S3Address, type S3Options } from '../../record/s3/address.js';
import { mirrorOfRun } from '../../record/s3/place.js';
import { JUNIT_OPTION, MARKDOWN_OPTION } from '../../report/ci-files.js';

/** Options of every command that records something. */
export interface OutputOptions extends S3Options {
  output?: string;
  json?: boolean;
  quiet?: boolean;
}

/** Where something is recorded: a folder, and its copy in S3 if there is one. */
export interface Output {
  folder: string;
  s3?: S3Address;
}

/** Collects the values of an option that may be repeated. */
export const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

/**
 * Adds the options for where and how to report.
 * @param defaultPlace the folder if none is given, for the help
 * @param ci whether the command writes files for CI
 */
export function withOutput(command: Command, { defaultPlace = 'results/<time>', ci = false } = {}): Command {
  command
    .option('-o, --output <place>', `folder or S3 place of the record (default: ${defaultPlace})`)
    .option('--json', 'print the result as JSON');
  if (ci) command.option(...JUNIT_OPTION).option(...MARKDOWN_OPTION);
  return command.option('-q, --quiet', 'print no progress');
}

/** Adds the options for S3, for commands that accept s3://bucket/prefix. */
export const withS3 = (command: Command): Command =>
  command
    .optionsGroup('S3 (for places such as s3://bucket/prefix; credentials and region as for any AWS SDK):')
    .option('--s3-endpoint <url>', 'server other than AWS (default: AWS_ENDPOINT_URL_S3)')
    .option(
      '--s3-path-style',
      'put the bucket in the path instead of the host name, as many servers other than AWS need',
    );

/**
 * Where a run is recorded.
 * @param folder if none is given, or for the local copy of S3: `results/2026-11-20T10-15-00` sorts by time and is valid on every file system
 * @throws UsageError
 */
export function chooseOutput(
  { output, ...options }: OutputOptions,
  folder = join('results', new Date().toISOString().slice(0, 19).replaceAll(':', '-')),
): Output {
  if (output !== undefined && isS3(output)) return { folder, s3: s3Address(output, options) };
  if (options.s3Endpoint !== undefined || options.s3PathStyle)
    throw new UsageError('--s3-endpoint and --s3-path-style need a place in S3; add -o s3://bucket/prefix.');
  return { folder: output ?? folder };
}

/**
 * Runs `work`, which records into the folder of `output`, and no other run does meanwhile. Copies that folder to S3 if asked, during the work and at its end.
 * After Ctrl-C, prints where the record is.
 * @param options.goOn what to do with the record after Ctrl-C
 * @throws UsageError before `work` when another run records there or S3 refuses the record, and after it when the copy is not complete
 */
export async function keepRecord<T>(
  { folder, s3 }: Output,
  signal: AbortSignal,
  work: () => Promise<T>,
  { mirrorOf = mirrorOfRun, goOn = `to judge it, run: n8n-capacity report ${folder}` } = {},
): Promise<T> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const mirror = s3 && (await mirrorOf(s3, folder, say));
  mirror?.start();
  const print = (error: unknown) =>
    void process.stderr.write(`n8n-capacity: ${escapeControlsKeepLines(messageOf(error))}\n`);
  let result: T;
  try {
    result = await claimed(folder, say, signal, work);
  } catch (error) {
    // The first error counts; an error of the copy is only printed.
    await mirror?.end().catch(print);
    throw error;
  } finally {
    if (signal.aborted && existsSync(folder)) process.stderr.write(`the record so far is in ${folder}; ${goOn}\n`);
  }
  await mirror?.end().catch((error: unknown) => {
    if (!signal.aborted) throw error;
    print(error);
  });
  return result;
}

/** Prints a result for people or machines. */
export function printResult<T>(result: T, json: boolean | undefined, text: (result: T) => string): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : text(result));
}
