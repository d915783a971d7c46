import { concludeRates } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';
import { formatNumber, formatPercent } from '../../core/formats.js';
import type { BurstReport, Point } from '../../model/reports.js';
import type { RunVerdict, Reason, StepVerdict } from '../../model/verdict.js';
import type { PhaseRecord, StepRecord } from '../../model/step.js';
import type { DeploymentRecord } from '../../model/run.js';
import { DELETED, type Component, type InstanceEvent } from '../../model/events.js';
import type { Sample } from '../../model/sample.js';
import { SHARE_ABOVE, type BurstPlan, type Plan, type Slo } from '../../model/plan.js';
import { IN_A_ROW, backAt, readBacklog, highest, findPeak, readScaling } from '../burst-series.js';
import { lowerBound95, upperBound95, MIN_SAMPLES } from '../../stats/intervals.js';
import { deathReasons } from '../events.js';
import { brokenSlo, droppedByDeployment } from '../burst-objectives.js';
import { growing } from '../growing.js';
import { slowedBy, COUNTED_SHARE, inconclusiveReasons, unseenReasons } from '../inconclusive.js';
import { memoryReasons, memoryUnmeasured } from '../memory.js';
import { brokenClaims, openClaims, partClaims } from '../objectives.js';
import { divideUndrained, divideUnended, isScaleIn } from '../removed.js';
import { weigh } from '../step.js';

/** A burst as it was recorded. */
export interface RecordedBurst {
  plan: Plan;
  deployment: DeploymentRecord;
  steps: StepRecord[];
  samples: Sample[];
}

/** A burst: whether the spike was absorbed. Its loads alone are judged by whether the spike's rate held. */
export const burst: JudgeProfile<'burst'> = {
  conclude: ({ spike }, steps, found) => concludeRates(spike, steps, found),
  judge: (_, { run: { plan, deployment }, steps, samples }) => judgeBurst({ plan, deployment, steps, samples }),
};

/** Judges a burst from its records alone. The plan must be one of a burst. */
export function judgeBurst({ plan, deployment, steps, samples }: RecordedBurst): RunVerdict {
  const load = plan.loads[0]!.name;
  const burst = plan.rates as BurstPlan;
  const [step] = steps;
  if (!step?.phases)
    return {
      verdict: 'INCONCLUSIVE',
      loads: [{ load, verdict: 'INCONCLUSIVE', conclusion: 'the burst did not end', steps: [] }],
    };
  const report = buildBurstReport(step, deployment, samples);
  const judged = judge(step, report, burst, plan.slo, samples);
  const { verdict } = judged;
  const conclusion = verdict === 'PASS' ? passed(burst, report) : judged.reasons[0]!.text;
  return { verdict, loads: [{ load, verdict, conclusion, steps: [{ step, judged }] }], burst: report };
}

function buildBurstReport(step: StepRecord, deployment: DeploymentRecord, samples: Sample[]): BurstReport {
  const phases = step.phases!;
  const spike = phases.find(({ name }) => name === 'spike')!;
  const backlog = readBacklog(step, samples, deployment);
  const baseLevel = highest(backlog.points, 0, spike.from, 1);
  const peak = findPeak(backlog.points, spike.from);
  const over = peak && peak.value > baseLevel ? peak.at : spike.to;
  const drained = backAt(backlog.points, baseLevel, Math.max(spike.to, over));
  const medians = step.summary.seconds.flatMap(({ at, p50 }): Point[] =>
    p50 === undefined ? [] : [{ at, value: p50 }],
  );
  const latencyBack = backAt(medians, highest(medians, 0, spike.from, 0), spike.to);
  const unended = countUnfinished(step, samples);
  return {
    phases,
    backlog,
    baseLevel,
    ...(peak && { peak: { executions: peak.value, seconds: peak.at - spike.from } }),
    ...(drained !== undefined && { drainSeconds: drained - spike.to }),
    ...(latencyBack !== undefined && { latencyBackSeconds: latencyBack - spike.to }),
    scaling: readScaling(step, samples, spike.from),
    ...(deployment.provisioner !== 'existing' && { autoscaled: (deployment.autoscalers ?? []).length > 0 }),
    ...(unended && { unended }),
  };
}

/** Executions that had not ended after the drain: those still in Bull's queue are late, not lost. */
function countUnfinished({ executions, endedAt }: StepRecord, samples: Sample[]): BurstReport['unended'] {
  if (!executions) return undefined;
  const missing = Math.max(0, executions.accepted - executions.completed);
  const queue = samples.findLast((s) => s.queue && s.at <= endedAt)?.queue;
  const queued = Math.min(missing, queue ? queue.waiting + queue.active : 0);
  return { lost: missing - queued, queued };
}

function judge(step: StepRecord, report: BurstReport, burst: BurstPlan, slo: Slo, samples: Sample[]): StepVerdict {
  const { answered, failed: failures } = step.summary;
  const requests = answered + failures;
  const events = step.events.filter((event) => !isScaling(event, step.events));
  const judged = { ...step, events };
  // A short spike may be slow; a workload of a mix that fails hides in the whole.
  const parts = partClaims([step], slo).filter((claim) => claim.objective === 'errors');
  const shares = [...errorsOfPhases(step, slo), ...failedOfSpike(step, report, slo)];
  const missing = divideUnended(step, unended(step, report));
  const drain = isRead(step, report) ? divideUndrained(step, undrained(report, burst), missing, burst) : undefined;
  const failed = [
    ...deathReasons(judged),
    ...memoryReasons(step),
    ...brokenSlo(
      { ...judged, summary: { ...step.summary, latency: null } },
      slo,
      requests === 0 ? 0 : failures / requests,
    ),
    ...latencies(step, slo),
    ...shares.filter(({ isProved }) => isProved).map(({ reason }) => reason),
    ...brokenClaims(parts),
    ...unsteady(step, slo),
    ...missing.failed,
    ...endedAsFailed(step, slo),
    ...(drain?.failed ?? []),
    ...droppedByDeployment(step),
  ];
  const unclear = [
    ...inconclusiveReasons({ ...judged, rate: burst.spike }, Infinity),
    ...unseenReasons(judged),
    ...memoryUnmeasured(step).map((reason): Reason => ({ ...reason, code: 'count-unreadable' })),
    // Few requests leave a percentile open, and nothing else that failed.
    ...(failed.every(({ code }) => code in SHARE_ABOVE) ? tooFew(step) : []),
    // Beside what failed, they would only hide it.
    ...(failed.length > 0 ? [] : shares.map(({ reason }) => reason)),
    ...(failed.length > 0 ? [] : openClaims(parts.filter(({ needs }) => needs === Infinity))),
    ...missing.unknown,
    ...(drain?.unknown ?? []),
    ...unread(step, report),
    ...scaledBefore(step, samples),
    ...(failed.length > 0 ? slowedBy(step) : []),
  ];
  const verdict = weigh(failed, unclear);
  return {
    verdict,
    reasons: verdict === 'INCONCLUSIVE' ? unclear : failed,
    errorRate: requests === 0 ? 0 : failures / requests,
    errorRateUpperBound: upperBound95(failures, requests),
  };
}

/** Scaling is expected in a burst, and so is the eviction of a pod when an autoscaler scales down. */
function isScaling({ kind, component, at, detail }: InstanceEvent, events: InstanceEvent[]): boolean {
  if (kind === 'scaled') return true;
  if (kind !== 'evicted' || detail !== DELETED) return false;
  const last = events.findLast((e) => e.kind === 'scaled' && e.component === component && e.at <= at);
  return last !== undefined && isScaleIn(last);
}

/** A phase as a step of its own. */
function asStep(step: StepRecord, phase: PhaseRecord): StepRecord {
  const { answered, failed, failures, latency, from, to, rate } = phase;
  const isWithin = ({ at }: { at: number }) => at >= from && at < to;
  const seconds = step.summary.seconds.filter(isWithin);
  const summary = { ...step.summary, offered: answered + failed, answered, failed, failures, latency, seconds };
  return { ...step, rate, summary, backlog: step.backlog.filter(isWithin) };
}

const latencies = (step: StepRecord, slo: Slo): Reason[] =>
  step.phases!.flatMap((phase) =>
    brokenSlo(asStep(step, phase), slo, 0).map((reason) => ({ ...reason, text: `${phase.name}: ${reason.text}` })),
  );

/** A share of failures that is above the objective. */
interface Share {
  reason: Reason;
  /** Whether chance does not explain it. */
  isProved: boolean;
}

/** Failed requests of each phase: a short spike hides in the whole. */
const errorsOfPhases = (step: StepRecord, slo: Slo): Share[] =>
  step.phases!.flatMap(({ name, answered, failed }) => {
    const of = answered + failed;
    const text = `${name}: ${failed} of ${of} requests failed, the SLO allows ${formatPercent(slo.errors)}`;
    return aboveObjective('errors', text, failed, of, slo);
  });

function aboveObjective(code: Reason['code'], text: string, failed: number, of: number, { errors }: Slo): Share[] {
  if (of === 0 || failed <= errors * of) return [];
  const isProved = lowerBound95(failed, of) > errors;
  const reason = isProved ? { code, clear: true, text } : { code, text: `${text}; so few may be chance` };
  return [{ reason, isProved }];
}

/** The base load must be steady, because the deployment has to return to it. */
const unsteady = (step: StepRecord, slo: Slo): Reason[] =>
  growing(asStep(step, step.phases![0]!), slo).map((reason) => ({
    ...reason,
    text: `the base load is not sustained: ${reason.text}`,
  }));

function unended({ executions }: StepRecord, { unended: missing }: BurstReport): Reason[] {
  if (!executions || !missing || missing.lost + missing.queued === 0) return [];
  const { accepted, drainSeconds } = executions;
  const parts = [
    ...(missing.lost > 0 ? [`${missing.lost} of ${accepted} accepted executions were lost`] : []),
    ...(missing.queued > 0 ? [`${missing.queued} of ${accepted} accepted executions were still queued`] : []),
  ];
  return [
    {
      code: 'completed',
      clear: true,
      text: `${parts.join(', ')} ${drainSeconds.toFixed(0)} s after the load ended`,
    },
  ];
}

function endedAsFailed({ executions }: StepRecord, slo: Slo): Reason[] {
  if (!executions) return [];
  const { accepted, asynchronous } = executions;
  const failed = executions.failed + (asynchronous?.failed ?? 0);
  if (failed <= slo.errors * accepted) return [];
  const text = `${failed} of ${accepted} accepted executions failed`;
  return [{ code: 'executions-failed', text }];
}

/**
 * Executions of the spike that failed after their answer: beside a long base load they are few. Of those that failed until the
 * spike was worked off, as many as the objective allows of the base load are not counted.
 */
function failedOfSpike({ phases, backlog }: StepRecord, { drainSeconds }: BurstReport, slo: Slo): Share[] {
  const spike = phases!.find(({ name }) => name === 'spike')!;
  const recovery = phases!.at(-1)!;
  const end = drainSeconds === undefined ? Infinity : spike.to + drainSeconds + IN_A_ROW;
  const failedUntil = (time: number) => backlog.findLast(({ at }) => at <= time)?.failed ?? 0;
  const failed = failedUntil(end) - failedUntil(spike.from);
  const base = slo.errors * recovery.rate * Math.max(0, Math.min(end, recovery.to) - spike.to);
  const own = Math.min(spike.answered, Math.round(Math.max(0, failed - base)));
  const text = `spike: ${failed} executions failed until it was worked off, of ${spike.answered} that it began; the SLO allows ${formatPercent(slo.errors)}`;
  return aboveObjective('executions-failed', text, own, spike.answered, slo);
}

function undrained({ drainSeconds, baseLevel }: BurstReport, { drainWithinSeconds }: BurstPlan): Reason[] {
  if (drainSeconds !== undefined && drainSeconds <= drainWithinSeconds) return [];
  const drained =
    drainSeconds === undefined
      ? `did not return to ${formatNumber(baseLevel)} while it was observed`
      : `returned to ${formatNumber(baseLevel)} after ${drainSeconds.toFixed(0)} s`;
  const text = `the backlog ${drained}; the limit is ${drainWithinSeconds} s after the spike`;
  return [{ code: 'drain', clear: true, text }];
}

function tooFew({ phases }: StepRecord): Reason[] {
  return phases!
    .filter(({ name, answered, failed }) => name !== 'recovery' && answered + failed < MIN_SAMPLES)
    .map(({ name, answered, failed }) => ({
      code: 'too-few-samples',
      text: `${answered + failed} requests in the ${name} phase are too few, at least ${MIN_SAMPLES} are needed`,
    }));
}

/** How many seconds of the recovery have a point of the backlog, and how many there are. */
function recoveryRead({ phases }: StepRecord, { backlog }: BurstReport): { read: number; of: number } {
  const { from, to } = phases!.at(-1)!;
  return { read: backlog.points.filter(({ at }) => at >= from && at <= to).length, of: to - from };
}

/** Whether the backlog was seen often enough after the spike to tell when it was drained. */
function isRead(step: StepRecord, report: BurstReport): boolean {
  const { read, of } = recoveryRead(step, report);
  return read >= COUNTED_SHARE * of;
}

/** Whether the backlog was read often enough. */
function unread(step: StepRecord, report: BurstReport): Reason[] {
  const what = report.backlog.source === 'counts' ? "n8n's execution count" : 'the queue';
  const unreadable = (read: number, of: number, where: string): Reason[] => [
    { code: 'count-unreadable', text: `${what} could be read in only ${read} of ${formatNumber(of)} seconds${where}` },
  ];
  const seconds = step.phases!.at(-1)!.to;
  const all = report.backlog.points.filter(({ at }) => at <= seconds).length;
  // inconclusiveReasons checks the counts of the whole burst.
  if (report.backlog.source !== 'counts' && all < COUNTED_SHARE * seconds) return unreadable(all, seconds, '');
  const { read, of } = recoveryRead(step, report);
  return isRead(step, report) ? [] : unreadable(read, of, ' after the spike');
}

/** Scaling under the base load leaves no settled scale to compare the spike with. */
function scaledBefore(step: StepRecord, samples: Sample[]): Reason[] {
  const { to } = step.phases![0]!;
  const before = samples.filter((s) => s.replicas && s.at >= step.measuredFrom && s.at < step.measuredFrom + to * 1000);
  const moved = before
    .flatMap(({ replicas }) => replicas!)
    .find(({ component, wanted, ready }) => ready !== wanted || before.some((s) => wantedOf(s, component) !== wanted));
  if (!moved) return [];
  const text = `${moved.component} was scaled under the base load; use a longer --warmup`;
  return [{ code: 'scaled', text }];
}

const wantedOf = ({ replicas }: Sample, component: Component): number | undefined =>
  replicas!.find((r) => r.component === component)?.wanted;

/** The conclusion on a burst that was absorbed. */
function passed({ base, spike, spikeSeconds }: BurstPlan, report: BurstReport): string {
  const { peak, drainSeconds } = report;
  const what = `${formatNumber(spike)}/s for ${spikeSeconds} s on top of ${formatNumber(base)}/s`;
  const backlog = `backlog of at most ${peak!.executions}, drained ${formatNumber(drainSeconds!)} s after the spike`;
  return `takes ${what}: ${backlog}, ${scalingWords(report)}, no execution lost`;
}

/** How the number of pods changed, as a phrase. */
export function scalingWords({ scaling, autoscaled }: Pick<BurstReport, 'scaling' | 'autoscaled'>): string {
  if (autoscaled === false) return 'at a fixed scale (no autoscaler)';
  if (scaling.length === 0) return autoscaled ? 'not scaled' : 'scaling not observed';
  return scaling
    .map(({ component, before, most, wanted, lastReady }) =>
      lastReady === undefined
        ? `${component} stayed at ${before}, its autoscaler asked for ${wanted}`
        : `${component} scaled from ${before} to ${most} within ${formatNumber(lastReady)} s`,
    )
    .join(', ');
}
