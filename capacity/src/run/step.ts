import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { meanSeconds } from '../judge/bounds.js';
import { machineUse } from '../observe/machine-use.js';
import { messageOf } from '../core/errors.js';
import { PhasedRequests } from '../load/phased-requests.js';
import { Requests } from '../load/requests.js';
import { streamSamples } from '../load/samples.js';
import { isOverload } from '../judge/overload.js';
import type { Plan } from '../model/plan.js';
import type { PhaseRecord, StepRecord } from '../model/step.js';
import type { StepAt, StepContext } from './context.js';
import { backlog, countedExecutions, drain } from './executions.js';
import {
  generate,
  generatorShare,
  findProblem,
  warmupSeconds,
  type GeneratedLoad,
  type StepRequest,
} from './generate.js';
import { endedEarlyAt } from './ends-early.js';
import { cpuAboveLimit, heapFull } from './limits-use.js';
import { memoryUse } from './memory-use.js';
import { leavesWork, settle } from './settle.js';

/** After a burst has drained, a few more samples show that the backlog stays down. */
const AFTER_BURST_MS = 4000;

/** The largest jump of the clock that puts nothing into a wrong second that could matter. */
const MOST_CLOCK_JUMP_SECONDS = 0.25;

/** Runs one step: settle, warm-up, measured part, drain. Records it and returns it. */
export async function runStep(context: StepContext, request: StepRequest): Promise<StepRecord> {
  const { load, at, index } = request;
  const { deployment, sampler, progress, recorder, clock } = context;
  const csv = join('steps', `${String(index).padStart(2, '0')}-${load.name}.csv.gz`);
  await settle(context, load);
  const mark = deployment.events.mark;
  const before = await countedExecutions(sampler, progress.signal);
  const died = () => deployment.events.since(mark).some((e) => e.kind === 'died');
  const started = Date.now();
  clock.begin();
  const ended = await generate(context, request, csv, died);
  const requests = createCounter(context.plan, request, ended);
  const unreadable = await streamSamples(join(recorder.folder, csv), requests).then(() => undefined, messageOf);
  const sentAt = requests.acceptedTimes();
  const first = requests.begunAt ?? requests.firstSentAt;
  const decidedAt = endedEarlyAt(context.plan, request, ended, requests, first);
  const cutAt = ended.cutAt ?? decidedAt;
  const measured = measuredPart(context, request, cutAt, first, sentAt[0], started);
  const drained = before && !ended.stopped ? await drain(context, load, before, sentAt.length, ended.cutAt) : null;
  const executions = drained && { sent: requests.sent, unproved: requests.unproved, ...drained };
  const phases = requests instanceof PhasedRequests ? requests.summarisePhases(measured[0]) : undefined;
  if (phases && !isOverload({ phases })) await sleep(AFTER_BURST_MS);
  const endedAt = Date.now();
  const clockJumpSeconds = clock.jumpSeconds();
  const [measuredFrom, measuredTo] = measured;
  const machine = machineUse(context.samples, measuredFrom, measuredTo);
  const record: StepRecord = {
    index,
    load: load.name,
    ...rateOf(at),
    ...(context.plan.arrivals.kind === 'recorded' && { replayed: true as const }),
    ...(phases && { phases }),
    measuredFrom,
    measuredTo,
    endedAt,
    k6: k6Record(context, ended, unreadable, csv, (phases && findSpikeSpan(phases, measuredFrom)) ?? measured),
    summary: requests.summary(measuredFrom),
    executions,
    // A count that nothing has ever told is no count: all that was accepted would seem to wait.
    backlog:
      before && context.sampler.counting
        ? backlog(context.samples, sentAt, before, {
            from: measuredFrom,
            to: phases ? endedAt : measuredTo,
            // In a steady mix, as many are under way as take the mean (Little's law): with phases, only more than these wait.
            executionSeconds: phases
              ? meanSeconds(load, load.executionSeconds)
              : Math.min(...Object.values(load.executionSeconds)),
          })
        : [],
    ...(clockJumpSeconds > MOST_CLOCK_JUMP_SECONDS && { clockJumpSeconds }),
    ...(machine && { machine }),
    ...memoryUse(context.samples, deployment.record, measuredFrom, endedAt),
    ...cpuAboveLimit(context.samples, deployment.record, measuredFrom, measuredTo),
    ...heapFull(context.samples, deployment.record, measuredFrom, measuredTo),
    events: deployment.events.since(mark),
    ...(request.forecast && { forecast: request.forecast }),
    ...((ended.aborted || decidedAt !== undefined) && { aborted: true as const }),
    ...(ended.cutAt !== undefined && { cut: true as const }),
  };
  context.unsettled = leavesWork(record);
  await recorder.step(record);
  progress.signal.throwIfAborted();
  return record;
}

const createCounter = (
  { slo }: Plan,
  { load, at }: StepRequest,
  { cutAt }: GeneratedLoad,
): Requests | PhasedRequests =>
  'phases' in at
    ? new PhasedRequests(load.serviceSeconds, slo, at.phases)
    : new Requests(load.serviceSeconds, slo, cutAt);

/** What was asked for, as the record keeps it; a burst keeps its phases instead. */
const rateOf = (at: StepAt): Pick<StepRecord, 'rate' | 'clients' | 'payloadMiB'> => ('phases' in at ? {} : at);

/**
 * Beginning and end of the measured part, in milliseconds since the epoch.
 * @param firstSentAt when the first measured request was sent
 * @param firstAccepted when the first accepted request was sent, warm-up included
 */
function measuredPart(
  { plan }: StepContext,
  { load, at, stepSeconds }: StepRequest,
  cutAt: number | undefined,
  firstSentAt: number | undefined,
  firstAccepted: number | undefined,
  started: number,
): [from: number, to: number] {
  const warmup = warmupSeconds(plan, load) * 1000;
  const first = firstSentAt ?? started + warmup;
  // Clients that wait for an answer send nothing when the measured part begins; k6 began when it sent the first request.
  const from = 'clients' in at ? Math.min(first, (firstAccepted ?? Infinity) + warmup) : first;
  return [from, Math.min(from + stepSeconds * 1000, cutAt ?? Infinity)];
}

/** The time around the spike, in which k6 has most to do, in milliseconds since the epoch. */
function findSpikeSpan(phases: PhaseRecord[], measuredFrom: number): [from: number, to: number] | undefined {
  const spike = phases.find(({ name }) => name === 'spike');
  return spike && [measuredFrom + (spike.from - 1) * 1000, measuredFrom + (spike.to + 2) * 1000];
}

function k6Record(
  context: StepContext,
  ended: GeneratedLoad,
  unreadable: string | undefined,
  csv: string,
  busy: [from: number, to: number],
): StepRecord['k6'] {
  const { generator, deployment } = context;
  const message = findProblem(ended, unreadable);
  const place = deployment.access.generatorPlace ?? ended.place;
  return {
    exitCode: ended.exitCode ?? null,
    ...(message !== undefined && { message }),
    cpuShare: generatorShare(context, busy),
    ...(generator.limit !== undefined && { limit: generator.limit }),
    samples: csv,
    ...(place && { place }),
  };
}
