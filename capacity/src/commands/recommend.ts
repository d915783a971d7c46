import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { recommendFromConfirm } from '../features/confirm/write.js';
import { UsageError } from '../core/errors.js';
import { EXIT, exitCodes } from '../core/exit-codes.js';
import { flag } from '../plan/options.js';
import type { AskedOptions } from '../recommend/asked.js';
import type { Recommended } from '../recommend/recommended.js';
import { recommend } from '../features/sweep/recommend.js';
import { writeWhole } from '../record/files.js';
import type { S3Options } from '../record/s3/address.js';
import { withCopies } from '../record/s3/place.js';
import { withS3 } from './options/output.js';
import { withTarget } from './options/target.js';
import { FILES } from '../record/names.js';

/** `n8n-capacity recommend PLACE`. */
export const recommendCommand = (signal: AbortSignal): Command =>
  withS3(
    withTarget(
      new Command('recommend')
        .argument('<place>', 'record of validate, soak, sweep or confirm: results/<time> or s3://bucket/prefix')
        .description(
          'Print the values that a record supports, with the source of each number, without running anything.',
        ),
      'arrival rate that the values must sustain, such as 20/s; per second without a unit (default: the target of the record)',
    )
      .option('--headroom <factor>', 'headroom above the target (default: that of the record, else 1.3)')
      .option('--cpu-price <price>', 'sweeps only: price of a core for an hour (default: as in its plan)')
      .option('--memory-price <price>', 'sweeps only: price of a GiB of memory for an hour (default: as in its plan)')
      .option('-o, --output <file>', 'file to write the values to (default: standard output)'),
  )
    .addHelpText('after', HELP)
    .action((place: string, options: Options) => run(place, options, signal));

type Options = AskedOptions & S3Options & { output?: string };

async function run(place: string, { output, ...options }: Options, signal: AbortSignal): Promise<void> {
  const { verdict, answer, values, confirm } = await recommended(place, options, signal);
  if (values !== undefined) await print(values, output);
  const lines = [`${verdict}: ${answer}`, ...(confirm === undefined ? [] : [`Not confirmed. To confirm: ${confirm}`])];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = EXIT[verdict];
}

/** What the record at a place says; its texts name the place, not a local copy. */
const recommended = (place: string, options: AskedOptions & S3Options, signal: AbortSignal): Promise<Recommended> =>
  withCopies([place], options, signal, async ({ folders: [folder = place], named }) => {
    const found = await recommendFrom(folder, options);
    const { answer, values, confirm } = found;
    return {
      ...found,
      answer: named(answer),
      ...(values !== undefined && { values: named(values) }),
      ...(confirm !== undefined && { confirm: named(confirm) }),
    };
  });

/** Throws UsageError if the folder holds no record, or a flag does not fit it. */
function recommendFrom(folder: string, options: AskedOptions): Promise<Recommended> {
  if (!existsSync(join(folder, FILES.confirm))) return recommend(folder, options);
  const keys = ['target', 'perDay', 'peak', 'headroom', 'cpuPrice', 'memoryPrice'] as const;
  const given = keys.filter((key) => options[key] !== undefined);
  if (given.length > 0)
    throw new UsageError(`${folder}: confirms values at its own rate; omit ${given.map(flag).join(', ')}.`);
  return recommendFromConfirm(folder);
}

/** Values may be secret: only the owner may read the file. */
async function print(values: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(values);
    return;
  }
  await writeWhole(file, values, 0o600);
}

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

${exitCodes({ 0: 'PASS, or CAPACITY where no target was given: the values held', 1: 'FAIL: nothing that was measured meets the SLO', 2: 'INCONCLUSIVE: the record does not decide' })}`;
