import type { ConfirmRecord } from '../../../../capacity/src/features/confirm/record.js';
import type { Drift, DriftVerdict } from '../../../../capacity/src/model/reports.js';
import type { JudgedStep, Verdict } from '../../../../capacity/src/model/verdict.js';
import { judgeStep } from '../../../../capacity/src/judge/step.js';
import type { ConfirmResults, SoakResult } from '../../../../capacity/src/features/confirm/conclude.js';
import { buildGoodStep, buildPlan } from '../../support/index.js';

/** 20/s with a headroom of 1.3 in three deployments. */
export const record = (changes: Partial<ConfirmRecord> = {}): ConfirmRecord => ({
  tool: 'n8n-capacity confirm',
  startedAt: '2026-11-20T10:00:00.000Z',
  of: 'results/friday',
  provisioner: 'process',
  deployments: 3,
  headroom: 1.3,
  soakSeconds: 900,
  rates: [{ load: 'webhook-ack', target: 20, withHeadroom: 26 }],
  before: [],
  plan: buildPlan({ rates: { kind: 'confirm', rates: [20, 26] } }),
  ...changes,
});

const LATE = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };

/** A judged step that held, that did not, or whose sample is too small to tell. */
export function stepAt(rate: number, outcome: 'held' | 'broken' | 'open'): JudgedStep {
  const few = { offered: 100, answered: 100, seconds: [] };
  const step = buildGoodStep({ rate, summary: { held: {}, broken: LATE, open: few }[outcome] });
  return { step, judged: judgeStep(step, record().plan.slo) };
}

/** A judged soak of one load: whether its rate held, and whether anything drifts. */
export function soak(verdict: Verdict, drift: DriftVerdict = 'stable', hoursToLimit?: number): SoakResult {
  const load = { load: 'webhook-ack', verdict, conclusion: `is ${verdict}`, steps: [] };
  const drifts: Drift[] = [
    {
      of: 'memory',
      name: 'main-0',
      perHour: 1,
      verdict: drift,
      text: `memory ${drift}`,
      ...(hoursToLimit && { hoursToLimit }),
    },
  ];
  const report = { verdict: drift, drifts, horizonSeconds: 3600, unknown: [] };
  return { load: 'webhook-ack', seconds: 900, verdict: { verdict, loads: [load], soak: report } };
}

/** Deployments that showed these outcomes at the target and at the target × headroom. */
export const shown = (
  outcomes: ['held' | 'broken' | 'open', 'held' | 'broken' | 'open'][],
  soaks: SoakResult[] = [],
): ConfirmResults => ({
  deployments: outcomes.map(([target, withHeadroom], i) => ({
    load: 'webhook-ack',
    deployment: i + 1,
    steps: [stepAt(20, target), stepAt(26, withHeadroom)],
  })),
  soaks,
});
