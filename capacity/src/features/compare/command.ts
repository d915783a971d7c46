import type { ComparisonOutcome } from './judge/compare-latency.js';
import type { Command } from 'commander';
import { exitCodesHelp } from '../../core/exit-codes.js';
import { compareFolders } from './run.js';
import { percentage } from '../../plan/quantities.js';
import { writeWhole } from '../../record/files.js';
import { prepareFile } from '../../report/ci-files.js';
import { renderCompareHtml } from './report/page.js';
import { formatComparison } from './report/terminal.js';
import type { S3Options } from '../../record/s3/address.js';
import { withCopies } from '../../record/s3/place.js';
import { printResult, withS3 } from '../../commands/options/output.js';

/** Exit codes by outcome, so that CI can use the command as a gate. */
const EXIT_CODES: Record<ComparisonOutcome, number> = { better: 0, tie: 0, worse: 1, unknown: 2 };
const NOTHING_COMPARED = 2;

/** `n8n-capacity compare A B`. */
export const defineCompare = (command: Command, signal: AbortSignal): Command =>
  withS3(
    command
      .argument('<A>', 'record of a run: results/<time> or s3://bucket/prefix')
      .argument('<B>', 'record of the run to compare with it')
      .option(
        '--noise <share>',
        'difference between runs of the same deployment, such as 10% (default: as measured by their sweep; without it no difference is claimed)',
      )
      .option('--html <file>', 'also write the runs side by side, with plots, as one HTML file')
      .option('--json', 'print the result as JSON'),
  )
    .addHelpText('after', HELP)
    .action((a: string, b: string, options: Options) => run(a, b, options, signal));

type Options = S3Options & { noise?: string; html?: string; json?: boolean };

async function run(a: string, b: string, options: Options, signal: AbortSignal): Promise<void> {
  const { noise, html, json } = options;
  await prepareFile('--html', html);
  const share = noise === undefined ? undefined : percentage(noise, '--noise');
  const compared = await withCopies([a, b], options, signal, ({ folders }) =>
    compareFolders(folders[0]!, folders[1]!, share),
  );
  const conclusion = { ...compared.conclusion, a, b };
  if (html !== undefined) await writeWhole(html, await renderCompareHtml({ ...compared, conclusion }));
  printResult(conclusion, json, formatComparison);
  process.exitCode = conclusion.outcome ? EXIT_CODES[conclusion.outcome] : NOTHING_COMPARED;
}

const HELP = `
Capacities are compared first. If they tie, the 95th percentile of the latency is compared, at the highest rate that both
runs sustained, with its 95 % confidence interval if the samples of k6 were recorded.

Two results are a tie if they differ by less than the noise, or by less than the precision of a run's search. A run that never
broke ties with none that did: its capacity is at least its highest rate. If the records have different noise, the larger one
counts. A sweep without a target measures it. If neither record has it, results that differ are unknown: two runs of one
deployment differ, too.

Examples:
  n8n-capacity compare results/before results/after
  n8n-capacity compare results/2.39 results/2.41 --noise 10% --json
  n8n-capacity compare results/before results/after --html compared.html

${exitCodesHelp({ 0: 'B is better or a tie for every load', 1: 'B is worse for at least one load', 2: 'nothing can be compared, or they differ and noise was not measured' })}`;
