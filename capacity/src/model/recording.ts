import { z } from 'zod';

/** Name of the format, so that another JSON file is not taken for a recording. */
export const RECORDING = 'n8n-capacity arrivals';
/** Longest recording, and most arrivals in it: a step of an hour, whose times k6 holds in memory. */
export const MOST_RECORDED_SECONDS = 3600;
export const MOST_RECORDED_ARRIVALS = 1_000_000;

const offsetsSchema = z.array(z.number());

export const recordingSchema = z.object({
  kind: z.literal(RECORDING),
  /** Beginning of the recorded time, as an ISO date; undefined for a plain file of times. */
  from: z.string().optional(),
  /** Length of the recorded time. */
  seconds: z.number(),
  /** Where the times were read, and the field that holds them. */
  source: z.string().optional(),
  /** Version of the n8n; undefined if unknown. */
  n8n: z.string().optional(),
  /** Arrivals of each workflow, in seconds since the beginning, ascending. */
  workflows: z.array(z.object({ id: z.string(), count: z.number(), offsets: offsetsSchema })),
});
/** When executions arrived at an n8n. It holds no data of theirs. */
export type Recording = z.infer<typeof recordingSchema>;
