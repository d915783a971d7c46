import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UsageError } from '../../core/errors.js';
import { isS3, s3Address, type S3Address, type S3Options } from '../../record/s3/address.js';
import { mirrorOfRun } from '../../record/s3/place.js';

/** Flags that every command which records something has. */
export interface OutputOptions extends S3Options {
  output?: string;
  json?: boolean;
  quiet?: boolean;
}

/** Where something is recorded: a folder, and where asked for its copy in S3. */
export interface Output {
  folder: string;
  s3?: S3Address;
}

/** For a flag that may be repeated. */
export const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

/** Adds the flags that say how S3 is reached, where a place may be `s3://bucket/prefix`. */
export const withS3 = (command: Command): Command =>
  command
    .optionsGroup(
      'Places in S3, as s3://bucket/prefix (credentials and region: as the AWS SDK finds them, never here):',
    )
    .option('--s3-endpoint <url>', 'server other than AWS (default: AWS_ENDPOINT_URL_S3)')
    .option(
      '--s3-path-style',
      "the bucket is in a request's path, not in its host: many servers other than AWS want it",
    );

/**
 * Where a run is recorded.
 * @param folder when none is given, or S3: `results/2026-11-20T10-15-00`, which sorts by time and is a folder's name everywhere
 * @throws UsageError
 */
export function outputOf(
  { output, ...options }: OutputOptions,
  folder = join('results', new Date().toISOString().slice(0, 19).replaceAll(':', '-')),
): Output {
  if (output !== undefined && isS3(output)) return { folder, s3: s3Address(output, options) };
  if (options.s3Endpoint !== undefined || options.s3PathStyle)
    throw new UsageError('--s3-endpoint and --s3-path-style need a place in S3: add -o s3://bucket/prefix.');
  return { folder: output ?? folder };
}

/**
 * Runs `work`, which records into the folder of `output`, and copies that folder to S3 where asked, as it goes and at the
 * end. Says where the record is when the user has ended it.
 * @throws UsageError before `work` when S3 cannot take it, and after it when not everything could be copied
 */
export async function keeping<T>(
  { folder, s3 }: Output,
  signal: AbortSignal,
  work: () => Promise<T>,
  { mirrorOf = mirrorOfRun, goOn = `"n8n-capacity report ${folder}" judges what there is` } = {},
): Promise<T> {
  const mirror = s3 && (await mirrorOf(s3, folder, (line) => process.stderr.write(`${line}\n`)));
  mirror?.start();
  const say = (error: unknown) => void process.stderr.write(`n8n-capacity: ${messageOf(error)}\n`);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // What went wrong first is what counts; that the copy failed, too, is said beside it.
    await mirror?.end().catch(say);
    throw error;
  } finally {
    if (signal.aborted && existsSync(folder)) process.stderr.write(`what was recorded is in ${folder}; ${goOn}\n`);
  }
  await mirror?.end().catch((error: unknown) => {
    if (!signal.aborted) throw error;
    say(error);
  });
  return result;
}

/** Prints a result for people or machines. */
export function printResult<T>(result: T, json: boolean | undefined, text: (result: T) => string): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : text(result));
}
