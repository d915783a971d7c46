import { Command } from 'commander';
import { EXIT, exitCodes } from '../core/exit-codes.js';
import type { AskedOptions } from '../recommend/asked.js';
import type { Recommended } from '../recommend/recommended.js';
import { GIVEN } from '../recommend/values.js';
import { recommend } from '../sweep/recommend.js';
import { writeWhole } from '../record/files.js';
import { isS3, type S3Options } from '../record/s3/address.js';
import { withCopies } from '../record/s3/place.js';
import { withS3 } from './options/output.js';

/** File name in the suggested commands if the values are printed. */
const FILE = 'values.yaml';

/** `n8n-capacity recommend PLACE`. */
export const recommendCommand = (signal: AbortSignal): Command =>
  withS3(
    new Command('recommend')
      .argument('<place>', 'record of validate, soak or sweep: results/<time> or s3://bucket/prefix')
      .description('Print the values that a record supports, with the source of each number, without running anything.')
      .option('--target <rate>', 'arrival rate to recommend for, such as 20/s (default: the target of the record)')
      .option('--headroom <factor>', 'headroom to recommend with (default: that of the record, else 1.3)')
      .option('--cpu-price <price>', 'sweeps only: price of a core for an hour (default: as in its plan)')
      .option('--memory-price <price>', 'sweeps only: price of a GiB of memory for an hour (default: as in its plan)')
      .option('-o, --output <file>', 'file to write the values to (default: standard output)'),
  )
    .addHelpText('after', HELP)
    .action((place: string, options: Options) => run(place, options, signal));

type Options = AskedOptions & S3Options & { output?: string };

async function run(place: string, { output, ...options }: Options, signal: AbortSignal): Promise<void> {
  const { verdict, answer, values, test } = await recommended(place, options, output ?? FILE, signal);
  if (values !== undefined) await print(values, output);
  process.stderr.write(
    `${[`${verdict}: ${answer}`, ...test.map((command) => `To prove it: ${command}`)].join('\n')}\n`,
  );
  process.exitCode = EXIT[verdict];
}

/** The recommendation of the record at a place; its texts name the place, not a local copy. */
const recommended = (
  place: string,
  options: AskedOptions & S3Options,
  file: string,
  signal: AbortSignal,
): Promise<Recommended> =>
  withCopies([place], options, signal, async ({ folders: [folder = place], named }) => {
    const found = await recommend(folder, options, file, isS3(place) ? GIVEN : undefined);
    const { answer, values, test } = found;
    return {
      ...found,
      answer: named(answer),
      ...(values !== undefined && { values: named(values) }),
      test: test.map((command) =>
        isS3(place) && values === undefined ? `${command}\n${broughtFrom(place)}` : command,
      ),
    };
  });

/** The values of the run itself are to be tested, and other programs cannot read them in S3. */
const broughtFrom = (place: string): string => `# first copy ${GIVEN} from ${place} into this folder`;

/** Values may be secret: only the owner may read the file. */
async function print(values: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(values);
    return;
  }
  await writeWhole(file, values, 0o600);
}

const HELP = `
From a sweep, the cheapest configuration that sustains the target times the headroom is recommended. Another target, headroom
or price chooses again from the same record. Values that no soak or sweep has held at that rate are marked as not recommended yet,
and the command that would confirm them is printed.

Examples:
  n8n-capacity recommend results/right-size -o values.yaml
  n8n-capacity recommend results/right-size --target 10/s --cpu-price 0.05
  n8n-capacity recommend results/2026-11-20T10-15-00 > values.yaml
  n8n-capacity recommend s3://measurements/right-size --s3-endpoint https://s3.example.org -o values.yaml

${exitCodes({ 0: 'PASS: a soak, or the hold of a sweep, confirmed the values', 1: 'FAIL: nothing that was measured meets the SLO', 2: 'INCONCLUSIVE: not confirmed, or not known' })}`;
