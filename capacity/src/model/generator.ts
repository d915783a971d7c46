import type { LoadPlan, Percentile, Phase, Plan } from './plan.js';
import type { GeneratorPlace } from './step.js';

/** Ends a step after this number of correct answers that exceeded their service time by this time. */
export interface SlowLimit {
  objective: Percentile;
  seconds: number;
  answers: number;
}

/** One step: a constant arrival rate, or a number of clients, for a time. */
export interface StepLoad {
  load: LoadPlan;
  /** Arrivals per second; undefined in a closed step and in a burst. */
  rate?: number;
  /** Rates that follow one another at once, instead of one. */
  phases?: Phase[];
  /** Clients of a closed step. */
  clients?: number;
  stepSeconds: number;
  /** k6 ends it early at any of these; none: it goes on to its end. */
  endsAt?: SlowLimit[];
  /** How arrivals are spread, and the seed of random ones. */
  arrivals: Plan['arrivals'];
  /** Of recorded arrivals: the file of their times, and the clients that k6 starts for them. */
  recorded?: { file: string; clients: number };
  warmupSeconds: number;
  timeoutSeconds: number;
  endpoints: string[];
  token: string;
  scriptEnv: Record<string, string>;
  /** Where the samples go: a `.csv.gz` in that folder. k6 reads `=` and `,` in the path as options, so it is kept relative. */
  folder: string;
  csv: string;
}

/** Drives steps with k6, here or elsewhere. */
export interface Generator {
  /** Version of k6. */
  version: string;
  /** Cores that its use is measured against. */
  cores: number;
  /** Requests per second that it reaches here against a server that answers at once; undefined if not measured. */
  limit?: number;
  start(step: StepLoad): GeneratorRun;
}

/** How a k6 has ended. */
export interface GeneratorEnd {
  exitCode: number | undefined;
  signal: string | undefined;
  stderr: string;
  /** Where it ran; undefined: on this machine, as the deployment. */
  place?: GeneratorPlace;
}

/** A running k6. */
export interface GeneratorRun {
  /** What it uses now; undefined when that cannot be read or it has ended. */
  usage(): Promise<{ cpuSeconds: number; rssBytes: number } | undefined>;
  /** Resolves when k6 has ended and its samples are where the step wants them; never rejects. */
  finished: Promise<GeneratorEnd>;
  /** Asks it to end, with its samples written. */
  kill(): void;
}
