import { z } from 'zod';
import { planSchema } from '../../model/plan.js';
import { provisionerSchema } from '../../model/run.js';
import type { Confidence, Verdict } from '../../model/verdict.js';

const rate = z.number().gt(0);

const confirmedRateSchema = z.object({
  load: z.string(),
  /** Arrivals per second for which values are sought. */
  target: rate,
  /** The rate that must hold: the target × headroom. */
  withHeadroom: rate,
});
/** The rates to confirm for one load. */
export type ConfirmedRate = z.infer<typeof confirmedRateSchema>;

export const confirmSchema = z.object({
  tool: z.string(),
  startedAt: z.string(),
  /** The record whose values are confirmed. */
  of: z.string(),
  provisioner: provisionerSchema,
  /** Fresh deployments for each load. */
  deployments: z.number().int().min(3),
  headroom: z.number().min(1),
  soakSeconds: z.number().gt(0),
  rates: z.array(confirmedRateSchema).min(1),
  /** Tries of the confirmed record, as evidence of the capacity. */
  before: z.array(z.object({ load: z.string(), rate, held: z.boolean() })),
  /** The plan that its runs share. The rates of each follow from `rates`. */
  plan: planSchema,
});
/** `confirm.json`: the rates and values to confirm. Written before anything is measured. */
export type ConfirmRecord = z.infer<typeof confirmSchema>;

/** The result of one fresh deployment at one rate. */
export interface ConfirmTry {
  /** From 1. */
  deployment: number;
  /** Arrivals per second. */
  rate: number;
  /** `open`: its steps do not decide. */
  outcome: 'held' | 'broken' | 'open';
  /** Why the rate did not hold; one sentence without a full stop. */
  why?: string;
}

/** Whether the values of one load are confirmed. */
export interface ConfirmedLoad extends ConfirmedRate {
  verdict: Verdict;
  /** One sentence without a full stop. */
  conclusion: string;
  tries: ConfirmTry[];
  /** Undefined before the soak, which is left out once the answer is FAIL. */
  soak?: { verdict: Verdict; conclusion: string; seconds: number };
  /** The 90 % interval of the capacity in arrivals per second; an end is undefined where no try bounds it. */
  capacity: { low?: number; high?: number };
}

/** The answer of a confirmation, from its records alone. */
export interface ConfirmConclusion {
  verdict: Verdict;
  loads: ConfirmedLoad[];
  /** Undefined while nothing is measured. */
  confidence?: Confidence;
  /** The folder of the record. */
  folder: string;
  /** Path of its HTML report. */
  report: string;
  /** The only values that are called recommended; undefined unless the verdict is PASS. */
  recommended?: string;
}
