import type { LoadSecond } from '../../model/step.js';
import type { RecordedRun } from '../../record/recorder.js';

/** More points than this no plot shows, and a soak of days would make a report of a hundred megabytes. */
const MOST_POINTS = 5000;

/** Every n-th of a series, so that not too many are left; all of a usual run. */
export function thinned<T>(series: T[], most = MOST_POINTS): T[] {
  const every = Math.ceil(series.length / most);
  return every <= 1 ? series : series.filter((_, i) => i % every === 0);
}

/**
 * Seconds of a step put together, so that not too many are left and nothing that happened in one is lost: means of what is
 * counted, the highest of the latencies.
 */
export function gathered(seconds: LoadSecond[], most = MOST_POINTS): { each: number; points: LoadSecond[] } {
  const each = Math.max(1, Math.ceil(seconds.length / most));
  const points = Array.from({ length: Math.ceil(seconds.length / each) }, (_, i) =>
    together(seconds.slice(i * each, (i + 1) * each)),
  );
  return { each, points };
}

function together(seconds: LoadSecond[]): LoadSecond {
  const mean = (of: (s: LoadSecond) => number) => seconds.reduce((sum, s) => sum + of(s), 0) / seconds.length;
  const latencies = seconds.flatMap(({ p50 }) => p50 ?? []);
  return {
    at: seconds[0]!.at,
    sent: mean((s) => s.sent),
    answered: mean((s) => s.answered),
    failed: mean((s) => s.failed),
    ...(latencies.length > 0 && { p50: Math.max(...latencies) }),
  };
}

/** A run for plots over time: counters count on between the samples that are left, so rates stay what they are. */
export const forPlots = (run: RecordedRun): RecordedRun => ({ ...run, samples: thinned(run.samples) });
