import { terminalProgress } from '../../capacity/src/core/progress.js';
import { judgeRun } from '../../capacity/src/judge/run.js';
import { DEFAULT_HORIZON_SECONDS, type Plan } from '../../capacity/src/model/plan.js';
import type { DeploymentRecord, RunRecord } from '../../capacity/src/model/run.js';
import type { Sample } from '../../capacity/src/model/sample.js';
import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RunVerdict } from '../../capacity/src/model/verdict.js';
import { DEFAULT_SLO } from '../../capacity/src/plan/slo.js';
import type { StepContext } from '../../capacity/src/run/context.js';
import { driveProfileOf } from '../../capacity/src/run/profiles/profiles.js';
import { seededRandom, type Random } from '../../capacity/src/stats/random.js';
import type { LeakAnswers } from './family.js';
import { planFor } from './run.js';
import { MEMORY_BYTES, VirtualRun } from './virtual-step.js';

const MIB = 2 ** 20;
/** Seconds between two memory samples. */
const LOOK_SECONDS = 5;
const HOUR = 3600;
const DAY = 24 * HOUR;
/** Typical soaks: 2 hours for a horizon of a day, and 12 hours for the default horizon of a week. */
export const SOAKS = [
  { stepSeconds: 2 * HOUR, horizonSeconds: DAY },
  { stepSeconds: 12 * HOUR, horizonSeconds: DEFAULT_HORIZON_SECONDS },
];

/** Memory in use in bytes, by seconds since the load began. */
type Memory = (seconds: number) => number;

/** Runs soaks of deployments that reach 90 % of their memory limit within the horizon, and of the same ones without a leak. */
export async function askSoaks(runs: number): Promise<LeakAnswers> {
  const answers: LeakAnswers = { leaking: [], sound: [] };
  for (let seed = 1; seed <= runs; seed++) {
    const plan = soakPlan(SOAKS[seed % SOAKS.length]!);
    const sound = simulateMemory(seed, plan.warmupSeconds + plan.stepSeconds);
    const leak = computeLeak(sound, plan);
    answers.leaking.push((await soakVirtually((s) => sound(s) + leak * s, plan, seed)).verdict);
    answers.sound.push((await soakVirtually(sound, plan, seed)).verdict);
  }
  return answers;
}

/** The plan that `n8n-capacity soak --rate 1/s` makes. */
export const soakPlan = ({ stepSeconds, horizonSeconds }: (typeof SOAKS)[number]): Plan => ({
  ...planFor(DEFAULT_SLO),
  stepSeconds,
  rates: { kind: 'soak', rate: 1, horizonSeconds },
});

/**
 * The leak in bytes per second with which the peak memory of the soak's second half reaches 90 % of the limit in the horizon ÷ factor.
 * @param factor speed relative to the slowest leak that should fail the soak
 */
export function computeLeak(sound: Memory, { stepSeconds, rates }: Plan, factor = 1.1): number {
  if (rates.kind !== 'soak') throw new Error('a soak was planned');
  const looks = Array.from({ length: stepSeconds / 2 / LOOK_SECONDS }, (_, i) =>
    sound(stepSeconds / 2 + i * LOOK_SECONDS),
  );
  const room = 0.9 * MEMORY_BYTES - looks.reduce((most, used) => Math.max(most, used), 0);
  return room / (rates.horizonSeconds / factor + stepSeconds);
}

/**
 * Simulates the memory of a process with garbage collection. It fills during the first minutes, rises between two collections, and
 * falls to a floor that wanders. Every 8 to 15 minutes a full collection frees more.
 */
export function simulateMemory(seed: number, seconds: number): Memory {
  const random = seededRandom(seed);
  const between = (least: number, most: number) => least + (most - least) * random.uniform();
  const [base, filling, tau] = [between(400, 800), between(100, 400), between(120, 600)];
  const minor = sawtooth(seconds, () => ({ length: between(20, 90), height: between(50, 200) }), random);
  const full = sawtooth(seconds, () => ({ length: between(480, 900), height: between(20, 60) }), random);
  return (s) => MIB * (base + filling * (1 - Math.exp(-s / tau)) + minor(s) + full(s));
}

/** A sawtooth in MiB. The floor of each tooth depends on the floor of the tooth before. */
function sawtooth(seconds: number, next: () => { length: number; height: number }, random: Random): Memory {
  const starts: { from: number; length: number; height: number; floor: number }[] = [];
  let floor = 0;
  for (let from = 0; from < seconds; from += starts.at(-1)!.length) {
    floor = 0.8 * floor + 3 * random.normal();
    starts.push({ from, floor, ...next() });
  }
  return (s) => {
    const tooth = starts[findLastStart(starts, s)]!;
    return tooth.floor + tooth.height * Math.min(1, (s - tooth.from) / tooth.length);
  };
}

/** Index of the last start at or before a time, found by binary search. */
function findLastStart(starts: { from: number }[], time: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]!.from <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Runs one soak in virtual time. It is driven by its profile and judged like a recorded run. */
export async function soakVirtually(memory: Memory, plan: Plan, seed: number): Promise<RunVerdict> {
  const random = seededRandom(seed);
  const answer = (at: number) => at + 0.02 * Math.exp(0.4 * random.normal());
  const run = new VirtualRun(
    {
      request: (at) => ({ answeredAt: answer(at), completedAt: answer(at) }),
      memory: (at) => memory(at) / MEMORY_BYTES,
    },
    random,
  );
  const steps: StepRecord[] = [];
  const context = { plan, progress: terminalProgress(true), deployment: { sources: {} } } as StepContext;
  await driveProfileOf(plan.rates).drive(
    {
      context,
      load: plan.loads[0]!,
      earlier: [],
      take: (at) => {
        if (!('rate' in at)) throw new Error('a soak has a rate');
        steps.push(run.step(at.rate, plan, steps.length));
        return Promise.resolve(steps.at(-1)!);
      },
    },
    plan.rates,
  );
  const samples = steps.flatMap((step) => sampleMemory(step, memory, plan.warmupSeconds));
  return judgeRun({ run: { plan, deployment: DEPLOYMENT } as RunRecord, steps, samples, rows: [] });
}

const DEPLOYMENT: DeploymentRecord = {
  mode: 'regular',
  process: 'main',
  database: 'sqlite',
  limits: { enforced: true, detail: 'simulated' },
  instances: [{ name: 'n8n-tuned-main-0', component: 'main', limits: { memoryBytes: MEMORY_BYTES } }],
};

function sampleMemory({ measuredFrom, measuredTo }: StepRecord, memory: Memory, warmupSeconds: number): Sample[] {
  const count = Math.floor((measuredTo - measuredFrom) / 1000 / LOOK_SECONDS);
  return Array.from({ length: count }, (_, i) => {
    const seconds = warmupSeconds + i * LOOK_SECONDS;
    const used = memory(seconds);
    return {
      at: measuredFrom + i * LOOK_SECONDS * 1000,
      instances: [
        { name: 'n8n-tuned-main-0', rssBytes: used, workingSetBytes: used, cpuSeconds: seconds, processes: 1 },
      ],
    };
  });
}
