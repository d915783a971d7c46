import { mergedValues } from '../../chart/merged-values.js';
import { formatNumber } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import { describeRates } from '../../plan/kinds.js';
import type { Where } from '../../provision/choose.js';
import { touchesOf } from '../../provision/touches.js';
import { withScratchFolder, type DryPlan } from '../../run/dry-run.js';
import { expectedSeconds } from '../../run/expected-time.js';
import { ensureHelm } from '../../tools/programs.js';
import { prepareCandidates } from './candidates.js';
import { SweepFolder } from './folder.js';
import { describeConfiguration } from './plan/configurations.js';
import type { SweepPlan } from './record.js';

/** What a sweep would measure: all configurations, of which it may skip some. Throws what a sweep throws before it starts. */
export const dryRunSweep = (plan: SweepPlan, where: Where, progress: Progress): Promise<DryPlan> =>
  withScratchFolder(async (path) => {
    const given = (await mergedValues(await ensureHelm(progress), plan.measure.values)) as {
      executions?: { mode?: string };
    };
    const mode = given.executions?.mode ?? 'regular';
    const { ready, excluded } = await prepareCandidates(plan, mode, where.provisioner, new SweepFolder(path), progress);
    return {
      n8n: [...new Set(ready.map(({ prepared }) => prepared.versions.n8n))],
      items: [
        ...ready.map(({ candidate }) => ({
          name: describeConfiguration(candidate),
          text: `${candidate.cost.cores} cores, ${formatNumber(candidate.cost.memoryGib)} GiB, ${candidate.cost.perHour.toFixed(3)} ${plan.prices.currency}/h`,
        })),
        ...excluded.map((configuration) => ({
          name: describeConfiguration(configuration),
          leftOut: configuration.reason,
        })),
      ],
      driven: `${plan.measure.loads.map(({ name }) => name).join(', then ')}: ${describeRates(plan.measure.rates)}`,
      seconds: ready.length * expectedSeconds(plan.measure) + plan.holdSeconds,
      touches: touchesOf(where.name),
    };
  });
