import type { Generator, GeneratorRun, StepLoad } from '../model/generator.js';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { processUsage } from '../observe/proc.js';
import { scriptsFolder } from '../core/paths.js';
import { versionOf } from '../tools/binary.js';

/** k6's exit code when its own thresholds failed: not a fault, the judge reads the samples. */
export const THRESHOLDS_FAILED = 99;

/**
 * The k6 of this machine as a child process.
 * @param cores the only ones that it may use, as `taskset -c` takes them; absent: any
 */
export async function localK6(k6: string, cores?: string): Promise<Generator> {
  const version = (await versionOf(k6, ['version']))?.version ?? 'unknown';
  const command: [string, ...string[]] = cores === undefined ? [k6] : ['taskset', '-c', cores, k6];
  return { version, cores: availableParallelism(), start: (step) => startK6(command, step) };
}

/** The script of loadtests/ that drives a step: the workload's own, or that of mixes. */
export const scriptOf = ({ load }: StepLoad): string =>
  load.parts.length === 1 ? `${load.parts[0]!.workload}.js` : 'mix.js';

/** What that script reads from its environment; the token is left to whoever starts k6. */
export function environmentOf(step: StepLoad): Record<string, string> {
  const weights = Object.fromEntries(step.load.parts.map((p) => [p.workload, p.weight]));
  return {
    ...step.scriptEnv,
    BASE_URL: step.endpoints.join(','),
    DURATION: `${step.stepSeconds}s`,
    WARMUP: `${step.warmupSeconds}s`,
    GAP: '0s',
    TIMEOUT: `${step.timeoutSeconds}s`,
    ...arrivalsOf(step),
    ...(step.load.parts.length > 1 && { MIX: JSON.stringify(weights) }),
    K6_CSV_TIME_FORMAT: 'unix_micro',
  };
}

function arrivalsOf({ clients, phases, rate }: StepLoad): Record<string, string> {
  if (clients !== undefined) return { MODEL: 'closed', CLIENTS: String(clients) };
  if (!phases) return { MODEL: 'open', RATES: rateText(rate!) };
  return {
    MODEL: 'open',
    RATES: phases.map((phase) => rateText(phase.rate)).join(','),
    DURATIONS: phases.map((phase) => `${phase.seconds}s`).join(','),
    // A Service shares out connections, not requests: those that are kept would never reach a pod that has been added.
    K6_NO_CONNECTION_REUSE: 'true',
  };
}

/** Drives one step with k6 and the workload's own script. */
function startK6([command, ...before]: [string, ...string[]], step: StepLoad): GeneratorRun {
  const child: ResultPromise = execa(
    command,
    [
      ...before,
      'run',
      '--quiet',
      '--no-usage-report',
      '--no-color',
      '--summary-mode=disabled',
      '--out',
      `csv=${step.csv}`,
      join(scriptsFolder, scriptOf(step)),
    ],
    {
      cwd: step.folder,
      // A clean environment: a stray K6_VUS or N of the user's shell would change the load.
      extendEnv: false,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '/',
        ...environmentOf(step),
        // In the environment, not in an argument: arguments are readable by every user of the machine.
        TOKEN: step.token,
      },
      // A terminal's Ctrl-C must reach it through us alone: on a second SIGINT it throws its samples away.
      detached: true,
      killSignal: 'SIGINT',
      forceKillAfterDelay: 5000,
      reject: false,
      stdin: 'ignore',
      all: true,
    },
  );
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  void child.finally(() => process.off('exit', killNow));
  return {
    usage: async () => (child.pid === undefined ? undefined : processUsage(child.pid)),
    finished: child.then((r) => ({ exitCode: r.exitCode, signal: r.signal, stderr: String(r.all ?? '') })),
    // On SIGINT k6 still writes its samples; on SIGKILL they are lost.
    kill: () => void child.kill(),
  };
}

/** At most six decimals, as the scripts read rates. */
export const rateText = (rate: number): string => String(Number(rate.toFixed(6)));
