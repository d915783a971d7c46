import type { Command } from 'commander';
import { UsageError } from '../core/errors.js';
import { exitCodesHelp } from '../core/exit-codes.js';
import { isS3, s3Address, type S3Options } from '../record/s3/address.js';
import { localCopy, uploadFolder } from '../record/s3/place.js';
import type { DefineCommand } from './feature.js';
import { withS3 } from './options/output.js';
import { printValues } from './recommend.js';
import type { FindReader } from './records.js';

interface ReportOptions extends S3Options {
  json?: boolean;
  /** `true`: to standard output. */
  values?: string | true;
  output?: string;
}

/** `n8n-capacity report PLACE`. */
export const defineReport =
  (findReader: FindReader): DefineCommand =>
  (command: Command, signal: AbortSignal) =>
    withS3(
      command
        .argument('<place>', 'record of any command: results/<time> or s3://bucket/prefix')
        .option('--json', 'print the result as JSON')
        .option('--values [file]', 'instead print the values that the record supports, or write them to a file')
        .option('-o, --output <place>', 'also copy the record to S3, such as s3://bucket/prefix, or complete its copy'),
    )
      .addHelpText('after', HELP)
      .action((place: string, options: ReportOptions) => report(findReader, place, options, signal));

async function report(
  findReader: FindReader,
  place: string,
  { json, values, output, ...s3 }: ReportOptions,
  signal: AbortSignal,
): Promise<void> {
  if (values !== undefined) {
    if (json || output !== undefined)
      throw new UsageError('--values prints values alone; omit --json and -o, or give the file as --values <file>.');
    return printValues(findReader, place, s3, values === true ? undefined : values, signal);
  }
  const address = readCopyAddress(place, output, s3);
  const folder = await localCopy(place, s3);
  await (await findReader(folder)).report(folder, json);
  if (!address) return;
  await uploadFolder(folder, address);
  process.stderr.write(`copied ${folder} to ${address.url}\n`);
}

/** Where to copy a local record; undefined if nowhere. Throws UsageError. */
function readCopyAddress(place: string, output: string | undefined, options: S3Options) {
  if (output === undefined) return undefined;
  if (!isS3(output)) throw new UsageError(`-o ${output}: is not a place in S3; write -o s3://bucket/prefix.`);
  if (isS3(place))
    throw new UsageError(`-o ${output}: the record is in S3 already; give a folder to copy, or omit -o.`);
  return s3Address(output, options);
}

const HELP = `
A record in S3 is copied to a temporary folder, and the report is written there.

Examples:
  n8n-capacity report results/2026-11-20T10-15-00
  n8n-capacity report results/2026-11-20T10-15-00 --values values.yaml
  n8n-capacity report results/2026-11-20T10-15-00 -o s3://measurements/friday
  n8n-capacity report s3://measurements/friday --json

${exitCodesHelp({ 0: 'PASS or CAPACITY; of tune and upgrade: nothing is worse', 1: 'FAIL; of upgrade: worse', 2: 'INCONCLUSIVE; of tune and upgrade: not decided' })}`;
