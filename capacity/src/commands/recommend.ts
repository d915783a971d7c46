import { Command } from 'commander';
import { EXIT } from '../core/exit-codes.js';
import type { AskedOptions } from '../recommend/asked.js';
import type { Recommended } from '../recommend/recommended.js';
import { GIVEN } from '../recommend/values.js';
import { recommend } from '../sweep/recommend.js';
import { writeWhole } from '../record/files.js';
import { isS3, type S3Options } from '../record/s3/address.js';
import { withCopies } from '../record/s3/place.js';
import { withS3 } from './options/output.js';

/** What the commands that would test the values call their file, when they are printed. */
const FILE = 'values.yaml';

/** `n8n-capacity recommend DIR`. */
export const recommendCommand = (signal: AbortSignal): Command => withS3(command(signal));

const command = (signal: AbortSignal): Command =>
  new Command('recommend')
    .argument('<place>', 'what validate, soak or sweep has written, as results/<time> or s3://bucket/prefix')
    .description('Prints the values that a record supports, each number with its source; runs nothing.')
    .option('--target <rate>', 'another arrival rate than the one that was asked, as 20/s')
    .option('--headroom <factor>', 'another headroom than the one that was asked (without one: 1.3)')
    .option('--cpu-price <price>', 'of a sweep: what a core costs an hour, instead of what its plan says')
    .option('--memory-price <price>', 'of a sweep: what a GiB of memory costs an hour')
    .option('-o, --output <file>', 'write the values into this file (default: print them)')
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

/** What the record at a place recommends, in words that name the place, and no copy of it. */
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

/** Without new values it is those that the run was given which are tested, and no other program reads them in S3. */
const broughtFrom = (place: string): string => `# ${GIVEN} is in ${place}: bring it here first`;

/** A file of values may hold what is secret: its owner alone reads it. */
async function print(values: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(values);
    return;
  }
  await writeWhole(file, values, 0o600);
}

const HELP = `
Of a sweep: the cheapest configuration that was shown to sustain the target times the headroom; another target, headroom or
price chooses again from the same records, as far as they can tell. What no soak has proved at that rate is marked as not
recommended yet, and the command that would prove it is named.

Examples:
  n8n-capacity recommend results/right-size -o values.yaml
  n8n-capacity recommend results/right-size --target 10/s --cpu-price 0.05
  n8n-capacity recommend results/2026-11-20T10-15-00 > values.yaml
  n8n-capacity recommend s3://measurements/right-size --s3-endpoint https://s3.example.org -o values.yaml

Exit code: 0 a soak has proved the values, 1 nothing that was measured meets the SLO, 2 not proved or not known, 3 the tool
or its input failed.`;
