import { recordGivenValues } from './conclude.js';
import { InputError } from '../core/errors.js';
import { concludeCeiling, judgeTry, LOAD_TARGET_MEGABYTES, type Ceiling } from '../judge/profiles/payload-limit.js';
import { confidence, type Confidence } from '../judge/confidence.js';
import { localK6 } from '../load/k6.js';
import type { Plan, RatePlan } from '../model/plan.js';
import type { Provisioner } from '../model/deployment.js';
import { Recorder, type RecordedRun, readRun } from '../record/recorder.js';
import type { Progress } from '../core/progress.js';
import { payloadRange } from './profiles/payload-limit.js';
import { measure } from './measure.js';
import { ensureHelm, ensureK6 } from '../tools/go-tools.js';

const VERDICT = 'verdict.json';

/** What a ceiling says: for each concurrency the largest payload that survives, and what ended the next. */
export interface CeilingConclusion {
  /** PASS: every concurrency has its answer, whatever it is. */
  verdict: Ceiling['verdict'];
  ceilings: Ceiling[];
  confidence: Confidence;
  /** Where it is recorded. */
  folder: string;
}

/**
 * Deploys the rendered chart, and looks for the largest payload that survives at each concurrency. Everything is recorded.
 * Nothing is left running, whatever happens.
 * @throws InputError when the plan cannot be carried out, Interrupted when the user ended it
 */
export async function findCeiling(
  plan: Plan,
  folder: string,
  provisioner: Provisioner,
  progress: Progress,
): Promise<CeilingConclusion> {
  const helm = await ensureHelm(progress);
  const generator = await localK6(await ensureK6(progress));
  const prepared = await provisioner.prepare(plan, progress);
  const { loadTargetMegabytes = LOAD_TARGET_MEGABYTES } = prepared.record;
  const recorder = await Recorder.create(folder);
  await recordGivenValues(recorder, helm, plan.values);
  await measure({
    tool: 'n8n-capacity ceiling',
    plan: { ...plan, rates: withinCeiling(plan, loadTargetMegabytes) },
    prepared,
    generator,
    recorder,
    progress,
  });
  return concludeCeilings(folder);
}

/** Nothing is asked that the load target would refuse: that would look like a limit of n8n. */
function withinCeiling({ rates }: Plan, loadTargetMegabytes: number): RatePlan {
  if (rates.kind !== 'ceiling') return rates;
  const most = Math.min(rates.most, Math.floor(loadTargetMegabytes));
  const clients = Math.max(...rates.concurrency);
  if (!(most >= rates.least * clients)) {
    throw new InputError(
      `--concurrency: ${clients} × ${rates.least} MB is more than the ${most} MB that load targets may hold in a process; give fewer clients.`,
    );
  }
  return { ...rates, most };
}

/**
 * Judges a recorded ceiling from its steps, and writes its verdict into the folder.
 * @throws InputError when the folder holds none
 */
export async function concludeCeilings(folder: string): Promise<CeilingConclusion> {
  const run = await readRun(folder);
  const ceilings = ceilingsOf(run);
  const verdict = ceilings.every((c) => c.verdict === 'PASS') ? 'PASS' : 'INVALID';
  await Recorder.of(folder).whole(VERDICT, `${JSON.stringify({ verdict, ceilings }, null, 2)}\n`);
  return { verdict, ceilings, confidence: confidence(run.run, run.steps), folder };
}

function ceilingsOf({ run, steps, folder }: RecordedRun): Ceiling[] {
  const { rates } = run.plan;
  if (rates.kind !== 'ceiling')
    throw new InputError(`${folder}: holds no ceiling; give a folder that "n8n-capacity ceiling" has written.`);
  return rates.concurrency.map((clients) => {
    const tries = steps.filter((s) => s.clients === clients).map(judgeTry);
    return concludeCeiling(clients, tries, payloadRange(rates, clients, run.deployment), run.deployment);
  });
}
