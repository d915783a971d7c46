import { Command, Option } from 'commander';
import { join } from 'node:path';
import {
  abortOnSignals,
  collect,
  didYouMean,
  EXIT_CODES,
  keepRecord,
  mirrorOfRecord,
  chooseOutput,
  printResult,
  runProgram,
  terminalProgress,
  UsageError,
  withS3,
  type OutputOptions,
} from 'n8n-capacity';
import { judgeClaims } from './judge/claims.js';
import { runCells } from './measure/run.js';
import { pagesFolder } from './paths.js';
import { markFolder, readCells } from './record/folder.js';
import { claimsText } from './report/claims.js';
import { renderAll, writePage } from './report/publish.js';
import { expandCells, type Cell } from './spec/cells.js';
import { readExperiment } from './spec/read.js';
import type { Grid } from './spec/schema.js';

interface Options extends OutputOptions {
  grid: Grid;
  part?: string[];
  only?: string;
  proxyMode?: string;
  run: boolean;
  publish?: boolean;
}

const HELP = `
The experiments are in experiments/*.yaml. Their pages, each with a published run, are in docs/experiments.
After Ctrl-C, run the same command again to continue: cells with a record are not measured again.

Examples:
  n8n-experiment experiments/heap-size.yaml
  n8n-experiment experiments/process-scaling.yaml --part control
  n8n-experiment experiments/load-balancing.yaml --grid full --publish
  n8n-experiment experiments/right-size.yaml -o s3://measurements/right-size

Exit codes: 0 every claim holds, 1 a claim does not hold, 2 a claim is INCONCLUSIVE or was not measured, 3 the tool or its input failed,
130 interrupted.`;

const interruption = abortOnSignals();

const program = new Command('n8n-experiment')
  .argument('<file>', 'file of the experiment, for example experiments/heap-size.yaml')
  .description('Runs an experiment, writes its page, and prints which claims hold.')
  .addOption(
    new Option(
      '--grid <size>',
      'quick: fewer cells, 10 to 60 minutes on two cores (overload: 3 hours); full: every cell',
    )
      .choices(['quick', 'full'])
      .default('quick'),
  )
  .option(
    '-o, --output <place>',
    'folder or S3 URL for the records; recorded cells are not measured again (default: results/experiments/<name>-<grid>)',
  )
  .option('--part <name>', 'run only this part of the experiment; may be repeated', collect)
  .addOption(
    new Option(
      '--proxy-mode <mode>',
      'mode of kube-proxy in the cluster of KUBECONFIG; parts on Kubernetes run only with KUBECONFIG',
    ).choices(['iptables', 'nftables']),
  )
  .option('--no-run', 'run nothing; only judge the existing records')
  .option('--publish', 'also write the page into docs/experiments')
  .addOption(new Option('--only <cell>', 'one cell, and no page').hideHelp())
  .option('--json', 'print the claims as JSON')
  .option('-q, --quiet', 'print no progress')
  .addHelpText('after', HELP)
  .action(runExperiment);

await runProgram(withS3(program), interruption);

async function runExperiment(file: string, options: Options): Promise<void> {
  const { grid, publish, json, quiet } = options;
  const experiment = readExperiment(file);
  const { name } = experiment;
  const output = chooseOutput(options, join('results', 'experiments', `${name}-${grid}`));
  const { folder } = output;
  const all = expandCells(experiment, grid);
  const chosen = selectCells(all, options);
  const progress = terminalProgress(quiet, interruption);
  if (options.only !== undefined) return runCells(chosen, folder, progress);
  const measureAndPublish = async () => {
    await markFolder(folder, { experiment: name, grid });
    if (options.run) await runCells(chosen, folder, progress);
    const record = { experiment: name, grid, cells: await readCells(all, folder) };
    if (publish && record.cells.length === 0)
      throw new UsageError(
        `--publish: no cell in ${folder} is measured; publishing it would empty the page of ${name}.`,
      );
    let page = await writePage(experiment, record, all, { results: folder, to: folder });
    if (publish) page = await writePage(experiment, record, all, { results: folder, to: pagesFolder });
    if (publish) await renderAll();
    return { page, judged: judgeClaims(experiment.claims, record.cells) };
  };
  const { page, judged } = await keepRecord(output, interruption, measureAndPublish, {
    mirrorOf: mirrorOfRecord('experiment', () => 'run the same command again'),
    goOn: 'run the same command again to continue',
  });
  printResult(judged, json, () => `${claimsText(name, judged)}Page: ${page}\n`);
  const hasVerdict = (verdict: string) => judged.some((j) => j.verdict === verdict);
  process.exitCode = hasVerdict('fails')
    ? EXIT_CODES.FAIL
    : hasVerdict('not measured') || hasVerdict('INCONCLUSIVE')
      ? EXIT_CODES.INCONCLUSIVE
      : EXIT_CODES.PASS;
}

/**
 * The cells to run. Cells on Kubernetes are included only with a cluster, and only those for the cluster's mode of kube-proxy.
 * @throws UsageError when the options ask for a cell that cannot be run
 */
function selectCells(all: Cell[], { part: parts, only, proxyMode }: Options): Cell[] {
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
    throw new UsageError(`--part ${onKubernetes.part.part}: runs on Kubernetes; set KUBECONFIG.`);
  if (parts && onKubernetes?.of.proxy !== undefined && proxyMode === undefined)
    throw new UsageError(
      `--part ${onKubernetes.part.part}: give --proxy-mode, the mode of kube-proxy in the cluster: iptables or nftables.`,
    );
  return asked.filter(
    ({ part, of }) => part.on !== 'kubernetes' || (cluster && (of.proxy === undefined || of.proxy === proxyMode)),
  );
}
