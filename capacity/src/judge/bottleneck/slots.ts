import { max, mean } from 'simple-statistics';
import { formatSeconds } from '../../core/formats.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import type { StepRecord } from '../../model/step.js';
import type { LimitCandidate } from './limit.js';

/** Slots count as full above this share: samples come once a second and miss the moments between. */
const SLOTS_REACHED = 0.9;
/** Slots that were full in fewer of the looks were so by chance. */
const FULL_SHARE = 0.25;

/** The execution slots of a deployment as a limit of a step; none if nothing limits concurrency, or the queue was not read. */
export const slotCandidates = (deployment: DeploymentRecord, step: StepRecord, samples: Sample[]): LimitCandidate[] =>
  deployment.mode === 'queue' ? queueSlots(deployment, step, samples) : regularSlots(deployment, step);

/** Regular mode: executions.concurrencyLimit bounds the executions in progress. */
function regularSlots({ slots }: DeploymentRecord, step: StepRecord): LimitCandidate[] {
  if (slots === undefined) return [];
  const most = Math.max(0, ...step.backlog.map((b) => b.executions));
  // What waits in the event loop is counted, too.
  const evidence = `up to ${Math.min(most, slots)} executions were in progress in ${slots} slots`;
  const reached = isOften(step.backlog.map((b) => b.executions >= slots * SLOTS_REACHED));
  return [{ limit: 'slots', evidence, share: Math.min(1, most / slots), reached }];
}

/** Queue mode: full slots limit nothing unless jobs wait for them. The drain counts: its jobs arrived in the step. */
function queueSlots({ slots }: DeploymentRecord, step: StepRecord, samples: Sample[]): LimitCandidate[] {
  const window = samples.filter((s) => s.at >= step.measuredFrom && s.at <= step.endedAt);
  const looks = window.flatMap((s) => s.queue ?? []);
  if (slots === undefined || looks.length === 0) return [];
  const active = max(looks.map((q) => q.active));
  const waiting = max(looks.map((q) => q.waiting));
  const reached = isOften(looks.map((q) => q.waiting > 0 && q.active >= slots * SLOTS_REACHED));
  const evidence = reached
    ? `all ${slots} slots were in use and up to ${waiting} jobs waited${formatMeanWait(window)}`
    : `up to ${active} of ${slots} slots were in use and up to ${waiting} jobs waited`;
  return [{ limit: 'slots', evidence, share: Math.min(1, active / slots), reached }];
}

const isOften = (full: boolean[]): boolean => full.filter(Boolean).length >= Math.max(1, FULL_SHARE * full.length);

/** How long a job waited on average, by Little's law: jobs that wait, by jobs that end per second. */
function formatMeanWait(window: Sample[]): string {
  const seen = window.flatMap(({ at, queue, executions }) => (queue && executions ? [{ at, queue, executions }] : []));
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last) return '';
  const ended = ({ executions: { succeeded, failed } }: typeof first) => succeeded + failed;
  const perSecond = ((ended(last) - ended(first)) / (last.at - first.at)) * 1000;
  return perSecond > 0 ? `, ${formatSeconds(mean(seen.map((s) => s.queue.waiting)) / perSecond)} on average` : '';
}
