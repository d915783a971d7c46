import type { Scaling, Backlog, Point } from '../model/reports.js';
import type { StepRecord } from '../model/step.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';

/** A series is back at its level after this many samples in a row; a sample is taken about once a second. */
export const IN_A_ROW = 3;

/** Least share of the accepted executions that are jobs of the queue, if the queue belongs to this n8n. */
const ADDED_SHARE = 0.5;

/** Whether the queue that was read is n8n's: one of another prefix or database is empty, whatever waits. */
function isOwnQueue(step: StepRecord, samples: Sample[]): boolean {
  const added = within(step, samples).flatMap(({ queue }) => queue?.added ?? []);
  const accepted = step.summary.answered;
  return added.length === 0 || added.at(-1)! - added[0]! >= ADDED_SHARE * accepted;
}

/**
 * Returns the backlog of a burst until its drain has ended. It comes from Bull's lists, if these were read every second, and
 * from the counts of accepted and ended executions. The counts include executions that main or a webhook processor has accepted
 * but not yet queued. Otherwise it comes from the counts alone. On Kubernetes the queue is read from n8n's metrics, which are up
 * to 20 s old.
 */
export function readBacklog(step: StepRecord, samples: Sample[], { mode, provisioner }: DeploymentRecord): Backlog {
  if (mode === 'queue' && provisioner !== 'kubernetes' && isOwnQueue(step, samples)) {
    const points = within(step, samples).flatMap(({ at: time, queue }) => {
      if (!queue) return [];
      const at = seconds(step, time);
      return [{ at, value: Math.max(queue.waiting + queue.active, countedAt(step, at)) }];
    });
    return { source: 'queue', points };
  }
  return { source: 'counts', points: step.backlog.map(({ at, executions }) => ({ at, value: executions })) };
}

/** A count that is older, in seconds, says nothing of now. */
const COUNT_AGE = 2;

/** Executions accepted less those that have ended at a time of a step; 0 where they were not counted then. */
const countedAt = ({ backlog }: StepRecord, time: number): number =>
  backlog.findLast(({ at }) => at <= time && at >= time - COUNT_AGE)?.executions ?? 0;

/** The highest value of a series from `from` until before `to`, in seconds; at least `least`. */
export const highest = (points: Point[], from: number, to: number, least: number): number =>
  points.filter(({ at }) => at >= from && at < to).reduce((most, { value }) => Math.max(most, value), least);

/** The highest point of a series at or after `from`, the first of equals; undefined without any. */
export const findPeak = (points: Point[], from: number): Point | undefined =>
  points
    .filter(({ at }) => at >= from)
    .reduce<Point | undefined>((a, b) => (a && a.value >= b.value ? a : b), undefined);

/** When a series, at or after `from`, first stays at or below a level for a few samples in a row; undefined if never. */
export function backAt(points: Point[], level: number, from: number): number | undefined {
  const after = points.filter(({ at }) => at >= from);
  return after.find(
    (_, i) => i + IN_A_ROW <= after.length && after.slice(i, i + IN_A_ROW).every(({ value }) => value <= level),
  )?.at;
}

/**
 * Components that were scaled up, or were to be, after the spike began.
 * @param spikeFrom start of the spike in seconds since the measured part began
 */
export function readScaling(step: StepRecord, samples: Sample[], spikeFrom: number): Scaling[] {
  const seen = within(step, samples).filter((s) => s.replicas);
  const components = [...new Set(seen.flatMap((s) => s.replicas!.map((r) => r.component)))];
  return components.flatMap((component) => {
    const series = seen.flatMap(({ at, replicas }) =>
      replicas!.filter((r) => r.component === component).map((r) => ({ ...r, at: seconds(step, at) - spikeFrom })),
    );
    const before = series.findLast(({ at }) => at < 0)?.ready ?? series[0]!.ready;
    const after = series.filter(({ at }) => at >= 0);
    const most = Math.max(before, ...after.map((r) => r.ready));
    const wanted = Math.max(before, ...after.map((r) => r.wanted));
    if (wanted === before && most === before) return [];
    const first = after.find(({ ready }) => ready > before);
    const last = most > before ? after.find(({ ready }) => ready === most) : undefined;
    return [
      { component, before, most, wanted, ...(first && { firstReady: first.at }), ...(last && { lastReady: last.at }) },
    ];
  });
}

const within = (step: StepRecord, samples: Sample[]): Sample[] =>
  samples.filter(({ at }) => at >= step.measuredFrom && at <= step.endedAt);

const seconds = (step: StepRecord, at: number): number => (at - step.measuredFrom) / 1000;
