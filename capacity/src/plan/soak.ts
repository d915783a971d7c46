import { runAllChecks } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { DEFAULT_HORIZON_SECONDS, type Plan } from '../model/plan.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import type { CustomWorkflowOptions } from './custom-workflow/load.js';
import { oneWorkload, type ValidateOptions, type ConfiguredOptions, type ValuesOptions } from './options.js';
import { buildPlan } from './plan.js';
import { arrivalRate, duration } from './quantities.js';
import { parseSlo } from './slo.js';
import { requestFrom } from './validate.js';

/** The flags of `n8n-capacity soak`, as commander hands them over. */
export interface SoakOptions
  extends
    CustomWorkflowOptions,
    ValuesOptions,
    ConfiguredOptions,
    Pick<ValidateOptions, 'mix' | 'query' | 'slo' | 'warmup' | 'drain' | 'timeout' | 'arrivals' | 'seed' | 'port'> {
  workload?: string;
  rate: string;
  duration: string;
  horizon?: string;
}

const SOAK_SECONDS = { least: 60, most: 72 * 3600 };
const HORIZON_SECONDS = { least: 3600, most: 365 * 86_400 };

/** The plan of one long step at one rate, from the flags; every value is checked before anything starts. Throws UsageError. */
export function soakPlan({
  rate: rateText,
  duration: durationText,
  horizon,
  workload,
  slo,
  ...options
}: SoakOptions): Plan {
  const {
    rate,
    stepSeconds,
    horizonSeconds,
    slo: objectives,
    request,
  } = runAllChecks({
    rate: () => arrivalRate(rateText, '--rate'),
    stepSeconds: () => duration(durationText, '--duration', SOAK_SECONDS),
    horizonSeconds: () =>
      horizon === undefined ? DEFAULT_HORIZON_SECONDS : duration(horizon, '--horizon', HORIZON_SECONDS),
    slo: () => parseSlo(slo),
    request: () => requestFrom({ ...options, ...oneWorkload(workload, options) }),
  });
  if (rate * stepSeconds < MIN_SAMPLES)
    throw new UsageError(
      `--rate: ${rateText} gives ${Math.floor(rate * stepSeconds)} requests in ${durationText}, but a verdict needs ${MIN_SAMPLES}; lengthen the soak with --duration.`,
    );
  return buildPlan({
    ...request,
    slo: objectives,
    rates: { kind: 'soak', rate, horizonSeconds },
    stepSeconds,
  });
}
