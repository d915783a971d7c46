import type { Command } from 'commander';
import { EXIT_CODES, exitCodesHelp } from '../core/exit-codes.js';
import type { AskedOptions } from '../recommend/asked.js';
import type { Recommended } from '../recommend/recommended.js';
import { OWNER_ONLY, writeWhole } from '../record/files.js';
import type { S3Options } from '../record/s3/address.js';
import { withCopies } from '../record/s3/place.js';
import type { DefineCommand } from './feature.js';
import { withS3 } from './options/output.js';
import { withTarget } from './options/target.js';
import { requireRecommend, type FindReader } from './records.js';

/** `n8n-capacity recommend PLACE`. */
export const defineRecommend =
  (findReader: FindReader): DefineCommand =>
  (command: Command, signal: AbortSignal) =>
    withS3(
      withTarget(
        command.argument('<place>', 'record of validate, soak, sweep or confirm: results/<time> or s3://bucket/prefix'),
        'arrival rate that the values must sustain, such as 20/s; per second without a unit (default: the target of the record)',
      )
        .option('--headroom <factor>', 'headroom above the target (default: that of the record, else 1.3)')
        .option('--cpu-price <price>', 'sweeps only: price of a core for an hour (default: as in its plan)')
        .option('--memory-price <price>', 'sweeps only: price of a GiB of memory for an hour (default: as in its plan)')
        .option('-o, --output <file>', 'file to write the values to (default: standard output)'),
    )
      .addHelpText('after', HELP)
      .action((place: string, { output, ...options }: AskedOptions & S3Options & { output?: string }) =>
        printValues(findReader, place, options, output, signal),
      );

/**
 * Prints the values that a record supports, or writes them to a file. The process will end with the exit code of the verdict.
 * @param file undefined: standard output
 * @throws UsageError if the record supports no values, or a flag does not fit it
 */
export async function printValues(
  findReader: FindReader,
  place: string,
  options: AskedOptions & S3Options,
  file: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { verdict, answer, values, confirm } = await readValues(findReader, place, options, signal);
  if (values !== undefined && file === undefined) process.stdout.write(values);
  if (values !== undefined && file !== undefined) await writeWhole(file, values, OWNER_ONLY);
  const lines = [`${verdict}: ${answer}`, ...(confirm === undefined ? [] : [`Not confirmed. To confirm: ${confirm}`])];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = EXIT_CODES[verdict];
}

/** What the record at a place says; its texts name the place, not a local copy. */
const readValues = (
  findReader: FindReader,
  place: string,
  options: AskedOptions & S3Options,
  signal: AbortSignal,
): Promise<Recommended> =>
  withCopies([place], options, signal, async ({ folders: [folder = place], named }) => {
    const found = await requireRecommend(await findReader(folder), folder)(folder, options);
    const { answer, values, confirm } = found;
    return {
      ...found,
      answer: named(answer),
      ...(values !== undefined && { values: named(values) }),
      ...(confirm !== undefined && { confirm: named(confirm) }),
    };
  });

const HELP = `
Of a run, it says what validate, soak and the report say. Of a sweep, it prints the cheapest configuration that sustains the
target times the headroom. Another target, headroom or price is answered from the same record. Values that held are not
recommended until "n8n-capacity confirm" has confirmed them; the command is printed. Of a folder of confirm, it prints the
values that confirm recommends.

Examples:
  n8n-capacity recommend results/right-size -o values.yaml
  n8n-capacity recommend results/right-size --target 10/s --cpu-price 0.05
  n8n-capacity recommend results/right-size --per-day 200k --peak 4x
  n8n-capacity recommend results/2026-11-20T10-15-00 > values.yaml
  n8n-capacity recommend s3://measurements/right-size --s3-endpoint https://s3.example.org -o values.yaml

${exitCodesHelp({ 0: 'PASS, or CAPACITY where no target was given: the values held', 1: 'FAIL: nothing that was measured meets the SLO', 2: 'INCONCLUSIVE: the record does not decide' })}`;
