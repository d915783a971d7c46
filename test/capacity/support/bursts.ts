import type { PhaseRecord, StepRecord } from '../../../capacity/src/model/step.js';
import type { DeploymentRecord } from '../../../capacity/src/model/run.js';
import type { Sample } from '../../../capacity/src/model/sample.js';
import type { RecordedBurst } from '../../../capacity/src/judge/profiles/burst.js';
import { phasesOf } from '../../../capacity/src/plan/burst.js';
import type { BurstPlan } from '../../../capacity/src/model/plan.js';
import { buildPlan, regularDeployment } from './runs.js';
import { buildGoodStep } from './steps.js';

export const BURST: BurstPlan = {
  kind: 'burst',
  base: 2,
  spike: 20,
  baseSeconds: 20,
  spikeSeconds: 30,
  recoverySeconds: 70,
  drainWithinSeconds: 60,
};
export const START = 1_000_000;
/** Seconds that are observed after the load has ended. */
export const DRAIN = 20;

/** A simulated deployment: its executions a second and its pods, by the second since the measured part began. */
export interface Truth {
  burst?: BurstPlan;
  perSecond: (second: number) => number;
  pods?: (second: number) => { wanted: number; ready: number };
  mode?: 'regular' | 'queue';
  step?: Partial<StepRecord>;
  phases?: (phase: PhaseRecord) => Partial<PhaseRecord>;
  /** Executions that disappear in the spike. */
  lost?: number;
  /** Number of the waiting executions that are in Bull's queue; all if omitted. */
  inBull?: (waiting: number) => number;
  deployment?: Partial<DeploymentRecord>;
}

/** The record of a burst on that deployment, with one sample a second. */
export function buildBurst(truth: Truth): RecordedBurst {
  const asked = truth.burst ?? BURST;
  const { perSecond, pods, mode = 'queue', lost = 0, inBull = (waiting) => waiting } = truth;
  let at = 0;
  const phases = phasesOf(asked).map(({ name, rate, seconds }): PhaseRecord => {
    const from = at;
    at += seconds;
    const latency = { p50: 0.01, p95: 0.02, p99: 0.03, max: 0.1 };
    const phase = { name, rate, from, to: at, answered: rate * seconds, failed: 0, failures: {}, latency };
    return { ...phase, ...truth.phases?.(phase) };
  });
  let [waiting, accepted, completed] = [0, 0, 0];
  const samples: Sample[] = [];
  const backlog: StepRecord['backlog'] = [];
  for (let second = 0; second < at + DRAIN; second++) {
    const arrived = phases.find(({ from, to }) => second >= from && second < to)?.rate ?? 0;
    const gone = second === phases[1]!.from ? lost : 0;
    const ended = Math.min(waiting + arrived - gone, perSecond(second));
    waiting += arrived - gone - ended;
    accepted += arrived;
    completed += ended;
    backlog.push({ at: second + 0.5, executions: accepted - completed });
    samples.push({
      at: START + second * 1000 + 500,
      instances: [],
      executions: { succeeded: completed, failed: 0 },
      ...(mode === 'queue' && { queue: { waiting: inBull(waiting), active: 0 } }),
      ...(pods && { replicas: [{ component: 'worker', ...pods(second) }] }),
    });
  }
  const seconds = Array.from({ length: at }, (_, i) => ({ at: i, sent: 2, answered: 2, failed: 0, p50: 0.01 }));
  const step = buildGoodStep({
    measuredFrom: START,
    measuredTo: START + at * 1000,
    endedAt: START + (at + DRAIN) * 1000,
    executions: { accepted, completed, failed: 0, drainSeconds: DRAIN },
    backlog,
    phases,
    summary: { seconds, offered: accepted, answered: accepted },
    ...truth.step,
  });
  delete step.rate;
  return {
    plan: buildPlan({ rates: asked, slo: { errors: 0.01 } }),
    deployment: regularDeployment({ mode, provisioner: pods ? 'kubernetes' : 'process', ...truth.deployment }),
    steps: [step],
    samples,
  };
}
