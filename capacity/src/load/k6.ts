import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { scriptsFolder } from '../paths.js';
import type { LoadPlan } from '../plan/plan.js';

/** One step: a constant arrival rate, or a number of clients, for a time. */
export interface StepLoad {
  load: LoadPlan;
  /** Arrivals per second; absent in a closed step. */
  rate?: number;
  /** Clients of a closed step. */
  clients?: number;
  stepSeconds: number;
  warmupSeconds: number;
  timeoutSeconds: number;
  endpoints: string[];
  token: string;
  scriptEnv: Record<string, string>;
  /** Where k6 writes its samples: a `.csv.gz` in that folder. k6 reads `=` and `,` in the path as options, so it is kept relative. */
  folder: string;
  csv: string;
}

/** A k6 that runs. */
export interface K6Run {
  pid: number | undefined;
  /** Resolves when k6 has ended; it never rejects. */
  finished: Promise<{ exitCode: number | undefined; signal: string | undefined; stderr: string }>;
  /** Asks it to end, with its samples written. */
  kill(): void;
}

/** k6's exit code when its own thresholds failed: not a fault, the judge reads the samples. */
export const THRESHOLDS_FAILED = 99;

/** Drives one step with k6 and the workload's own script. */
export function startK6(k6: string, step: StepLoad): K6Run {
  const single = step.load.parts.length === 1;
  const script = single ? `${step.load.parts[0]!.workload}.js` : 'mix.js';
  const weights = Object.fromEntries(step.load.parts.map((p) => [p.workload, p.weight]));
  const child: ResultPromise = execa(
    k6,
    [
      'run',
      '--quiet',
      '--no-usage-report',
      '--no-color',
      '--summary-mode=disabled',
      '--out',
      `csv=${step.csv}`,
      join(scriptsFolder, script),
    ],
    {
      cwd: step.folder,
      // A clean environment: a stray K6_VUS or N of the user's shell would change the load.
      extendEnv: false,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '/',
        ...step.scriptEnv,
        BASE_URL: step.endpoints.join(','),
        // In the environment, not in an argument: arguments are readable by every user of the machine.
        TOKEN: step.token,
        DURATION: `${step.stepSeconds}s`,
        WARMUP: `${step.warmupSeconds}s`,
        GAP: '0s',
        TIMEOUT: `${step.timeoutSeconds}s`,
        ...(step.clients === undefined
          ? { MODEL: 'open', RATES: rateText(step.rate!) }
          : { MODEL: 'closed', CLIENTS: String(step.clients) }),
        ...(single ? {} : { MIX: JSON.stringify(weights) }),
        K6_CSV_TIME_FORMAT: 'unix_micro',
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
    pid: child.pid,
    finished: child.then((r) => ({ exitCode: r.exitCode, signal: r.signal, stderr: String(r.all ?? '') })),
    // On SIGINT k6 still writes its samples; on SIGKILL they are lost.
    kill: () => void child.kill(),
  };
}

/** At most six decimals, as the scripts read rates. */
export const rateText = (rate: number): string => String(Number(rate.toFixed(6)));
