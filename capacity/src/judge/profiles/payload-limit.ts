import type { DeathReason } from '../../model/deployment.js';
import type { DeploymentRecord, StepRecord } from '../../model/record.js';
import { disturbances } from '../disturbances.js';

/**
 * What ended a try: how n8n died, that a task runner did, that requests failed though nothing died; or that all was held
 * that a load target may hold (`LoadTarget`), so that nothing of n8n was the limit.
 */
export type CeilingLimit = DeathReason | 'TaskRunner' | 'FailedRequests' | 'LoadTarget';

/** One payload tried at one concurrency. */
export interface CeilingTry {
  /** Megabytes (MiB) that each execution held. */
  mb: number;
  /** `invalid`: something else than n8n failed, and nothing is told of the payload. */
  outcome: 'survived' | 'broke' | 'invalid';
  /** Of one that broke. */
  limit?: CeilingLimit;
  /** What died; absent when nothing did. */
  instance?: string;
  /** What was seen, without a full stop. */
  text: string;
}

/** Payloads to look among, in megabytes of each execution. */
export interface PayloadRange {
  least: number;
  most: number;
  /** Above it nothing is expected to survive: it is tried before the most, which may cost n8n a minute of dying. */
  expected?: number;
  /** Only these, in this order, until one breaks. */
  rungs?: number[];
}

/** What was found for one number of clients. */
export interface Ceiling {
  clients: number;
  /** PASS: bracketed as closely as asked; INVALID: something else than n8n failed, or the search did not end. */
  verdict: 'PASS' | 'INVALID';
  /** Largest payload that survived, and the smallest above it that did not, in megabytes; absent where there is none. */
  survived?: number;
  broke?: number;
  limit?: CeilingLimit;
  /** One sentence without a full stop. */
  text: string;
  tries: CeilingTry[];
}

/** The bracket is close enough at so many megabytes, or at this share of what survived. */
const PRECISION_MB = 16;
const PRECISION_SHARE = 0.05;

/** Judges a try from its step: a payload survives when every request was answered and nothing died. */
export function judgeTry(step: StepRecord): CeilingTry {
  const mb = step.mb!;
  const { summary, executions, k6 } = step;
  const died = step.events.find((e) => e.kind === 'died') ?? step.events.find((e) => e.kind === 'runner-died');
  if (died) {
    const limit = died.kind === 'runner-died' ? 'TaskRunner' : (died.reason ?? 'Crash');
    return {
      mb,
      outcome: 'broke',
      limit,
      instance: died.instance,
      text: `${died.instance} died (${limit}, ${died.detail})`,
    };
  }
  const [disturbed] = disturbances(step.events);
  const problem = disturbed?.text ?? k6.message;
  if (problem !== undefined) return { mb, outcome: 'invalid', text: problem };
  if (summary.failed > 0) {
    const kinds = Object.entries(summary.failures).map(([kind, n]) => `${n} × ${kind}`);
    return { mb, outcome: 'broke', limit: 'FailedRequests', text: `requests failed: ${kinds.join(', ')}` };
  }
  if (executions && executions.failed > 0)
    return { mb, outcome: 'broke', limit: 'FailedRequests', text: `${executions.failed} executions failed` };
  if (summary.answered === 0) return { mb, outcome: 'invalid', text: 'no request ended within the try' };
  return { mb, outcome: 'survived', text: `${summary.answered} requests answered` };
}

/**
 * The next payload to try, in whole megabytes; undefined when the search has ended. The least and the most come first, since
 * they answer alone when one does not survive or the other does; then the middle of what is left, until the bracket is
 * within 16 MB or 5 %.
 */
export function nextPayload(
  tries: CeilingTry[],
  { least, most, expected = most, rungs }: PayloadRange,
): number | undefined {
  const { survived, broke } = bracketOf(tries);
  if (rungs) return broke === undefined ? rungs.find((mb) => mb > (survived ?? 0)) : undefined;
  if (survived === undefined) return broke === undefined ? least : undefined;
  if (broke === undefined) {
    const first = Math.floor(expected);
    if (survived < first && first < most) return first;
    return survived < most ? most : undefined;
  }
  return isClose(survived, broke) ? undefined : Math.round((survived + broke) / 2);
}

const isClose = (survived: number, broke: number): boolean =>
  broke - survived <= Math.max(PRECISION_MB, PRECISION_SHARE * survived);

/** The smallest payload that broke, and the largest below it that survived. */
function bracketOf(tries: CeilingTry[]): { survived?: number; broke?: number } {
  const of = (outcome: CeilingTry['outcome']) => tries.filter((t) => t.outcome === outcome).map((t) => t.mb);
  const broke = Math.min(...of('broke'));
  const survived = Math.max(...of('survived').filter((mb) => mb < broke));
  return { ...(Number.isFinite(survived) && { survived }), ...(Number.isFinite(broke) && { broke }) };
}

/** What the tries at one concurrency say, and which limit they met. */
export function concludeCeiling(
  clients: number,
  tries: CeilingTry[],
  range: PayloadRange,
  deployment: DeploymentRecord,
): Ceiling {
  const bracket = bracketOf(tries);
  const { survived, broke } = bracket;
  const common = { clients, ...bracket, tries };
  const invalid = tries.findLast((t) => t.outcome === 'invalid');
  if (nextPayload(tries, range) !== undefined)
    return { ...common, verdict: 'INVALID', text: `cannot judge: ${invalid?.text ?? 'the search did not end'}` };
  if (broke === undefined)
    return { ...common, verdict: 'PASS', limit: 'LoadTarget', text: loadTargetText(survived!, clients, deployment) };
  const breaking = tries.find((t) => t.outcome === 'broke' && t.mb === broke)!;
  const held = survived === undefined ? `not even ${broke} MB` : `${survived} MB survive, ${broke} MB do not`;
  return { ...common, verdict: 'PASS', limit: breaking.limit!, text: `${held}: ${limitText(breaking, deployment)}` };
}

/** MB that load targets may hold in a process, all executions together: the most that a workflow can be given. */
export const LOAD_TARGET_MEGABYTES = 1024;
const VARIABLE = 'N8N_LOAD_TARGET_MAX_MEGABYTES';

function loadTargetText(mb: number, clients: number, { loadTargetMegabytes }: DeploymentRecord): string {
  const all = `${clients > 1 ? `${clients} × ` : ''}${mb} MB survive`;
  return loadTargetMegabytes === undefined || loadTargetMegabytes >= LOAD_TARGET_MEGABYTES
    ? `${all}, all that load targets hold in a process: their ceiling of ${LOAD_TARGET_MEGABYTES} MB is the limit, not n8n, and nothing raises it (${VARIABLE} can only lower it)`
    : `${all}, all that ${VARIABLE}=${loadTargetMegabytes} lets load targets hold in a process: that is the limit, not n8n; raise it, up to ${LOAD_TARGET_MEGABYTES}`;
}

/** Which limit it was, its size, and the value of the chart that moves it. */
function limitText({ limit, instance, text }: CeilingTry, { instances }: DeploymentRecord): string {
  const found = instances.find((i) => i.name === instance);
  const { component = 'main' } = found ?? {};
  const memory = found?.limits.memoryBytes;
  const ofContainer = memory === undefined ? '' : ` of ${Math.round(memory / 2 ** 20)} MiB`;
  switch (limit) {
    case 'V8HeapLimit': {
      const heap = found?.heapMiB === undefined ? '' : ` of ${found.heapMiB} MiB`;
      return `${instance} ended at V8's heap limit${heap}, in a container${ofContainer || ' without a memory limit'}; ${component}.heap.n8n sets it`;
    }
    case 'OOMKilled':
      return `${instance} was killed at its container's memory limit${ofContainer}; ${component}.resources.limits.memory sets it`;
    case 'LivenessProbe':
      return `${instance} no longer answered its liveness probe, and was ended for it: V8 collects garbage without end near its heap limit, or the CPU is short`;
    case 'TaskRunner':
      return `the task runner of ${instance} died; ${component}.heap.runner sets its heap`;
    default:
      return text;
  }
}
