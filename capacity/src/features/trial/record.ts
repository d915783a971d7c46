import { z } from 'zod';

const amount = z.number().min(0);

const loadFiguresSchema = z.object({
  /** Correct answers per second. */
  perSecond: amount,
  /** 95th percentile of the overhead of the clients' answers, in seconds. */
  p95: amount.optional(),
  /** Most memory in use of each instance, all together. */
  memoryBytes: amount.optional(),
});

/** What a load got through. */
export type LoadFigures = z.infer<typeof loadFiguresSchema>;

export const figuresSchema = loadFiguresSchema.partial().extend({
  /** Of each load, where several were driven one after the other: above are the geometric means, and the most memory. */
  loads: z.record(z.string(), loadFiguresSchema).optional(),
  /** How long main took from its start until it served requests, in seconds; undefined where that is not seen. */
  startSeconds: amount.optional(),
  /** Why n8n did not work; then there are no figures. */
  failed: z.string().optional(),
  /** It never became ready, which a busy machine may cause, too. */
  notReady: z.literal(true).optional(),
  /** What disturbed it each time that it was measured; then there are no figures, and n8n is not to blame. */
  disturbed: z.string().optional(),
});

/** What one fresh deployment, measured once, showed. */
export type Figures = z.infer<typeof figuresSchema>;
