import { runAllChecks } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { formatNumber } from '../core/formats.js';
import type { BurstPlan, Phase, Plan } from '../model/plan.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import { oneWorkload, type ValidateOptions } from './options.js';
import { buildPlan } from './plan.js';
import { arrivalRate, duration, wholeNumber } from './quantities.js';
import { parseSlo } from './slo.js';
import { requestFrom } from './validate.js';

/** The flags of `n8n-capacity burst`, as commander hands them over. */
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

/** No latency objective by default: a spike may slow answers down, but its backlog must drain. */
const DEFAULT_SLO = { errors: 0.01 };
/** Requests stand for schedules, which the chart's overload protection does not hold back. */
const UNPROTECTED = 'overload.enabled=false,overload.maxRequests=null';
/** Shortest base load before the spike: the load after the spike is compared with it. */
const LEAST_BASE_SECONDS = 20;
/** The base load lasts this much longer than the backlog may take to drain, so that the end of the backlog is seen. */
const BEYOND_DRAIN_SECONDS = 10;
const MOST_AT_ONCE = 10_000;
const PHASE_SECONDS = { least: 1, most: 3600 };

/**
 * The plan of a burst from the flags; every value is checked before anything starts. Throws UsageError.
 * @param deploysChart whether the run deploys the chart; an n8n that is already there takes no values
 */
export function burstPlan(options: BurstOptions, deploysChart = true): Plan {
  const { workload, base, spike, for: length, cron, drainWithin, slo, ...others } = options;
  const given = { ...others, ...oneWorkload(workload, others) };
  const {
    rates,
    request,
    slo: objectives,
  } = runAllChecks({
    rates: () => planBurst({ base, drainWithin, spike, for: length, cron }),
    request: () =>
      requestFrom(cron === undefined || !deploysChart ? given : { ...given, set: [...(given.set ?? []), UNPROTECTED] }),
    slo: () => parseSlo(slo, DEFAULT_SLO),
  });
  return buildPlan({
    ...request,
    slo: objectives,
    rates,
    stepSeconds: phasesOf(rates).reduce((sum, phase) => sum + phase.seconds, 0),
  });
}

/** The phases of a burst, in order. */
export const phasesOf = ({ base, spike, baseSeconds, spikeSeconds, recoverySeconds }: BurstPlan): Phase[] => [
  { name: 'base', rate: base, seconds: baseSeconds },
  { name: 'spike', rate: spike, seconds: spikeSeconds },
  { name: 'recovery', rate: base, seconds: recoverySeconds },
];

/** `--cron n`: n workflows scheduled for the same second are n arrivals within that second. */
function readSpike({ spike, for: length, cron }: Pick<BurstOptions, 'spike' | 'for' | 'cron'>) {
  if (cron !== undefined) {
    const other = spike !== undefined ? '--spike' : length !== undefined ? '--for' : undefined;
    if (other) throw new UsageError(`--cron and ${other} exclude each other: the spike of --cron lasts 1s.`);
    return { spike: wholeNumber(cron, '--cron', MIN_SAMPLES, MOST_AT_ONCE), spikeSeconds: 1 };
  }
  if (spike === undefined || length === undefined)
    throw new UsageError(
      '--spike and --for are missing: write the rate and the length of the spike, such as --spike 20/s --for 30s, or --cron 500.',
    );
  return runAllChecks({
    spike: () => arrivalRate(spike, '--spike'),
    spikeSeconds: () => duration(length, '--for', PHASE_SECONDS),
  });
}

function planBurst(options: Pick<BurstOptions, 'base' | 'drainWithin' | 'spike' | 'for' | 'cron'>): BurstPlan {
  const {
    base,
    shape: { spike, spikeSeconds },
    drainWithinSeconds,
  } = runAllChecks({
    base: () => arrivalRate(options.base, '--base'),
    shape: () => readSpike(options),
    drainWithinSeconds: () => duration(options.drainWithin, '--drain-within', PHASE_SECONDS),
  });
  if (spike <= base)
    throw new UsageError(
      `--spike: ${formatNumber(spike)}/s is not above the base rate of ${formatNumber(base)}/s; write a higher rate.`,
    );
  if (spike * spikeSeconds < MIN_SAMPLES)
    throw new UsageError(
      `--for: ${spikeSeconds}s at ${formatNumber(spike)}/s is ${Math.floor(spike * spikeSeconds)} requests, but a verdict needs ${MIN_SAMPLES}; write --for ${Math.ceil(MIN_SAMPLES / spike)}s or more.`,
    );
  const baseSeconds = Math.max(LEAST_BASE_SECONDS, Math.ceil(MIN_SAMPLES / base));
  if (baseSeconds > PHASE_SECONDS.most)
    throw new UsageError(`--base: ${options.base} is too low to measure; write at least ${MIN_SAMPLES}/h.`);
  const recoverySeconds = Math.ceil(drainWithinSeconds) + BEYOND_DRAIN_SECONDS;
  return { kind: 'burst', base, spike, baseSeconds, spikeSeconds, recoverySeconds, drainWithinSeconds };
}
