import { UsageError } from '../core/errors.js';
import { Command, Option } from 'commander';
import { join } from 'node:path';
import { cellsOf, type Cell } from '../experiment/cells.js';
import { judgeClaims } from '../experiment/claims.js';
import { pagesFolder, renderAll, writePage } from '../experiment/publish.js';
import { readCells, runCells } from '../experiment/run.js';
import { readExperiment, type Grid } from '../experiment/spec.js';
import { claimsText } from '../experiment/terminal.js';
import { EXIT } from '../core/exit-codes.js';
import { beginFolder } from '../experiment/folder.js';
import { mirrorOfExperiment } from '../record/s3/place.js';
import { terminalProgress } from '../core/progress.js';
import { didYouMean } from '../core/did-you-mean.js';
import { collect, keeping, outputOf, printResult, withS3, type OutputOptions } from './options/output.js';

interface ExperimentOptions extends OutputOptions {
  grid: Grid;
  part?: string[];
  only?: string;
  proxyMode?: string;
  run: boolean;
  publish?: boolean;
}

/** `n8n-capacity experiment FILE`. */
export const experimentCommand = (signal: AbortSignal): Command => withS3(command(signal));

const command = (signal: AbortSignal): Command =>
  new Command('experiment')
    .argument('<file>', 'the experiment, as experiments/heap-size.yaml')
    .description("Runs one of the origin's experiments, writes its page, and says which of its claims hold.")
    .addOption(
      new Option('--grid <size>', 'quick: under 15 minutes on two cores; full: all of it')
        .choices(['quick', 'full'])
        .default('quick'),
    )
    .option(
      '-o, --output <place>',
      'folder or place in S3; what is recorded there is not run again (default: results/experiments/<name>-<grid>)',
    )
    .option('--part <name>', 'only this part of it; may be repeated', collect)
    .addOption(
      new Option(
        '--proxy-mode <mode>',
        "kube-proxy's mode in the cluster of KUBECONFIG; parts on Kubernetes are run only with KUBECONFIG",
      ).choices(['iptables', 'nftables']),
    )
    .option('--no-run', 'runs nothing; judges what is recorded')
    .option('--publish', 'writes the page into docs/experiments, too')
    .addOption(new Option('--only <cell>', 'one cell, and no page').hideHelp())
    .option('--json', 'print the claims as JSON')
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', HELP)
    .action((file: string, options: ExperimentOptions) => run(file, options, signal));

async function run(file: string, options: ExperimentOptions, signal: AbortSignal): Promise<void> {
  const { grid, publish, json, quiet } = options;
  const experiment = readExperiment(file);
  const { name } = experiment;
  const output = outputOf(options, join('results', 'experiments', `${name}-${grid}`));
  const { folder } = output;
  const all = cellsOf(experiment, grid);
  const chosen = chosenOf(all, options);
  const progress = terminalProgress(quiet, signal);
  if (options.only !== undefined) return runCells(chosen, folder, progress);
  const measured = async () => {
    await beginFolder(folder, { experiment: name, grid });
    if (options.run) await runCells(chosen, folder, progress);
    const record = { experiment: name, grid, cells: await readCells(all, folder) };
    let page = await writePage(experiment, record, all, { results: folder, to: folder });
    if (publish) page = await writePage(experiment, record, all, { results: folder, to: pagesFolder });
    if (publish) await renderAll();
    return { page, judged: judgeClaims(experiment.claims, record.cells) };
  };
  const { page, judged } = await keeping(output, signal, measured, {
    mirrorOf: mirrorOfExperiment,
    goOn: 'the same command goes on from there',
  });
  printResult(judged, json, () => `${claimsText(name, judged)}The page: ${page}\n`);
  const has = (verdict: string) => judged.some((j) => j.verdict === verdict);
  process.exitCode = has('fails') ? EXIT.FAIL : has('not measured') ? EXIT.INCONCLUSIVE : EXIT.PASS;
}

/**
 * The cells that are to be run here; those on Kubernetes where there is one, behind the proxy that it has.
 * @throws UsageError when what was asked for cannot be run
 */
function chosenOf(all: Cell[], { part: parts, only, proxyMode }: ExperimentOptions): Cell[] {
  if (only !== undefined) return all.filter((cell) => cell.id === only);
  const known = [...new Set(all.map((cell) => cell.part.part))];
  const unknown = parts?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--part ${unknown}: does not exist${didYouMean(unknown, known)} Known are ${known.join(', ')}.`,
    );
  const asked = all.filter(({ part }) => parts?.includes(part.part) ?? true);
  const onKubernetes = asked.find(({ part }) => part.on === 'kubernetes');
  const cluster = process.env.KUBECONFIG !== undefined;
  if (parts && onKubernetes && !cluster)
    throw new UsageError(`--part ${onKubernetes.part.part}: is on Kubernetes, and KUBECONFIG names no cluster.`);
  if (parts && onKubernetes?.of.proxy !== undefined && proxyMode === undefined)
    throw new UsageError(
      `--part ${onKubernetes.part.part}: give --proxy-mode, the mode of the cluster's kube-proxy: iptables or nftables.`,
    );
  return asked.filter(
    ({ part, of }) => part.on !== 'kubernetes' || (cluster && (of.proxy === undefined || of.proxy === proxyMode)),
  );
}

const HELP = `
The experiments are experiments/*.yaml; their pages, with a run of each, are in docs/experiments.
Ctrl-C and the same command go on where it was: a cell that has a record is not run again.

Examples:
  n8n-capacity experiment experiments/heap-size.yaml
  n8n-capacity experiment experiments/process-scaling.yaml --part control
  n8n-capacity experiment experiments/load-balancing.yaml --grid full --publish
  n8n-capacity experiment experiments/right-size.yaml -o s3://measurements/right-size

Exit code: 0 all claims hold, 1 one does not, 2 one could not be measured, 3 the tool or its input failed, 130 interrupted.`;
