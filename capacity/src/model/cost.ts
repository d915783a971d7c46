import { z } from 'zod';

const amount = z.number().min(0);

export const pricesSchema = z.object({ cpuHour: amount, memoryGibHour: amount, currency: z.string() });

/** Prices of what a deployment reserves: of a core for an hour, and of a GiB of memory for an hour. */
export type Prices = z.infer<typeof pricesSchema>;
export const costSchema = z.object({
  /** Sums over the pods' limits, which are what was measured under. */
  cores: amount,
  memoryGib: amount,
  /** In the prices' currency. */
  perHour: amount,
  /** Pods without a limit; they cost nothing in this sum. */
  unlimited: z.array(z.string()),
});

/** What a deployment reserves, and what that costs. */
export type Cost = z.infer<typeof costSchema>;
