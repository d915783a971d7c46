import { promisedTarget } from '../../../plan/kinds.js';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { runAllChecks } from '../../../core/all-of.js';
import { UsageError } from '../../../core/errors.js';
import { readYamlFile } from '../../../core/yaml.js';
import type { Plan } from '../../../model/plan.js';
import type { SweepPlan } from '../record.js';
import type { Prices } from '../../../model/cost.js';
import { foreignFrom, foreignValues } from '../../../plan/foreign.js';
import { planLoads } from '../../../plan/loads.js';
import type { Naming, ValidateOptions } from '../../../plan/options.js';
import { buildPlan, type PlanRequest } from '../../../plan/plan.js';
import { duration, percentage } from '../../../plan/quantities.js';
import { ratePlan } from '../../../plan/rates.js';
import { readSlo } from '../../../plan/slo.js';
import { checkSweepFile, type SweepFile } from './sweep-file.js';
import { STEP_DEFAULTS, stepTimes } from '../../../plan/times.js';
import { withPaths } from '../../../plan/assignments.js';
import { checkedValues } from '../../../plan/values.js';

/** On-demand prices of a general-purpose machine in a large cloud, rounded: good enough to order configurations. */
export const DEFAULT_PRICES: Prices = { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' };

/** One or two minutes on local processes; the band is then 3.9 standard deviations of a run (t·√2). */
const NOISE_RUNS = 5;

/** Length of a hold by default: a multiple of a step, and at least this many seconds (chosen). */
const DEFAULT_HOLD = { factor: 5, least: 60 };

/** A sweep of more configurations needs `--yes`. */
export const MAX_WITHOUT_CONSENT = 200;

/**
 * Reads a plan file; paths in it are relative to it. Everything is checked before anything starts.
 * @throws UsageError with all problems: the file, the key, what is allowed and the nearest known key
 */
export function readSweepPlan(file: string): SweepPlan {
  // Its errors begin with the file.
  const content = readYamlFile(file, file, 'give the path of a plan');
  try {
    return buildSweepPlan(checkSweepFile(content), (path) => resolve(dirname(file), path));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.problems.map((problem) => `${file}: ${problem}`));
  }
}

function buildSweepPlan(content: SweepFile, pathOf: PathOf): SweepPlan {
  const measure = measurePlan(content, pathOf);
  if (measure.loads.length !== 1)
    throw new UsageError('workload: a sweep needs exactly one load; name a workload, such as webhook-wait, or a mix.');
  const noise = noisePlan(content, measure);
  const { name, question, dimensions, explore, prices, step } = content;
  return {
    name,
    ...(question && { question }),
    dimensions,
    explore,
    prices: { ...DEFAULT_PRICES, ...withoutUndefined(prices ?? {}) },
    measure,
    ...(noise && { noise }),
    holdSeconds:
      step?.hold === undefined
        ? Math.max(DEFAULT_HOLD.least, DEFAULT_HOLD.factor * measure.stepSeconds)
        : duration(step.hold, 'step.hold'),
  };
}

/** Noise matters where rates are compared, so not with a target. A mix has no closed model to measure it with. */
function noisePlan({ noise, mix }: SweepFile, { rates }: Plan): SweepPlan['noise'] {
  if (promisedTarget(rates)) {
    if (noise === undefined) return undefined;
    throw new UsageError('noise: is not allowed with a target, where no rates are compared; remove it.');
  }
  if (typeof noise === 'string') return { band: percentage(noise, 'noise') };
  if (mix !== undefined && noise !== undefined)
    throw new UsageError('noise: cannot be measured for a mix; write an assumed percentage, such as 5%.');
  return mix === undefined ? (noise ?? { runs: NOISE_RUNS }) : undefined;
}

/** The source that all configurations deploy: this project's chart, another chart, or its manifests. */
function deploymentSource(
  { values, manifests, chart, n8n }: SweepFile,
  pathOf: PathOf,
): Pick<PlanRequest, 'values' | 'foreign'> {
  const { files, setFile, ...others } = values ?? {};
  const given = withoutUndefined({
    ...others,
    values: files?.map(pathOf),
    setFile: setFile?.map((assignment) => withPaths(assignment, key('setFile'), pathOf)),
  });
  const foreign = foreignFrom(
    withoutUndefined({
      ...{ ...given, n8n },
      manifests: manifests === undefined ? undefined : pathOf(manifests),
      // A chart that is not a local path is an address.
      chart: chart !== undefined && existsSync(pathOf(chart)) ? pathOf(chart) : chart,
    }),
    key,
  );
  return foreign ? { values: foreignValues(given), foreign } : { values: checkedValues(given, key) };
}

type PathOf = (path: string) => string;

/** How each configuration is measured. */
function measurePlan(content: SweepFile, pathOf: PathOf): Plan {
  const { mix, query, step = {}, slo = {}, ...others } = content;
  const { deployment, load, objectives, rates, times } = runAllChecks({
    deployment: () => deploymentSource(content, pathOf),
    load: () =>
      planLoads(
        {
          ...withoutUndefined({ workload: others.workload, clients: others.clients }),
          ...(mix !== undefined && { mix: pathOf(mix) }),
          query: Object.entries(query),
        },
        key,
      ),
    objectives: () => readSlo(slo, key('slo')),
    rates: () => ratePlan(withoutUndefined(others), key),
    times: () =>
      stepTimes(
        {
          ...STEP_DEFAULTS,
          ...withoutUndefined(step),
          ...(step.duration !== undefined && { stepDuration: step.duration }),
        },
        key,
      ),
  });
  return buildPlan({ ...deployment, ...load, slo: objectives, rates, ...times, named: key });
}

/** Options of `validate` whose key in a plan file has another name. */
const KEYS: { [option in keyof ValidateOptions]?: string } = {
  stepDuration: 'step.duration',
  warmup: 'step.warmup',
  drain: 'step.drain',
  timeout: 'step.timeout',
  profile: 'values.profile',
  values: 'values.files',
  set: 'values.set',
  setString: 'values.setString',
  setFile: 'values.setFile',
  setJson: 'values.setJson',
};

/** The key of an option in a plan file. */
const key: Naming = (option) => KEYS[option] ?? option;

function withoutUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
