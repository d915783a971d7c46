import { Command } from 'commander';
import { EXIT } from '../exit-codes.js';
import type { AskedOptions } from '../recommend/asked.js';
import { recommend } from '../recommend.js';
import { writeWhole } from '../record/files.js';

/** What the commands that would test the values call their file, when they are printed. */
const FILE = 'values.yaml';

/** `n8n-capacity recommend DIR`. */
export const recommendCommand = (): Command =>
  new Command('recommend')
    .argument('<folder>', 'what validate, soak or sweep has written, as results/<time>')
    .description('Prints the values that a record supports, each number with its source; runs nothing.')
    .option('--target <rate>', 'another arrival rate than the one that was asked, as 20/s')
    .option('--headroom <factor>', 'another headroom than the one that was asked (without one: 1.3)')
    .option('--cpu-price <price>', 'of a sweep: what a core costs an hour, instead of what its plan says')
    .option('--memory-price <price>', 'of a sweep: what a GiB of memory costs an hour')
    .option('-o, --output <file>', 'write the values into this file (default: print them)')
    .addHelpText('after', HELP)
    .action(run);

async function run(folder: string, { output, ...asked }: AskedOptions & { output?: string }): Promise<void> {
  const { verdict, answer, values, test } = await recommend(folder, asked, output ?? FILE);
  if (values !== undefined) await print(values, output);
  process.stderr.write(
    `${[`${verdict}: ${answer}`, ...test.map((command) => `To prove it: ${command}`)].join('\n')}\n`,
  );
  process.exitCode = EXIT[verdict];
}

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

Exit code: 0 a soak has proved the values, 1 nothing that was measured meets the SLO, 2 not proved or not known, 3 the tool
or its input failed.`;
