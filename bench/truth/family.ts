import type { Slo } from '../../capacity/src/model/plan.js';
import type { Answer } from '../../capacity/src/model/verdict.js';
import type { Random } from '../../capacity/src/stats/random.js';

/** What becomes of one request. Times in seconds, on the clock of the run. */
export interface Outcome {
  answeredAt: number;
  /** When the execution that it started has ended; Infinity if it never does. */
  completedAt: number;
  /** The request got no correct answer. */
  failure?: string;
}

/** A deployment that is simulated; it keeps its state from step to step. Requests arrive in the order of time. */
export interface Server {
  request(at: number): Outcome;
  /** Times at which it was restarted in a span, if it ever is. */
  restarts?(from: number, to: number): number[];
  /** Share of its memory limit that is in use, if it is limited. */
  memory?(at: number): number;
}

/** A kind of deployment whose true capacity is known. */
export interface Family {
  name: string;
  /** What it does, for the table. */
  what: string;
  slo: Slo;
  /** It answers before the work is done, as a workflow that responds immediately. */
  acknowledges?: true;
  /**
   * The highest rate of Poisson arrivals that it takes for ever, per second; 0 where none is true.
   * @param scale service rate, or the rate that it takes, per second
   */
  capacity(scale: number): number;
  start(scale: number, random: Random): Server;
  /** Asks soaks instead of targets. */
  soaks?(runs: number): Promise<LeakAnswers>;
}

/** The verdicts of soaks of a leaking deployment, and of its twin that does not leak. */
export interface LeakAnswers {
  leaking: Answer[];
  sound: Answer[];
}
