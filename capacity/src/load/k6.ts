import type { Generator, GeneratorRun, StepLoad } from '../model/generator.js';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { readProcessUsage } from '../observe/proc.js';
import { releaseFromGuard, guardCommand } from '../core/guard.js';
import { scriptsFolder } from '../core/paths.js';
import { readVersion } from '../tools/binary.js';

/** k6's exit code for failed thresholds. This is not an error: the judge reads the samples. */
export const THRESHOLDS_FAILED_CODE = 99;

/**
 * A generator that runs k6 as a child process on this machine.
 * @param cores the cores that it may use, in the format of `taskset -c`; undefined means all
 */
export async function createLocalK6(k6: string, cores?: string): Promise<Generator> {
  const version = (await readVersion(k6, ['version']))?.version ?? 'unknown';
  const command: [string, ...string[]] = cores === undefined ? [k6] : ['taskset', '-c', cores, k6];
  return { version, cores: availableParallelism(), start: (step) => startK6(command, step) };
}

/** The name of the script in loadtests/ for a step: the script of its workload, or `mix.js`. */
export const scriptName = ({ load }: StepLoad): string =>
  load.parts.length === 1 ? `${load.parts[0]!.workload}.js` : 'mix.js';

/** The environment of a step's script, without the token. */
export function buildScriptEnvironment(step: StepLoad): Record<string, string> {
  const weights = Object.fromEntries(step.load.parts.map((p) => [p.workload, p.weight]));
  return {
    ...step.scriptEnv,
    BASE_URL: step.endpoints.join(','),
    DURATION: `${step.stepSeconds}s`,
    WARMUP: `${step.warmupSeconds}s`,
    GAP: '0s',
    TIMEOUT: `${step.timeoutSeconds}s`,
    ...loadEnvironment(step),
    ...arrivalTimesEnvironment(step),
    ...(step.endsAt && { ABORT_SLOW: step.endsAt.map(({ seconds, answers }) => `${seconds}:${answers}`).join(',') }),
    ...(step.load.parts.length > 1 && { MIX: JSON.stringify(weights) }),
    K6_CSV_TIME_FORMAT: 'unix_micro',
  };
}

const arrivalTimesEnvironment = ({ arrivals, recorded }: StepLoad): Record<string, string> => ({
  ARRIVALS: arrivals.kind,
  ...(recorded && { ARRIVALS_FILE: recorded.file, MAX_VUS: String(recorded.clients) }),
  ...(arrivals.kind !== 'even' && { SEED: String(arrivals.seed) }),
});

function loadEnvironment({ clients, phases, rate }: StepLoad): Record<string, string> {
  if (clients !== undefined) return { MODEL: 'closed', CLIENTS: String(clients) };
  if (!phases) return { MODEL: 'open', RATES: formatScriptRate(rate!) };
  return {
    MODEL: 'open',
    RATES: phases.map((phase) => formatScriptRate(phase.rate)).join(','),
    DURATIONS: phases.map((phase) => `${phase.seconds}s`).join(','),
    // A Service balances connections, not requests: reused connections would never reach a pod added during a spike.
    ...(phases.some(({ name }) => name === 'spike') && { K6_NO_CONNECTION_REUSE: 'true' }),
  };
}

/** Starts k6 for one step. */
function startK6([command, ...before]: [string, ...string[]], step: StepLoad): GeneratorRun {
  const options = ['--quiet', '--no-usage-report', '--no-color', '--summary-mode=disabled', '--out', `csv=${step.csv}`];
  const { file, args, guard } = guardCommand(command, [
    ...before,
    'run',
    ...options,
    join(scriptsFolder, scriptName(step)),
  ]);
  const child = execa(file, args, {
    cwd: step.folder,
    // A clean environment: a K6_VUS or N in the user's shell would change the load.
    extendEnv: false,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '/',
      ...buildScriptEnvironment(step),
      // Not an argument: every user of the machine can read arguments.
      TOKEN: step.token,
    },
    // Ctrl-C in the terminal must not reach k6 directly: a second SIGINT makes it discard its samples.
    detached: true,
    killSignal: 'SIGINT',
    forceKillAfterDelay: 5000,
    reject: false,
    stdio: ['ignore', 'pipe', 'pipe', guard],
    all: true,
  });
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  void child.finally(() => {
    process.off('exit', killNow);
    releaseFromGuard(child.pid);
  });
  return {
    usage: async () => (child.pid === undefined ? undefined : readProcessUsage(child.pid)),
    finished: child.then((r) => ({ exitCode: r.exitCode, signal: r.signal, stderr: String(r.all ?? '') })),
    // On SIGINT, k6 still writes its samples.
    kill: () => void child.kill(),
  };
}

/** A rate with at most six decimals, as the scripts read it. */
export const formatScriptRate = (rate: number): string => String(Number(rate.toFixed(6)));
