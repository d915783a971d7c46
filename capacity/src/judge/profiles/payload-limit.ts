import { toMebibytes } from '../../core/formats.js';
import type { InstanceEvent } from '../../model/events.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { RatesOf } from '../../model/plan.js';
import type { PayloadLimit, PayloadLimitReason, PayloadRange, PayloadTry } from '../../model/reports.js';
import type { StepRecord } from '../../model/step.js';
import { worst } from '../../model/verdict.js';
import { LOAD_TARGET_MEGABYTES } from '../../plan/payload-limit.js';
import { disturbanceReasons, eventKey } from '../events.js';
import { clockJumped, COUNT_UNREADABLE, unended } from '../inconclusive.js';
import { memoryReasons } from '../memory.js';
import type { JudgeProfile } from '../profile.js';
import { concludeClients } from './closed.js';

/** The search ends when the bracket is this narrow in MiB, or as a share of the payload that survived. */
const PRECISION_MIB = 16;
const PRECISION_SHARE = 0.05;

/** What ends a try, the worst first. A process that is only unready for a while goes on. */
const ENDS: InstanceEvent['kind'][] = ['died', 'runner-died', 'probe-failed'];

/**
 * Judges tries from their steps. What dies between two of them died of the payload of the first.
 * @param events of the whole run
 */
export function judgeTries(steps: StepRecord[], events: readonly InstanceEvent[]): PayloadTry[] {
  const known = new Set(steps.flatMap((s) => s.events).map(eventKey));
  const late = events.filter((event) => ENDS.includes(event.kind) && !known.has(eventKey(event)));
  return steps.map((step, i) => {
    const until = steps[i + 1]?.measuredFrom ?? Infinity;
    const after = late.filter(({ at }) => at >= step.measuredFrom && at < until);
    return judgeTry({ ...step, events: [...step.events, ...after] });
  });
}

/** Judges a try from its step: a payload survives if every request was answered and executed, and nothing died. */
export function judgeTry(step: StepRecord): PayloadTry {
  const payloadMiB = step.payloadMiB!;
  const { summary, executions } = step;
  const inconclusive = (text: string): PayloadTry => ({ payloadMiB, outcome: 'inconclusive', text });
  const failed = (text: string): PayloadTry => ({ payloadMiB, outcome: 'broke', limit: 'FailedRequests', text });
  const [end] = ENDS.flatMap((kind) => step.events.find((e) => e.kind === kind) ?? []);
  if (end) {
    const { instance, kind, detail } = end;
    const limit = limitReason(end);
    const text = `${instance} ${kind === 'probe-failed' ? 'failed its probe' : 'died'} (${limit}, ${detail})`;
    return { payloadMiB, outcome: 'broke', limit, instance, text };
  }
  const problem = findDisturbance(step);
  if (problem !== undefined) return inconclusive(problem);
  if (summary.failed > 0) {
    const kinds = Object.entries(summary.failures).map(([kind, n]) => `${n} × ${kind}`);
    return failed(`requests failed: ${kinds.join(', ')}`);
  }
  if (executions && executions.failed > 0) return failed(`${executions.failed} executions failed`);
  if (summary.answered === 0) return inconclusive('no request ended within the step');
  if (!executions) return inconclusive(COUNT_UNREADABLE);
  if (executions.completed < executions.accepted) return failed(unended(executions));
  const [full] = memoryReasons(step);
  return {
    payloadMiB,
    outcome: 'survived',
    text: full ? full.text : `${summary.answered} requests answered`,
    ...(full && { full: true }),
  };
}

function limitReason({ kind, reason }: InstanceEvent): PayloadLimitReason {
  if (kind === 'runner-died') return 'TaskRunner';
  return kind === 'probe-failed' ? 'LivenessProbe' : (reason ?? 'Crash');
}

/** What, other than n8n, went wrong in a step; undefined if nothing did. */
function findDisturbance(step: StepRecord): string | undefined {
  const [disturbed] = disturbanceReasons(step.events);
  const [jumped] = clockJumped(step);
  return disturbed?.text ?? step.k6.message ?? jumped?.text;
}

/**
 * The next payload to try, in whole MiB; undefined when the search has ended. The minimum and the maximum come first, because
 * either can end the search; then the middle of the bracket, until it is within 16 MiB or 5 %.
 */
export function nextPayload(
  tries: PayloadTry[],
  { minMiB, maxMiB, expectedMiB = maxMiB, rungs }: PayloadRange,
): number | undefined {
  const { survived, broke } = bracketPayloads(tries);
  if (rungs) return broke === undefined ? rungs.find((mib) => mib > (survived ?? 0)) : undefined;
  if (survived === undefined) return broke === undefined ? minMiB : undefined;
  if (broke === undefined) {
    const first = Math.floor(expectedMiB);
    if (survived < first && first < maxMiB) return first;
    return survived < maxMiB ? maxMiB : undefined;
  }
  return isClose(survived, broke) ? undefined : Math.round((survived + broke) / 2);
}

const isClose = (survived: number, broke: number): boolean =>
  broke - survived <= Math.max(PRECISION_MIB, PRECISION_SHARE * survived);

/** The smallest payload that broke, and the largest below it that survived. */
function bracketPayloads(tries: PayloadTry[]): { survived?: number; broke?: number } {
  const of = (outcome: PayloadTry['outcome']) => tries.filter((t) => t.outcome === outcome).map((t) => t.payloadMiB);
  const broke = Math.min(...of('broke'));
  const survived = Math.max(...of('survived').filter((mib) => mib < broke));
  return { ...(Number.isFinite(survived) && { survived }), ...(Number.isFinite(broke) && { broke }) };
}

/** The payload limit at one number of clients, and what set it. */
export function concludePayloads(
  clients: number,
  tries: PayloadTry[],
  range: PayloadRange,
  deployment: DeploymentRecord,
): PayloadLimit {
  const { survived, broke } = bracketPayloads(tries);
  const common = {
    clients,
    ...(survived !== undefined && { survivedMiB: survived }),
    ...(broke !== undefined && { brokeMiB: broke }),
    tries,
  };
  const unclear = tries.findLast((t) => t.outcome === 'inconclusive');
  if (nextPayload(tries, range) !== undefined)
    return { ...common, verdict: 'INCONCLUSIVE', text: `cannot judge: ${unclear?.text ?? 'the search did not end'}` };
  const full = tries.find((t) => t.outcome === 'survived' && t.payloadMiB === survived && t.full);
  const warning = full ? `; plan with less: at ${survived} MiB ${full.text}` : '';
  if (broke === undefined) {
    const text = loadTargetText(survived!, clients, deployment) + warning;
    return { ...common, verdict: 'PASS', limit: 'LoadTarget', text };
  }
  const breaking = tries.find((t) => t.outcome === 'broke' && t.payloadMiB === broke)!;
  const held =
    survived === undefined ? `not even ${broke} MiB survive` : `${survived} MiB survive, ${broke} MiB do not`;
  const text = `${held}: ${limitText(breaking, deployment)}${warning}`;
  return { ...common, verdict: 'PASS', limit: breaking.limit!, text };
}

/** The load targets' variable that lowers their ceiling. */
const VARIABLE = 'N8N_LOAD_TARGET_MAX_MEGABYTES';

function loadTargetText(mib: number, clients: number, { loadTargetMegabytes }: DeploymentRecord): string {
  const all = `${clients > 1 ? `${clients} × ` : ''}${mib} MiB survive`;
  return loadTargetMegabytes === undefined || loadTargetMegabytes >= LOAD_TARGET_MEGABYTES
    ? `${all}: the limit is the load targets' ceiling of ${LOAD_TARGET_MEGABYTES} MiB per process, not n8n (${VARIABLE} can only lower it)`
    : `${all}: the limit is the load targets' ceiling, ${VARIABLE}=${loadTargetMegabytes}, not n8n; raise it to at most ${LOAD_TARGET_MEGABYTES}`;
}

/** The limit that was reached, its size, and the chart value that sets it. */
function limitText({ limit, instance, text }: PayloadTry, { instances }: DeploymentRecord): string {
  const found = instances.find((i) => i.name === instance);
  const { component = 'main' } = found ?? {};
  const memory = found?.limits.memoryBytes;
  const ofContainer = memory === undefined ? '' : ` of ${toMebibytes(memory)} MiB`;
  switch (limit) {
    case 'V8HeapLimit': {
      const heap = found?.heapMiB === undefined ? '' : ` of ${found.heapMiB} MiB`;
      return `${instance} ran out of heap at V8's limit${heap}, in a container${ofContainer || ' without a memory limit'}; ${component}.heap.n8n sets it`;
    }
    case 'OOMKilled':
      return `${instance} was killed at its container's memory limit${ofContainer}; ${component}.resources.limits.memory sets it`;
    case 'LivenessProbe':
      return `${instance} was restarted because it did not answer its liveness probe: V8 spends its time on garbage collection near the heap limit, or CPU is short`;
    case 'TaskRunner':
      return `the task runner of ${instance} died; ${component}.heap.runner sets its heap`;
    default:
      return text;
  }
}

/**
 * The range of payloads for one number of clients: all clients together ask one process for at most `maxMiB`. Payloads
 * above the heaps of the processes that run executions are not expected to survive.
 */
export function payloadRange(
  { minMiB, maxMiB, rungs }: Pick<RatesOf<'payload-limit'>, 'minMiB' | 'maxMiB' | 'rungs'>,
  clients: number,
  { mode, instances }: Pick<DeploymentRecord, 'mode' | 'instances'>,
): PayloadRange {
  const runners = instances.filter((i) => i.component === (mode === 'queue' ? 'worker' : 'main'));
  const heap = runners.reduce((total, { heapMiB = Infinity }) => total + heapMiB, 0);
  const largest = Math.max(minMiB, Math.floor(maxMiB / clients));
  return {
    minMiB,
    maxMiB: largest,
    expectedMiB: Math.min(largest, Math.max(minMiB, Math.floor(heap / clients))),
    ...(rungs && { rungs }),
  };
}

/** The payload limit: the largest payload that survives at each number of clients, and why a larger one does not. */
export const payloadLimit: JudgeProfile<'payload-limit'> = {
  conclude: (_, steps) => concludeClients(steps.at(-1)!.step.clients!, steps.at(-1)!),
  judge({ loads }, { run: { plan, deployment }, steps, events = [] }) {
    const asked = plan.rates as RatesOf<'payload-limit'>;
    const tries = judgeTries(steps, events);
    const limits = asked.concurrency.map((clients) => {
      const own = tries.filter((_, i) => steps[i]!.clients === clients);
      return concludePayloads(clients, own, payloadRange(asked, clients, deployment), deployment);
    });
    return { verdict: worst(limits.map((l) => l.verdict)), loads, payloadLimits: limits };
  },
};
