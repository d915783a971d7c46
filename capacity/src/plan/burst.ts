import { oneWorkload, type ValidateOptions } from './options.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import { format } from '../core/formats.js';
import { UsageError } from '../core/errors.js';
import { planFromOptions } from './validate.js';
import type { BurstPlan, Phase, Plan } from '../model/plan.js';
import { arrivalRate, duration, wholeNumber } from './quantities.js';
import { parseSlo } from './slo.js';

/** The flags of `n8n-capacity burst`. */
export interface BurstOptions extends Omit<
  ValidateOptions,
  'workload' | 'target' | 'perDay' | 'peak' | 'headroom' | 'rates' | 'clients' | 'precision' | 'stepDuration'
> {
  workload?: string;
  base: string;
  spike?: string;
  for?: string;
  cron?: string;
  drainWithin: string;
}

/** A burst may break any latency objective that a steady load has: what counts is that it is worked off. */
const DEFAULT_SLO = { errors: 0.01 };
/** The base load is measured so long at least: what comes back after the spike is compared with it. */
const LEAST_BASE_SECONDS = 20;
/** The base load goes on for so much longer than the backlog may take to drain, so that its end can be seen. */
const BEYOND_DRAIN_SECONDS = 10;
const MOST_AT_ONCE = 10_000;
/** What a step of a validation may last; the phases of a burst are checked by themselves. */
const STEP_SECONDS = { least: 5, most: 3600 };

/** A burst from the flags; every value is checked before anything starts. Throws UsageError. */
export function burstPlan(options: BurstOptions): Plan {
  const { workload, base, spike, for: length, cron, drainWithin, ...others } = options;
  const burst = burstOf({ base, drainWithin, ...spikeOf({ spike, for: length, cron }) });
  const plan = planFromOptions({
    ...others,
    ...oneWorkload(workload, others),
    rates: `${burst.spike}/s`,
    stepDuration: `${Math.min(STEP_SECONDS.most, Math.max(STEP_SECONDS.least, Math.ceil(burst.spikeSeconds)))}s`,
  });
  const stepSeconds = phasesOf(burst).reduce((sum, phase) => sum + phase.seconds, 0);
  return { ...plan, slo: parseSlo(options.slo, DEFAULT_SLO), rates: burst, stepSeconds };
}

/** The parts of a burst, one after another. */
export const phasesOf = ({ base, spike, baseSeconds, spikeSeconds, recoverySeconds }: BurstPlan): Phase[] => [
  { name: 'base', rate: base, seconds: baseSeconds },
  { name: 'spike', rate: spike, seconds: spikeSeconds },
  { name: 'recovery', rate: base, seconds: recoverySeconds },
];

/** Workflows that are scheduled for the same second are that many arrivals in one second. */
function spikeOf({ spike, for: length, cron }: Pick<BurstOptions, 'spike' | 'for' | 'cron'>) {
  if (cron !== undefined) {
    const other = spike !== undefined ? '--spike' : length !== undefined ? '--for' : undefined;
    if (other) throw new UsageError(`--cron and ${other} exclude each other: a cron's storm lasts a second.`);
    return { spike: wholeNumber(cron, '--cron', MIN_SAMPLES, MOST_AT_ONCE), spikeSeconds: 1 };
  }
  if (spike === undefined || length === undefined)
    throw new UsageError(
      '--spike and --for are missing: write how much above the base and how long, as --spike 20/s --for 30s, or --cron 500.',
    );
  return { spike: arrivalRate(spike, '--spike'), spikeSeconds: seconds(length, '--for', 1) };
}

function burstOf(options: { base: string; drainWithin: string; spike: number; spikeSeconds: number }): BurstPlan {
  const { spike, spikeSeconds } = options;
  const base = arrivalRate(options.base, '--base');
  if (spike <= base)
    throw new UsageError(
      `--spike: ${format(spike)}/s is not above the base of ${format(base)}/s; write a higher rate.`,
    );
  if (spike * spikeSeconds < MIN_SAMPLES)
    throw new UsageError(
      `--for: ${format(spike)}/s for ${spikeSeconds}s is ${Math.floor(spike * spikeSeconds)} requests, and ${MIN_SAMPLES} are needed; write --for ${Math.ceil(MIN_SAMPLES / spike)}s or more.`,
    );
  const baseSeconds = Math.max(LEAST_BASE_SECONDS, Math.ceil(MIN_SAMPLES / base));
  if (baseSeconds > STEP_SECONDS.most)
    throw new UsageError(`--base: ${options.base} is too low to measure; write at least ${MIN_SAMPLES}/h.`);
  const drainWithinSeconds = seconds(options.drainWithin, '--drain-within', 1);
  const recoverySeconds = Math.ceil(drainWithinSeconds) + BEYOND_DRAIN_SECONDS;
  return { kind: 'burst', base, spike, baseSeconds, spikeSeconds, recoverySeconds, drainWithinSeconds };
}

function seconds(text: string, name: string, least: number): number {
  const value = duration(text, name);
  if (value >= least && value <= STEP_SECONDS.most) return value;
  throw new UsageError(`${name}: ${text} is not allowed; write ${least}s to ${STEP_SECONDS.most / 3600}h.`);
}
