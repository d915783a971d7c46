import { z } from 'zod';

const time = z.number().min(0);

export const requestSchema = z.object({
  /** Id that the request carried; unique in its trial. */
  id: z.string(),
  /** When it was due and when its answer ended, in milliseconds since the epoch. */
  sentAt: time,
  endedAt: time,
  /** HTTP status; 0 without an answer. */
  status: z.number().int().min(0),
  /** Id of the execution that the answer named; undefined where it named none. */
  execution: z.string().optional(),
  /** The answer was n8n's notice that it starts: HTTP 200, and nothing is executed. */
  starting: z.literal(true).optional(),
});

/** A request as k6 recorded it. */
export type SentRequest = z.infer<typeof requestSchema>;
