import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, NotReady } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { accountFor } from './judge/accounts.js';
import { readAccountedRequests } from '../../load/accounted.js';
import { formatScriptRate } from '../../load/k6.js';
import type { Deployment } from '../../model/deployment.js';
import type { FaultName, FaultTrial, Injection } from './record.js';
import type { SentRequest } from '../../model/requests.js';
import type { Generator, GeneratorEnd, StepLoad } from '../../model/generator.js';
import type { Phase, Plan } from '../../model/plan.js';
import type { Progress } from '../../core/progress.js';
import { CATALOGUE } from './catalogue.js';
import type { Harm } from './fault.js';
import type { LedgerContents, Ledger } from './ledger/ledger.js';
import type { Timetable } from './plan.js';
import { WORKFLOW_ID } from './workflow.js';

/** What one trial needs. */
interface Driving {
  fault: FaultName;
  plan: Plan;
  timetable: Timetable;
  workSeconds: number;
  settleSeconds: number;
  deployment: Deployment;
  harm: Omit<Harm, 'signal'>;
  ledger: Ledger;
  /** Whether the rescue runs, so that crashed executions are waited for. */
  rescue: boolean;
  generator: Generator;
  /** Folder of the record of the trial. */
  folder: string;
  progress: Progress;
}

type Driven = Pick<
  FaultTrial,
  'planned' | 'generatorProblem' | 'injection' | 'requests' | 'ledger' | 'executions' | 'events'
>;

const CSV = 'requests.csv.gz';

/** Longest time until the first request is executed: in a cluster k6 has a pod to start. */
const K6_START_SECONDS = 60;

/** Two executions later nothing that was still under way can be done a second time. */
const QUIET_SECONDS = 10;

/** Sends the load, does the fault meanwhile, and waits until everything is accounted for, or the settling time is over. */
export async function drive(driving: Driving): Promise<Driven> {
  const { fault, timetable, deployment, harm, ledger, generator, folder, progress } = driving;
  const { signal } = progress;
  await ledger.make();
  const run = generator.start(buildStepLoad(driving));
  const stop = () => run.kill();
  signal.addEventListener('abort', stop);
  let ended: GeneratorEnd;
  let injection: Injection | undefined;
  try {
    await begun(ledger, signal);
    await sleep(timetable.beforeSeconds * 1000, undefined, { signal });
    injection = await progress.during(CATALOGUE[fault].title, () => injected(fault, { ...harm, signal }));
    ended = await progress.during('load after the fault', () => run.finished);
  } finally {
    run.kill();
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  const { requests, problem } = await readRequests(join(folder, CSV), ended);
  const contents = await progress.during('waiting for every accepted execution', () => settled(driving, requests));
  return {
    planned: timetable.parts.reduce((sum, { rate, seconds }) => sum + Math.round(rate * seconds), 0),
    ...(problem !== undefined && { generatorProblem: problem }),
    injection,
    requests,
    ...contents,
    events: [...deployment.events.all],
  };
}

/** Waits for the first execution: a fault belongs to a moment of the load. Whether k6 sends at all is judged later. */
const begun = (ledger: Ledger, signal: AbortSignal): Promise<unknown> =>
  waitUntil(async () => ((await readContents(ledger))?.ledger.length ?? 0) > 0, {
    seconds: K6_START_SECONDS,
    everyMs: 250,
    signal,
  });

const PHASES: Phase['name'][] = ['base', 'overload', 'return'];

function buildStepLoad({ plan, timetable, deployment, folder }: Driving): StepLoad {
  const { parts } = timetable;
  const { endpoints, token } = deployment.access;
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  const most = Math.max(...parts.map(({ rate }) => rate));
  return {
    load: plan.loads[0]!,
    ...(parts.length === 1
      ? { rate: Number(formatScriptRate(parts[0]!.rate)) }
      : { phases: parts.map((part, i) => ({ ...part, name: PHASES[i]! })) }),
    stepSeconds: seconds,
    arrivals: plan.arrivals,
    warmupSeconds: 0,
    timeoutSeconds: plan.timeoutSeconds,
    endpoints,
    token,
    // Enough for requests that all wait until their time-out: k6 must not be what holds them back.
    scriptEnv: { MAX_VUS: String(Math.ceil(most * (plan.timeoutSeconds + SPARE_SECONDS)) + 10) },
    folder,
    csv: CSV,
  };
}

/** Requests of random arrivals wait in k6 for the time at which they are due. */
const SPARE_SECONDS = 30;

async function injected(fault: FaultName, harm: Harm): Promise<Injection> {
  const from = Date.now();
  try {
    const evidence = await CATALOGUE[fault].inject(harm);
    return { from, to: Date.now(), ...(evidence !== undefined && { evidence }) };
  } catch (error) {
    // It was harmed, and is what the fault left of it: the load goes on, and what became of it is judged.
    if (!(error instanceof NotReady)) throw error;
    const notBack = `${error.instance} ${error.reason}`;
    return { from, to: Date.now(), evidence: notBack, notBack };
  }
}

async function readRequests(
  file: string,
  { exitCode, signal, stderr }: GeneratorEnd,
): Promise<{ requests: SentRequest[]; problem?: string }> {
  const tail = stderr.trim().split('\n').slice(-2).join(' ');
  const problem = exitCode === 0 ? undefined : `k6 ended with ${signal ?? `exit code ${exitCode}`}: ${tail}`;
  try {
    return { requests: await readAccountedRequests(file), ...(problem !== undefined && { problem }) };
  } catch (error) {
    return { requests: [], problem: problem ?? `k6's output cannot be read: ${messageOf(error)}` };
  }
}

/** The contents once nothing is stuck or missing any more, or at the end of the settling time; empty if they cannot be read. */
async function settled(
  { workSeconds, settleSeconds, ledger, rescue, progress }: Driving,
  requests: SentRequest[],
): Promise<Partial<LedgerContents>> {
  const { signal } = progress;
  const from = Date.now() + (2 * workSeconds + QUIET_SECONDS) * 1000;
  const look = async () => {
    const contents = await readContents(ledger);
    if (!contents) return undefined;
    const { outcomes, orphans } = accountFor({ requests, ...contents }, 0);
    const left = outcomes.stuck + outcomes.vanished + orphans + (rescue ? outcomes.crashed : 0);
    progress.update(`waiting for ${left} executions`);
    return left === 0 && Date.now() > from ? contents : undefined;
  };
  const complete = await waitUntil(look, { seconds: settleSeconds, everyMs: 2000, signal });
  return complete ?? (await readContents(ledger)) ?? {};
}

/** Undefined while they cannot be read. */
const readContents = (ledger: Ledger): Promise<LedgerContents | undefined> =>
  ledger.read(WORKFLOW_ID).catch(() => undefined);
