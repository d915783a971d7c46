import { UsageError } from '../core/errors.js';
import type { Arrivals, LoadPlan } from '../model/plan.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import { flag, type ValidateOptions } from './options.js';
import type { PlanRequest } from './plan.js';
import { busiestRate, readRecording, scaledTimes } from './recording.js';

/** Flags that choose rates, which a recording has already. */
const RATES = ['target', 'perDay', 'peak', 'headroom', 'rates', 'clients', 'precision', 'stepDuration'] as const;

/**
 * The rates and the length of the step that replays a recording once.
 * @throws UsageError when a flag asks for other rates, or the load is a mix
 */
export function planReplay(
  { file, times, seed }: Extract<Arrivals, { kind: 'recorded' }>,
  loads: LoadPlan[],
  options: ValidateOptions,
): Pick<PlanRequest, 'rates' | 'stepSeconds'> {
  const other = RATES.find((key) => options[key] !== undefined);
  if (other)
    throw new UsageError(
      `${flag(other)} and --arrivals ${file} exclude each other: the file says when requests are sent; change their number with --times.`,
    );
  const [load] = loads;
  if (loads.length !== 1 || load!.parts.length !== 1)
    throw new UsageError(
      `--arrivals ${file}: drives one workload, which all recorded executions are sent to; name it, as --workload webhook-ack.`,
    );
  const recording = readRecording(file, '--arrivals');
  const due = scaledTimes(recording, times, seed);
  if (due.length < MIN_SAMPLES)
    throw new UsageError(
      `--arrivals ${file}: gives ${due.length} requests, but a verdict needs ${MIN_SAMPLES}; record a longer time, or raise --times.`,
    );
  const rate = due.length / recording.seconds;
  return {
    rates: { kind: 'replay', rate, busiest: busiestRate(due), times },
    stepSeconds: recording.seconds,
  };
}
