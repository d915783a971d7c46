import { oneWorkload, type ValidateOptions } from './options.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import { UsageError } from '../core/errors.js';
import { planFromOptions } from './validate.js';
import type { CustomWorkflowOptions } from './custom-workflow/load.js';
import type { Plan } from '../model/plan.js';
import { arrivalRate, duration } from './quantities.js';

/** The flags of `n8n-capacity soak`. */
export interface SoakOptions
  extends
    CustomWorkflowOptions,
    Pick<ValidateOptions, 'values' | 'set' | 'mix' | 'query' | 'slo' | 'warmup' | 'drain' | 'timeout' | 'port'> {
  workload?: string;
  rate: string;
  duration: string;
}

const [SHORTEST_SECONDS, LONGEST_SECONDS] = [60, 72 * 3600];

/** One long step at one rate, from the flags; every value is checked before anything starts. Throws UsageError. */
export function soakPlan({ rate: rateText, duration: durationText, workload, ...options }: SoakOptions): Plan {
  const rate = arrivalRate(rateText, '--rate');
  const stepSeconds = duration(durationText, '--duration');
  if (!(stepSeconds >= SHORTEST_SECONDS && stepSeconds <= LONGEST_SECONDS))
    throw new UsageError(`--duration: ${durationText} is not allowed; write 1m to ${LONGEST_SECONDS / 3600}h.`);
  if (rate * stepSeconds < MIN_SAMPLES) {
    throw new UsageError(
      `--rate: ${rateText} gives ${Math.floor(rate * stepSeconds)} requests in ${durationText}, and ${MIN_SAMPLES} are needed; lengthen the soak with --duration.`,
    );
  }
  // Every other kind of plan bounds the length of a step, or chooses it: what a validation at any rate asks is asked here.
  const plan = planFromOptions({
    ...options,
    ...oneWorkload(workload, options),
    rates: `${MIN_SAMPLES}/s`,
  });
  return { ...plan, rates: { kind: 'soak', rate }, stepSeconds };
}
