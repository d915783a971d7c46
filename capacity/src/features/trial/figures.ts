import { geometricMean, sum } from 'simple-statistics';
import { slowedBy } from '../../judge/inconclusive.js';
import { judgeStep } from '../../judge/step.js';
import { throughput } from '../../judge/sustained.js';
import { isDisturbed } from '../../judge/tried.js';
import { usageBetween } from '../../observe/usage.js';
import { why } from '../../judge/conclusion.js';
import { REFUSED } from '../../load/samples.js';
import type { StepRecord } from '../../model/step.js';
import type { Figures, LoadFigures } from './record.js';
import type { Reason } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';

/** Failures that make a throughput useless: answered executions did not end, or the next peak would kill n8n. */
const USELESS_REASONS: string[] = ['died', 'completed', 'memory', 'errors'];

/**
 * The figures of a trial's run, or why it has none: n8n died, requests failed, or another process used the machine. If there
 * are several loads, each must have figures.
 */
export function trialFigures(recorded: RecordedRun): Figures {
  const { loads } = recorded.run.plan;
  const died = recorded.events.find((e) => e.kind === 'died');
  if (died) return { failed: `${died.instance} died (${died.reason ?? died.detail})` };
  const figures = loads.map(({ name }) => loadFigures(recorded, name));
  if (figures.length === 1) return figures[0]!;
  for (const kind of ['failed', 'disturbed'] as const) {
    const none = figures.findIndex((f) => f[kind] !== undefined);
    if (none >= 0) return { [kind]: `${loads[none]!.name}: ${figures[none]![kind]}` };
  }
  const of = (value: (f: Figures) => number | undefined) => figures.flatMap((f) => value(f) ?? []);
  const memory = of((f) => f.memoryBytes);
  const latencies = of((f) => f.p95).filter((p95) => p95 > 0);
  return {
    perSecond: geometricMean(of((f) => f.perSecond)),
    ...(latencies.length === loads.length && { p95: geometricMean(latencies) }),
    ...(memory.length > 0 && { memoryBytes: Math.max(...memory) }),
    loads: Object.fromEntries(figures.map((f, i) => [loads[i]!.name, f as LoadFigures])),
  };
}

/** The figures of the last step of a load. */
function loadFigures({ run, steps, samples }: RecordedRun, load: string): Figures {
  const step = steps.findLast((s) => s.load === load);
  if (!step) return { failed: 'nothing was measured' };
  // Even where the objectives were met: the throughput is what is compared.
  const [taken] = slowedBy(step);
  if (taken) return { disturbed: taken.text };
  const judged = { step, judged: judgeStep(step, run.plan.slo) };
  if (isDisturbed(judged)) return { disturbed: why(judged) };
  const { answered, latency } = step.summary;
  const failed = countFailedRequests(step);
  const isUseless = ({ code }: Reason) => USELESS_REASONS.includes(code) && (code !== 'errors' || failed > 0);
  const useless = judged.judged.verdict === 'FAIL' && judged.judged.reasons.find(isUseless);
  if (useless) return { failed: useless.text };
  if (answered === 0 || failed > run.plan.slo.errors * (answered + failed))
    return { failed: `${failed} of ${answered + failed} requests failed` };
  const used = [...usageBetween(samples, step.measuredFrom, step.measuredTo).values()];
  const memory = used.flatMap((usage) => usage.peakMemoryBytes ?? []);
  return {
    perSecond: throughput(step),
    ...(latency && { p95: latency.p95 }),
    // The sum is only useful if all instances were seen.
    ...(memory.length > 0 && memory.length === used.length && { memoryBytes: sum(memory) }),
  };
}

/**
 * Requests that failed. In a closed loop, refused requests do not count: a refused client retries after a pause, and the
 * throughput of the others is still that of the deployment.
 */
const countFailedRequests = ({ clients, summary: { failed, failures } }: StepRecord): number =>
  clients === undefined ? failed : failed - (failures[REFUSED] ?? 0);
