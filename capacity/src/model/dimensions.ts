import { z } from 'zod';

export const dimensionValueSchema = z.union([z.string(), z.number(), z.boolean()]);

/** A value of a dimension, as the plan file has it. */
export type DimensionValue = z.infer<typeof dimensionValueSchema>;
