import type { Exposure } from './advisories.js';
import { z } from 'zod';
import type { BurstReport, Overload, PayloadLimit, SoakReport } from './reports.js';
import type { StepRecord } from './step.js';

export const verdictSchema = z.enum(['PASS', 'FAIL', 'INCONCLUSIVE']);
/** INCONCLUSIVE: the test was disturbed, or too short to tell. */
export type Verdict = z.infer<typeof verdictSchema>;

/** CAPACITY: no rate was asked for that could be passed; the answer is the highest one that held. */
export type Answer = Verdict | 'CAPACITY';

/** Why a step has its verdict; `code` for machines, `text` for people. */
export interface Reason {
  code: ReasonCode;
  text: string;
  /** The step failed by more than chance explains: another try of the rate would tell nothing. */
  clear?: boolean;
  /** Of `unproven`: the sample itself does not meet the objective; else there are only too few requests. */
  unmet?: true;
}

export type ReasonCode =
  | 'errors'
  | 'p50'
  | 'p95'
  | 'p99'
  | 'memory'
  | 'completed'
  | 'executions-failed'
  | 'backlog'
  | 'latency-trend'
  | 'died'
  | 'drain'
  | 'dropped'
  | 'too-few-samples'
  | 'unproven'
  | 'count-unreadable'
  | 'cpu-limit'
  | 'generator'
  | 'scaled'
  | 'cluster'
  | 'clock'
  | 'other-processes'
  | 'k6';

/** A step judged; PASS means sustained. */
export interface StepVerdict {
  verdict: Verdict;
  reasons: Reason[];
  /** Failed requests as a fraction of all, and the upper bound of their share at 95 % confidence. */
  errorRate: number;
  errorRateUpperBound: number;
}

/** A step with its verdict. */
export interface JudgedStep {
  step: StepRecord;
  judged: StepVerdict;
}

/** The verdict on one load. */
export interface LoadVerdict {
  load: string;
  verdict: Answer;
  /** One sentence. */
  conclusion: string;
  /** It fails whatever the rate: n8n died between two steps, or lost executions without any other sign of too much load. */
  failsAtAnyRate?: true;
  steps: JudgedStep[];
  /** Highest sustained arrival rate, in executions per second; undefined when none was proved, and in the closed model. */
  capacity?: number;
  /** Lowest rate that did not hold; undefined when none was reached. */
  broken?: number;
  /** Where no rate broke: what clients that each wait for their answer get through at most, which bounds the capacity. */
  saturated?: { rate: number; step: JudgedStep };
  /** Deaths while clients searched for the saturation; one clause for each number of clients. */
  saturationDeaths?: string[];
  /** Set with the capacity. */
  confidence?: CapacityConfidence;
  /** What happened beyond the capacity; undefined where it was not tried. */
  overload?: Overload;
}

/** The true capacity lies between a rate that held and one that did not; how often each was tried. */
export interface CapacityConfidence {
  held: Tries;
  /** Undefined when no step broke the load: the capacity is then a lower bound. */
  broken?: Tries;
}

/** The steps at one rate that could be judged. */
export interface Tries {
  /** Arrivals per second. */
  rate: number;
  steps: number;
  /** How many of them sustained the rate. */
  sustained: number;
}

/** The verdict on a whole run. The reports of its profile are set where it has any. */
export interface RunVerdict {
  verdict: Answer;
  loads: LoadVerdict[];
  soak?: SoakReport;
  burst?: BurstReport;
  payloadLimits?: PayloadLimit[];
}

/** How far a result holds where n8n will live. */
export interface Confidence {
  /** `confirmed` when a cluster enforced limits and k6 had cores of its own in every step. */
  word: 'provisional' | 'confirmed';
  /** In one line, where it was measured and what that means. */
  text: string;
  /** The same in whole sentences, and what it rests on. */
  reasons: string[];
}

/** The next thing to do: values to copy, or the first value to change. */
export interface Recommendation {
  title: string;
  text: string;
  /** A values file, ready to be copied. */
  values?: string;
}

/** The answer for one load in words. */
export interface LoadAnswer {
  load: string;
  verdict: Answer;
  /** One line without a full stop: the rate, what limits it, and what happens beyond it. */
  headline: string;
  /** Further lines: what it is a day, what limits it, the first value to change. */
  details: string[];
}

/** The verdict of a recorded run, and the files that were written beside its record. */
export interface RunConclusion {
  /** The n8n of the values, and the one that was measured in its place where it could not be had. */
  n8n: { asked: string; measured: string; why?: string };
  /** Public vulnerabilities of the n8n of the values; undefined where its version is unknown. */
  exposure?: Exposure;
  verdict: RunVerdict;
  answers: LoadAnswer[];
  confidence: Confidence;
  recommendation?: Recommendation;
  /** The folder that holds the record. */
  folder: string;
  /** Path of the HTML report; undefined where the profile has none. */
  report?: string;
  /** Path of the values that held, where a rate did. */
  values?: string;
}

/** The worst verdict: FAIL before INCONCLUSIVE before CAPACITY before PASS. */
export const worst = <V extends Answer>(verdicts: V[]): V | 'PASS' =>
  verdicts.find((v) => v === 'FAIL') ??
  verdicts.find((v) => v === 'INCONCLUSIVE') ??
  verdicts.find((v) => v === 'CAPACITY') ??
  'PASS';

/** Whether a run found what it was to find. */
export const isGood = (verdict: Answer): boolean => verdict === 'PASS' || verdict === 'CAPACITY';
