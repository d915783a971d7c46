import { z } from 'zod';

const amount = z.number().min(0);

const loadFiguresSchema = z.object({
  /** Correct answers per second. */
  perSecond: amount,
  /** 95th percentile of the overhead of the clients' answers, in seconds. */
  p95: amount.optional(),
  /** Sum of the peak memory of all instances. */
  memoryBytes: amount.optional(),
});

/** The results of one load. */
export type LoadFigures = z.infer<typeof loadFiguresSchema>;

export const figuresSchema = loadFiguresSchema.partial().extend({
  /**
   * Figures of each load, if several were driven in turn. The fields above are then geometric means, and the highest memory.
   */
  loads: z.record(z.string(), loadFiguresSchema).optional(),
  /** Seconds from the start of main until it served requests; undefined if unknown. */
  startSeconds: amount.optional(),
  /** Why n8n did not work; then there are no figures. */
  failed: z.string().optional(),
  /** It never became ready. A busy machine may cause that too. */
  notReady: z.literal(true).optional(),
  /** Why each attempt was disturbed. Then there are no figures, and n8n is not the cause. */
  disturbed: z.string().optional(),
});

/** The figures of one fresh deployment, measured once. */
export type Figures = z.infer<typeof figuresSchema>;
