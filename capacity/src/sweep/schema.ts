import { z } from 'zod';
import { planSchema } from '../model/schema.js';
import type { Outcome, SweepRecord } from './types.js';

/** What is read of a sweep's records must be so; what else is in them, of a newer version, stays. */

const amount = z.number().min(0);
const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

export const sweepSchema = z.looseObject({
  tool: z.string(),
  startedAt: z.string(),
  plan: z.looseObject({
    name: z.string(),
    question: z.string().optional(),
    dimensions: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()]))),
    explore: z.enum(['front', 'all']),
    soakSeconds: amount,
    prices: z.looseObject({ cpuHour: amount, memoryGibHour: amount, currency: z.string() }),
    noise: z.union([z.looseObject({ runs: amount }), z.looseObject({ band: amount })]).optional(),
    measure: planSchema,
  }),
  provisioner: z.enum(['process', 'kubernetes', 'existing']).optional(),
  target: z.number().gt(0).optional(),
  candidates: z.array(
    z.looseObject({
      id: z.string(),
      values,
      cost: z.looseObject({ cores: amount, memoryGib: amount, perHour: amount, unlimited: z.array(z.string()) }),
      amounts: z.record(z.string(), amount),
      kind: z.string(),
      bound: amount.optional(),
    }),
  ),
  excluded: z.array(z.looseObject({ id: z.string(), values, reason: z.string(), bound: amount.optional() })),
}) as unknown as z.ZodType<SweepRecord>;

export const outcomeSchema = z.looseObject({
  id: z.string(),
  purpose: z.enum(['measure', 'soak', 'noise']),
  verdict: z.enum(['PASS', 'FAIL', 'INVALID']),
  capacity: amount,
  conclusion: z.string(),
  challenge: amount.optional(),
  loadSeconds: amount,
  seconds: amount,
}) as unknown as z.ZodType<Outcome>;
