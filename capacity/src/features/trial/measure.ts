import { mean } from 'simple-statistics';
import { ChartRefused, NotReady, UsageError } from '../../core/errors.js';
import { formatAboutSeconds } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import type { Prepared } from '../../model/deployment.js';
import type { Generator } from '../../model/generator.js';
import type { Plan } from '../../model/plan.js';
import type { Figures } from './record.js';
import type { Where } from '../../provision/choose.js';
import { readRun } from '../../record/recorder.js';
import { record } from '../../run/run.js';
import { trialFigures } from './figures.js';

/** Settings for measuring fresh deployments one after the other. */
export interface Measuring {
  /** The command, for the records. */
  tool: string;
  folder: { runOf(index: number): string; clear(index: number): Promise<void> };
  where: Where;
  /** Undefined where the deployment brings its own. */
  generator?: Generator;
  progress: Progress;
}

/** The number of trials left in a stage and about how long they take, for its progress line. Empty if none is left. */
export function trialsLeftText(left: number, measured: { tookSeconds: number }[]): string {
  if (left === 0) return '';
  return `; ${left} left, ${formatAboutSeconds(left * mean(measured.map(({ tookSeconds }) => tookSeconds)))}`;
}

/**
 * Deploys a plan's values anew, drives its load and ends the deployment. A deployment that was disturbed is measured again from
 * the beginning, once.
 * @param index of the trial, from 0
 * @param plan called when the trial starts; it renders and checks the values
 * @throws Interrupted when the user ended it
 */
export async function measureTrial(
  measuring: Measuring,
  index: number,
  plan: () => Promise<Plan>,
): Promise<Figures & { tookSeconds: number }> {
  const { progress } = measuring;
  const begun = Date.now();
  const once = () => measureOnce(measuring, index, plan);
  const figures = await once()
    .then((first) => {
      if (first.disturbed === undefined) return first;
      progress.line(`  measured again: ${first.disturbed}`);
      return once();
    })
    .catch((error: unknown): Figures => {
      progress.signal.throwIfAborted();
      return { failed: failureReason(error), ...(error instanceof NotReady && { notReady: true }) };
    });
  return { tookSeconds: Math.round((Date.now() - begun) / 1000), ...figures };
}

/** Why a deployment did not start. Throws any other error. */
function failureReason(error: unknown): string {
  if (error instanceof ChartRefused) return firstLine(error);
  if (error instanceof NotReady) return `${error.instance} ${error.reason}`;
  throw error;
}

/** The first line of an error's message; of a refusal by the chart, the first line of the chart's message. */
export function firstLine(error: Error): string {
  const [problem] = error instanceof UsageError ? error.problems : [error.message];
  return (error instanceof ChartRefused ? error.refusal : problem!).trim().split('\n')[0]!;
}

async function measureOnce(
  { tool, folder, where, generator, progress }: Measuring,
  index: number,
  plan: () => Promise<Plan>,
): Promise<Figures> {
  const run = folder.runOf(index);
  await folder.clear(index);
  const whole = await plan();
  let startSeconds: number | undefined;
  const prepared = await where.provisioner.prepare(whole, progress);
  const watched: Prepared = {
    ...prepared,
    deploy: async (logs) => {
      const deployment = await prepared.deploy(logs);
      startSeconds = deployment.startSeconds;
      return deployment;
    },
  };
  await record({
    tool,
    plan: whole,
    prepared: watched,
    folder: run,
    // One line for each trial is enough.
    progress: { ...progress, line: () => {} },
    ...(generator && { generator }),
  });
  return { ...trialFigures(await readRun(run)), ...(startSeconds !== undefined && { startSeconds }) };
}
