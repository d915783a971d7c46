import { chartAccepts, conclude, recordGivenValues, type Conclusion } from './conclude.js';
import { withLimit } from '../load/generator-limit.js';
import { localK6 } from '../load/k6.js';
import type { Plan } from '../model/plan.js';
import { whereOf, type Where } from '../provision/choose.js';
import { Recorder } from '../record/recorder.js';
import type { Progress } from '../core/progress.js';
import { measure } from './measure.js';
import { ensureHelm, ensureK6 } from '../tools/go-tools.js';

/**
 * Deploys the rendered chart, drives it step by step, records everything and judges it.
 * Nothing is left running, whatever happens; what was recorded stays.
 * @throws InputError before anything is started when the plan cannot be carried out, Interrupted when the user ended it
 */
export async function validate(
  plan: Plan,
  folder: string,
  progress: Progress,
  { provisioner, k6Here }: Where = whereOf({}),
): Promise<Conclusion> {
  const k6 = k6Here ? await localK6(await ensureK6(progress)) : undefined;
  const helm = await ensureHelm(progress);
  const prepared = await provisioner.prepare(plan, progress);
  const generator = k6 && (await withLimit(k6, progress));
  const recorder = await Recorder.create(folder);
  await recordGivenValues(recorder, helm, plan.values);
  const { kind } = plan.rates;
  const tool = `n8n-capacity ${kind === 'soak' || kind === 'burst' ? kind : 'validate'}`;
  await measure({ tool, plan, prepared, ...(generator && { generator }), recorder, progress });
  const conclusion = await conclude(folder);
  const refused = conclusion.values && (await chartAccepts(helm, conclusion.values));
  if (refused) throw new Error(`the chart refuses the recommended values in ${conclusion.values}: ${refused}`);
  return conclusion;
}
