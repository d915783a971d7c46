import { mergedValues } from '../../chart/merged-values.js';
import type { Progress } from '../../core/progress.js';
import type { Where } from '../../provision/choose.js';
import { touchesOf } from '../../provision/touches.js';
import { withScratchFolder, type DryPlan } from '../../run/dry-run.js';
import { expectedSeconds } from '../../run/expected-time.js';
import { ensureHelm } from '../../tools/programs.js';
import { UpgradeFolder } from './folder.js';
import type { UpgradeRequest } from './plan.js';
import { writePlans, prepareUpgradeRecord } from './run.js';

/** Stages of a comparison, each with all deployments: the throughput, then the latency. */
const STAGES = 2;

/** Which versions would be compared. Throws what `upgrade` throws before it starts. */
export const dryRunUpgrade = (request: UpgradeRequest, where: Where, progress: Progress): Promise<DryPlan> =>
  withScratchFolder(async (path) => {
    const folder = new UpgradeFolder(path);
    const helm = await ensureHelm(progress);
    const given = await mergedValues(helm, request.plan.values);
    const plans = await writePlans(request, folder, given);
    const { from, to, pairs, executions, environment, substitutes } = await progress.during(
      'checking both versions',
      () => prepareUpgradeRecord(request, { plans, helm, where, progress }),
    );
    return {
      n8n: [from, to],
      items: [
        { name: 'upgrade on the same database', text: `${executions} executions` },
        { name: `throughput of ${from} and ${to}`, text: `${pairs} fresh deployments of each` },
        { name: `latency of ${from} and ${to}`, text: `${pairs} fresh deployments of each` },
        ...environment.map(({ component, name, from: before = 'not set', to: after = 'not set' }) => ({
          name: `${component}: ${name}`,
          text: `${before} → ${after}`,
        })),
        ...Object.values(substitutes ?? {}).map((why) => ({ name: 'version', leftOut: why })),
      ],
      driven: request.plan.loads.map(({ name }) => name).join(', then '),
      seconds: STAGES * 2 * pairs * expectedSeconds(plans.to),
      touches: touchesOf(where.name),
    };
  });
