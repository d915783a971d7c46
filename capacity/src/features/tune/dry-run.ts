import { mergedValues } from '../../chart/merged-values.js';
import type { Progress } from '../../core/progress.js';
import type { Where } from '../../provision/choose.js';
import { touchesOf } from '../../provision/touches.js';
import { withScratchFolder, type DryPlan } from '../../run/dry-run.js';
import { ensureHelm } from '../../tools/programs.js';
import { trialSeconds } from './budget.js';
import { TuneFolder } from './folder.js';
import { prepareTuneRecord, type TuneRequest } from './prepare.js';
import { changeText } from './record.js';

/** Which changes a run of `tune` would try. Throws what it throws before it starts. */
export const dryRunTune = (request: TuneRequest, where: Where, progress: Progress): Promise<DryPlan> =>
  withScratchFolder(async (path) => {
    const folder = new TuneFolder(path);
    const given = await mergedValues(await ensureHelm(progress), request.plan.values);
    const plan = { ...request.plan, values: { files: [await folder.giveValues(given)], set: [] } };
    const record = await progress.during('reading which settings can be tried', () =>
      prepareTuneRecord(request, { plan, given, folder, where, progress }),
    );
    const loads = plan.loads.map(({ name }) => name).join(', then ');
    return {
      n8n: [record.n8n],
      items: [
        ...record.changes.map((change) => ({ name: change.title, text: changeText(change) })),
        ...record.leftOut.map(({ title, reason }) => ({ name: title, leftOut: reason })),
      ],
      driven: `${loads}, in fresh deployments of about ${Math.round(trialSeconds(plan, record.mode))} s`,
      seconds: request.budgetSeconds,
      touches: touchesOf(where.name),
    };
  });
