import { sum } from 'simple-statistics';
import { durationText } from '../../plan/quantities.js';
import { formatRate } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import { withWebhookPath } from '../../plan/custom-workflow/recorded-path.js';
import type { Where } from '../../provision/choose.js';
import { touchesOf } from '../../provision/touches.js';
import type { RecordedRun } from '../../record/recorder.js';
import { withScratchFolder, type DryPlan } from '../../run/dry-run.js';
import { expectedSeconds } from '../../run/expected-time.js';
import { ConfirmFolder } from './folder.js';
import { planRun, listRuns } from './plan.js';
import type { ConfirmRecord } from './record.js';
import { readValuesToConfirm } from './run.js';

/** Which rates and which soak would be driven. Throws what `confirm` throws before it starts. */
export const dryRunConfirm = (
  run: RecordedRun,
  record: ConfirmRecord,
  where: Where,
  progress: Progress,
): Promise<DryPlan> =>
  withScratchFolder(async (path) => {
    const folder = new ConfirmFolder(path);
    const whole = { ...record, plan: { ...record.plan, values: { files: [folder.values], set: [] } } };
    await folder.begin(whole, await readValuesToConfirm(run));
    const runs = listRuns(whole);
    const { versions } = await where.provisioner.prepare(withWebhookPath(planRun(whole, runs[0]!)), progress);
    return {
      n8n: [versions.n8n],
      items: record.rates.flatMap(({ load, target, withHeadroom }) => [
        {
          name: `${load}: rates`,
          text: `${formatRate(target)} and ${formatRate(withHeadroom)} on ${record.deployments} fresh deployments`,
        },
        { name: `${load}: soak`, text: `${formatRate(withHeadroom)} for ${durationText(record.soakSeconds)}` },
      ]),
      driven: record.rates.map(({ load }) => load).join(', then '),
      seconds: sum(runs.map((each) => expectedSeconds(planRun(whole, each)))),
      touches: touchesOf(where.name),
    };
  });
