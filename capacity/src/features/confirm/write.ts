import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseDocument } from 'yaml';
import { confidence } from '../../judge/confidence.js';
import { judgeRun, judgeSteps } from '../../judge/run.js';
import type { ConfirmConclusion } from './record.js';
import type { Confidence, LoadVerdict } from '../../model/verdict.js';
import type { Recommended } from '../../recommend/recommended.js';
import { OWNER_ONLY, writeWhole } from '../../record/files.js';
import { readRun, type RecordedRun } from '../../record/recorder.js';
import { renderConfirmHtml } from './report/page.js';
import { judgeConfirm, type ConfirmResults, type DeploymentResult } from './conclude.js';
import { ConfirmFolder } from './folder.js';
import { listRuns } from './plan.js';
import { FILES } from '../../record/names.js';

/** The only file whose values are called recommended. */
const RECOMMENDED_FILE = 'values.recommended.yaml';

/**
 * Judges a recorded confirmation, complete or interrupted, and writes its verdict, its report and, on PASS, the recommended
 * values: those that every run deployed. Reads only records.
 * @throws UsageError if the folder holds no confirmation
 */
export async function concludeConfirm(path: string): Promise<ConfirmConclusion> {
  const folder = new ConfirmFolder(path);
  const { record, shown, sure, runs, first } = await readConfirmation(folder);
  const judged = judgeConfirm(record, shown);
  const file = join(path, RECOMMENDED_FILE);
  const whole: ConfirmConclusion = {
    ...judged,
    ...(sure && { confidence: sure }),
    folder: path,
    report: join(path, FILES.report),
    ...(judged.verdict === 'PASS' && { recommended: file }),
  };
  if (whole.recommended === undefined) await rm(file, { force: true });
  else await writeWhole(file, await recommendedText(folder, whole), OWNER_ONLY);
  const links = runs.map((run) => ({ ...run, report: relative(path, join(folder.runOf(run), FILES.report)) }));
  const page = await renderConfirmHtml({ record, conclusion: whole, runs: links, ...(first && { first }) });
  await writeWhole(whole.report, page);
  await writeWhole(join(path, FILES.verdict), `${JSON.stringify(whole, null, 2)}\n`);
  return whole;
}

/** The recommendation of a recorded confirmation. Reads only records. */
export async function recommendFromConfirm(path: string): Promise<Recommended> {
  const folder = new ConfirmFolder(path);
  const { record, shown, sure } = await readConfirmation(folder);
  const judged = { ...judgeConfirm(record, shown), folder: path, ...(sure && { confidence: sure }) };
  const { verdict } = judged;
  return {
    verdict,
    answer: joinConclusions(judged),
    ...(verdict === 'PASS' && { values: await recommendedText(folder, judged) }),
  };
}

const joinConclusions = ({ loads }: Pick<ConfirmConclusion, 'loads'>): string =>
  loads.map(({ load, conclusion }) => `${load}: ${conclusion}`).join('; ');

/** The values that the runs deployed, under a heading that says how they were confirmed. */
async function recommendedText(
  folder: ConfirmFolder,
  conclusion: Pick<ConfirmConclusion, 'loads' | 'confidence' | 'folder'>,
): Promise<string> {
  const document = parseDocument(await readFile(folder.values, 'utf8'));
  const { confidence: sure, folder: path } = conclusion;
  document.commentBefore = [
    `Recommended by n8n-capacity confirm: ${joinConclusions(conclusion)}.`,
    ...(sure ? [`The result is ${sure.word}: ${sure.text}.`] : []),
    `The records are in ${path}; the comment at each number names its source in the record that was confirmed.`,
  ]
    .map((line) => ` ${line}`)
    .join('\n');
  return document.toString({ lineWidth: 0 });
}

async function readConfirmation(folder: ConfirmFolder) {
  const record = await folder.record();
  const shown: ConfirmResults = { deployments: [], soaks: [] };
  const runs: RecordedRun[] = [];
  const done = listRuns(record).filter(folder.isDone);
  for (const each of done) {
    const run = await readRun(folder.runOf(each));
    runs.push(run);
    const { load, deployment } = each;
    if (deployment !== undefined) shown.deployments.push({ load, deployment, ...judgeDeploymentSteps(run) });
    else shown.soaks.push({ load, seconds: measuredSeconds(run), verdict: judgeRun(run) });
  }
  return { record, shown, runs: done, first: runs[0]?.run, sure: confidenceInRuns(runs) };
}

/**
 * The judged steps of one deployment. If the run failed but none of its steps did, the reason too, such as a death between two
 * steps.
 */
function judgeDeploymentSteps(recorded: RecordedRun): Pick<DeploymentResult, 'steps' | 'failed'> {
  const { loads, verdict } = judgeSteps(recorded.run.plan, recorded.steps);
  const whole = judgeRun(recorded);
  const explainsFailure = (l: LoadVerdict) => l.failsAtAnyRate || (verdict !== 'FAIL' && l.verdict === 'FAIL');
  const failed = whole.loads.find(explainsFailure)?.conclusion;
  return { steps: loads.flatMap((l) => l.steps), ...(failed !== undefined && { failed }) };
}

/** Seconds of measured load. */
const measuredSeconds = ({ steps }: RecordedRun): number =>
  steps.reduce((seconds, { measuredFrom, measuredTo }) => seconds + (measuredTo - measuredFrom) / 1000, 0);

function confidenceInRuns(runs: RecordedRun[]): Confidence | undefined {
  const [first] = runs;
  return (
    first &&
    confidence(
      first.run,
      runs.flatMap((r) => r.steps),
    )
  );
}
