import type { Slo } from '../../capacity/src/model/plan.js';
import type { Answer } from '../../capacity/src/model/verdict.js';
import type { Random } from '../../capacity/src/stats/random.js';

/** The outcome of one request. Times in seconds on the clock of the run. */
export interface Outcome {
  answeredAt: number;
  /** End of the execution that the request started; Infinity if it never ends. */
  completedAt: number;
  /** The kind of failure, if the request got no correct answer. */
  failure?: string;
}

/** A simulated deployment. It keeps its state between steps. Requests must be given in order of time. */
export interface Server {
  request(at: number): Outcome;
  /** Times of its restarts between two times; undefined if it never restarts. */
  restarts?(from: number, to: number): number[];
  /** Share of its memory limit that is in use; undefined without a limit. */
  memory?(at: number): number;
}

/** A kind of deployment whose true capacity is known. */
export interface Family {
  name: string;
  /** Its behaviour, for the table. */
  what: string;
  slo: Slo;
  /** It answers before the work is done, like a workflow that responds immediately. */
  acknowledges?: true;
  /**
   * The highest rate of Poisson arrivals that it sustains indefinitely, per second; 0 if it sustains none.
   * @param scale service rate or sustained rate, per second
   */
  capacity(scale: number): number;
  start(scale: number, random: Random): Server;
  /** Runs soaks instead of targets. */
  soaks?(runs: number): Promise<LeakAnswers>;
}

/** The verdicts of soaks of a leaking deployment, and of the same deployment without the leak. */
export interface LeakAnswers {
  leaking: Answer[];
  sound: Answer[];
}
