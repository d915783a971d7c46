import { targetRate } from '../../plan/kinds.js';
import type { SweepPlan, SweepCandidate, SweepRecord } from './record.js';
import type { DimensionValue } from '../../model/dimensions.js';
import { ChartRefused, UsageError } from '../../core/errors.js';
import { meanSeconds, shortOfSlots, slotBound } from '../../judge/bounds.js';
import { computeCost } from '../../judge/cost.js';
import { describeConfiguration, listConfigurations, type Configuration } from './plan/configurations.js';
import { MONOTONE, translateDimensions, nestValues } from '../../plan/dimensions.js';
import type { Foreign, Plan } from '../../model/plan.js';
import { foreignSettings } from '../../plan/overrides.js';
import { refuseUnknownKeys } from '../../plan/values.js';
import type { Prepared, Provisioner } from '../../model/deployment.js';
import { parseQuantity } from '../../chart/objects.js';
import type { Progress } from '../../core/progress.js';
import type { SweepFolder } from './folder.js';

/** A configuration that can be measured. */
export interface ReadyCandidate {
  candidate: SweepCandidate;
  plan: Plan;
  prepared: Prepared;
}

/** The rate that a configuration must sustain, headroom included; undefined if the sweep searches for capacities. */
export const requiredRate = ({ rates }: Plan): number | undefined => targetRate(rates);

/**
 * Prepares every configuration of the plan, and excludes those that cannot run: the chart refuses them, or their slots are
 * too few for the target. Writes the values of each into the folder.
 * @param mode `executions.mode` of the shared values; of another chart it does not matter
 * @throws UsageError if a dimension is unknown, or no configuration is left
 */
export async function prepareCandidates(
  plan: SweepPlan,
  mode: string,
  provisioner: Provisioner,
  folder: SweepFolder,
  progress: Progress,
): Promise<{ ready: ReadyCandidate[]; excluded: SweepRecord['excluded'] }> {
  const { measure } = plan;
  const all = listConfigurations(plan.dimensions).map((configuration) => ({
    configuration,
    ...configurationDeployment(configuration, measure, mode),
  }));
  const target = requiredRate(plan.measure);
  const ready: ReadyCandidate[] = [];
  const excluded: SweepRecord['excluded'] = [];
  for (const { configuration, values, foreign } of all) {
    progress.signal.throwIfAborted();
    progress.update(`preparing ${ready.length + excluded.length + 1} of ${all.length}: ${configuration.id}`);
    const file = await folder.values(configuration.id, values);
    const whole: Plan = {
      ...measure,
      values: { ...measure.values, files: [...measure.values.files, file] },
      ...(foreign && { foreign }),
    };
    try {
      const prepared = await provisioner.prepare(whole, progress);
      if (prepared.record.autoscalers?.length) throw new UsageError(AUTOSCALER_REASON);
      const candidate = describeCandidate(configuration, prepared, plan);
      const { bound } = candidate;
      if (target !== undefined && bound !== undefined && bound < target)
        excluded.push({ ...configuration, reason: shortOfSlots(bound, target), bound });
      else ready.push({ candidate, plan: whole, prepared });
    } catch (error) {
      if (!(error instanceof ChartRefused || error instanceof UsageError)) throw error;
      excluded.push({ ...configuration, reason: error.message });
    }
  }
  const free = [...new Set(ready.flatMap(({ candidate }) => candidate.cost.unlimited))];
  if (free.length > 0)
    progress.warn(
      `${free.join(', ')} without a CPU or memory limit: what they use is not in the costs, set both limits`,
    );
  if (ready.length === 0) {
    const [first] = excluded;
    throw new UsageError(
      `none of the ${all.length} configurations can run. ${describeConfiguration(first!)}: ${first!.reason}`,
    );
  }
  return { ready, excluded };
}

/** Reason to exclude a configuration whose slots and cost depend on an autoscaler. */
const AUTOSCALER_REASON =
  'it has an autoscaler; a sweep compares fixed numbers of pods: set autoscaling.type to none, and give the numbers as a dimension.';

/** What a configuration deploys: chart values, or overrides for another chart's n8n. Throws UsageError. */
function configurationDeployment(
  { values: configuration }: Configuration,
  { foreign }: Plan,
  mode: string,
): { values: Record<string, unknown>; foreign?: Foreign } {
  if (foreign) {
    const { values, overrides, n8n } = foreignSettings(configuration, foreign);
    return {
      values: nestValues(values),
      foreign: { ...foreign, ...(n8n !== undefined && { n8n }), overrides: { ...foreign.overrides, ...overrides } },
    };
  }
  const values = nestValues(translateDimensions(configuration, mode));
  refuseUnknownKeys(values, 'dimensions');
  return { values };
}

/**
 * Whether a larger value never lowers the capacity. 0 webhook processors do not qualify: main then takes the webhooks and may
 * handle more than one processor does.
 */
const isMonotone = ([name, value]: [string, DimensionValue]): boolean =>
  MONOTONE.includes(name) && !(name === 'webhooks' && Number(value) === 0);

function describeCandidate(configuration: Configuration, { record }: Prepared, plan: SweepPlan): SweepCandidate {
  const entries = Object.entries(configuration.values);
  const seconds = Math.max(...plan.measure.loads.map((load) => meanSeconds(load, load.executionSeconds)));
  const bound = record.slots === undefined ? undefined : slotBound(record.slots, seconds);
  return {
    ...configuration,
    cost: computeCost(record, plan.prices),
    amounts: Object.fromEntries(
      entries.filter(isMonotone).map(([name, value]) => [name, parseQuantity(String(value))]),
    ),
    kind: JSON.stringify(entries.filter((entry) => !isMonotone(entry))),
    ...(bound && { bound: bound.rate }),
  };
}
