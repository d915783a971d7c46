import { concludeRates } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';
import { format } from '../../core/formats.js';
import type { BurstReport, Point } from '../../model/reports.js';
import type { RunVerdict, Reason, StepVerdict } from '../../model/verdict.js';
import type { PhaseRecord, StepRecord } from '../../model/step.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { Component, InstanceEvent } from '../../model/events.js';
import type { Sample } from '../../model/sample.js';
import type { BurstPlan, Plan, Slo } from '../../model/plan.js';
import { backAt, backlogOf, highest, peakOf, scalingOf } from '../burst-series.js';
import { upperBound95, MIN_SAMPLES } from '../../stats/intervals.js';
import { brokenSlo, COUNTED_SHARE, deaths, droppedByTarget, growing, inconclusiveReasons, weigh } from '../step.js';

/** A burst as it was recorded. */
export interface RecordedBurst {
  plan: Plan;
  deployment: DeploymentRecord;
  steps: StepRecord[];
  samples: Sample[];
}

/** A burst is judged by what became of its spike; its loads alone, by whether the spike's rate held. */
export const burst: JudgeProfile<'burst'> = {
  conclude: ({ spike }, steps, plan, found) => concludeRates(spike, steps, plan, found),
  judge: (_, { run: { plan, deployment }, steps, samples }) => judgeBurst({ plan, deployment, steps, samples }),
};

/** Judges a recorded burst from its records alone. The plan must be one of a burst. */
export function judgeBurst({ plan, deployment, steps, samples }: RecordedBurst): RunVerdict {
  const load = plan.loads[0]!.name;
  const burst = plan.rates as BurstPlan;
  const [step] = steps;
  if (!step?.phases)
    return {
      verdict: 'INCONCLUSIVE',
      loads: [{ load, verdict: 'INCONCLUSIVE', conclusion: 'the burst has not ended', steps: [] }],
    };
  const report = reportOf(step, deployment, samples);
  const judged = judge(step, report, burst, plan.slo, samples);
  const { verdict } = judged;
  const conclusion = verdict === 'PASS' ? passed(burst, report) : judged.reasons[0]!.text;
  return { verdict, loads: [{ load, verdict, conclusion, steps: [{ step, judged }] }], burst: report };
}

function reportOf(step: StepRecord, deployment: DeploymentRecord, samples: Sample[]): BurstReport {
  const phases = step.phases!;
  const spike = phases.find(({ name }) => name === 'spike')!;
  const backlog = backlogOf(step, samples, deployment);
  const baseLevel = highest(backlog.points, 0, spike.from, 1);
  const peak = peakOf(backlog.points, spike.from);
  const over = peak && peak.value > baseLevel ? peak.at : spike.to;
  const drained = backAt(backlog.points, baseLevel, Math.max(spike.to, over));
  const medians = step.summary.seconds.flatMap(({ at, p50 }): Point[] =>
    p50 === undefined ? [] : [{ at, value: p50 }],
  );
  const latencyBack = backAt(medians, highest(medians, 0, spike.from, 0), spike.to);
  const unended = unendedOf(step, samples);
  return {
    phases,
    backlog,
    baseLevel,
    ...(peak && { peak: { executions: peak.value, seconds: peak.at - spike.from } }),
    ...(drained !== undefined && { drainSeconds: drained - spike.to }),
    ...(latencyBack !== undefined && { latencyBackSeconds: latencyBack - spike.to }),
    scaling: scalingOf(step, samples, spike.from),
    ...(deployment.provisioner !== 'existing' && { autoscaled: (deployment.autoscalers ?? []).length > 0 }),
    ...(unended && { unended }),
  };
}

/** What Bull still has when the drain ends is late, and not lost. */
function unendedOf({ executions, endedAt }: StepRecord, samples: Sample[]): BurstReport['unended'] {
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
  const failed = [
    ...deaths(judged),
    ...brokenSlo(
      { ...judged, summary: { ...step.summary, latency: null } },
      slo,
      requests === 0 ? 0 : failures / requests,
    ),
    ...latencies(step, slo),
    ...unsteady(step, slo),
    ...unended(step, report),
    ...endedAsFailed(step, slo),
    ...undrained(report, burst),
    ...droppedByTarget(step),
  ];
  const unclear = [
    ...inconclusiveReasons({ ...judged, rate: burst.spike }, Infinity),
    ...tooFew(step),
    ...unread(step, report),
    ...scaledBefore(step, samples),
  ];
  const verdict = weigh(failed, unclear);
  return {
    verdict,
    reasons: verdict === 'INCONCLUSIVE' ? unclear : failed,
    errorRate: requests === 0 ? 0 : failures / requests,
    errorRateUpperBound: upperBound95(failures, requests),
  };
}

/** An autoscaler that moves is what a burst is about, and so is a pod that it takes away again. */
function isScaling({ kind, component, at }: InstanceEvent, events: InstanceEvent[]): boolean {
  if (kind === 'scaled') return true;
  return kind === 'evicted' && events.some((e) => e.kind === 'scaled' && e.component === component && e.at <= at);
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

/** What the deployment does not take for long cannot be what it returns to. */
const unsteady = (step: StepRecord, slo: Slo): Reason[] =>
  growing(asStep(step, step.phases![0]!), slo).map((reason) => ({
    ...reason,
    text: `the base load is not steady: ${reason.text}`,
  }));

function unended({ executions }: StepRecord, { unended: missing }: BurstReport): Reason[] {
  if (!executions || !missing || missing.lost + missing.queued === 0) return [];
  const { accepted, drainSeconds } = executions;
  const parts = [
    ...(missing.lost > 0 ? [`${missing.lost} of ${accepted} accepted executions were lost`] : []),
    ...(missing.queued > 0 ? [`${missing.queued} of ${accepted} accepted executions were still in the queue`] : []),
  ];
  return [
    {
      code: 'completed',
      clear: true,
      text: `${parts.join(', ')} ${drainSeconds.toFixed(0)} s after the load had ended`,
    },
  ];
}

function endedAsFailed({ executions }: StepRecord, slo: Slo): Reason[] {
  if (!executions || executions.failed <= slo.errors * executions.accepted) return [];
  const text = `${executions.failed} of ${executions.accepted} accepted executions ended as failed`;
  return [{ code: 'executions-failed', text }];
}

function undrained({ drainSeconds, baseLevel }: BurstReport, { drainWithinSeconds }: BurstPlan): Reason[] {
  if (drainSeconds !== undefined && drainSeconds <= drainWithinSeconds) return [];
  const when = drainSeconds === undefined ? 'at no time that was observed' : `after ${drainSeconds.toFixed(0)} s`;
  const text = `the backlog was back at ${format(baseLevel)} ${when}, ${drainWithinSeconds} s after the spike allowed`;
  return [{ code: 'drain', clear: true, text }];
}

function tooFew({ phases }: StepRecord): Reason[] {
  return phases!
    .filter(({ name, answered, failed }) => name !== 'recovery' && answered + failed < MIN_SAMPLES)
    .map(({ name, answered, failed }) => ({
      code: 'too-few-samples',
      text: `${answered + failed} requests in the ${name} phase, at least ${MIN_SAMPLES} are needed`,
    }));
}

/** Of counts it is asked of every step. */
function unread({ phases }: StepRecord, { backlog }: BurstReport): Reason[] {
  if (backlog.source === 'counts') return [];
  const seconds = phases!.at(-1)!.to;
  const read = backlog.points.filter(({ at }) => at <= seconds).length;
  if (read >= COUNTED_SHARE * seconds) return [];
  return [{ code: 'count-unreadable', text: `the queue could be read in ${read} of ${seconds} seconds` }];
}

/** While the present scale is not settled there is nothing that a spike could be above. */
function scaledBefore(step: StepRecord, samples: Sample[]): Reason[] {
  const { to } = step.phases![0]!;
  const before = samples.filter((s) => s.replicas && s.at >= step.measuredFrom && s.at < step.measuredFrom + to * 1000);
  const moved = before
    .flatMap(({ replicas }) => replicas!)
    .find(({ component, wanted, ready }) => ready !== wanted || before.some((s) => wantedOf(s, component) !== wanted));
  if (!moved) return [];
  const text = `${moved.component} was scaled under the base load already: let it settle with a longer --warmup`;
  return [{ code: 'scaled', text }];
}

const wantedOf = ({ replicas }: Sample, component: Component): number | undefined =>
  replicas!.find((r) => r.component === component)?.wanted;

/** One sentence for a burst that was taken. */
function passed({ base, spike, spikeSeconds }: BurstPlan, report: BurstReport): string {
  const { peak, drainSeconds } = report;
  const what = `${format(spike)}/s for ${spikeSeconds} s above ${format(base)}/s`;
  const backlog = `a backlog of at most ${peak!.executions}, drained ${format(drainSeconds!)} s after the spike`;
  return `takes ${what}: ${backlog}, ${scalingWords(report)}, nothing lost`;
}

/** What became of the number of pods, in words. */
export function scalingWords({ scaling, autoscaled }: Pick<BurstReport, 'scaling' | 'autoscaled'>): string {
  if (autoscaled === false) return 'at a fixed scale (no autoscaler)';
  if (scaling.length === 0) return autoscaled ? 'without any scaling' : 'its scale was not observed';
  return scaling
    .map(({ component, before, most, wanted, lastReady }) =>
      lastReady === undefined
        ? `${component} asked for ${wanted} but stayed at ${before}`
        : `${component} from ${before} to ${most} within ${format(lastReady)} s`,
    )
    .join(', ');
}
