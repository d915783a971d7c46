import type { ComparisonOutcome } from '../judge/compare-latency.js';
import { Command } from 'commander';
import { compareFolders } from '../run/compare.js';
import { percentage } from '../plan/quantities.js';
import { printComparison } from '../report/terminal/compare.js';
import type { S3Options } from '../record/s3/address.js';
import { withCopies } from '../record/s3/place.js';
import { printResult, withS3 } from './options/output.js';

/** By what outcome: a gate for CI. Nothing that can be compared is no tie. */
const EXIT_OF: Record<ComparisonOutcome, number> = { better: 0, tie: 0, worse: 1 };
const NOTHING_COMPARED = 2;

/** `n8n-capacity compare A B`. */
export const compareCommand = (signal: AbortSignal): Command => withS3(command(signal));

const command = (signal: AbortSignal): Command =>
  new Command('compare')
    .argument('<A>', 'folder of a run, as results/<time>, or its place in S3')
    .argument('<B>', 'the same of the run that is compared with it')
    .description(
      'Says for each load whether run B is better, worse or a tie, and in what the two differ; runs nothing.',
    )
    .option(
      '--noise <share>',
      'by how much the same deployment differs from run to run (default: as a sweep measured it where the runs were, else 5%)',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((a: string, b: string, options: Options) => run(a, b, options, signal));

type Options = S3Options & { noise?: string; json?: boolean };

async function run(a: string, b: string, options: Options, signal: AbortSignal): Promise<void> {
  const { noise, json } = options;
  const share = noise === undefined ? undefined : percentage(noise, '--noise');
  const compared = await withCopies([a, b], options, signal, ({ folders }) =>
    compareFolders(folders[0]!, folders[1]!, share),
  );
  const conclusion = { ...compared, a, b };
  printResult(conclusion, json, printComparison);
  process.exitCode = conclusion.outcome ? EXIT_OF[conclusion.outcome] : NOTHING_COMPARED;
}

const HELP = `
Capacities decide; where they tie, the 95th percentile of the latency at the highest rate that both sustained, with its 95 %
interval where k6's samples are there. No difference is told that is within the noise, or within the gap that a run's
search has left. The noise is the larger of what the two records say, which a sweep without a target has measured.

Examples:
  n8n-capacity compare results/before results/after
  n8n-capacity compare results/2.39 results/2.41 --noise 10% --json

Exit code: 0 B is not worse, 1 worse in any load, 2 nothing can be compared, 3 the tool or its input failed.`;
