import { z } from 'zod';
import { componentSchema } from './events.js';

const amount = z.number().min(0);
const share = z.number().min(0).max(1);

const nodeSchema = z.object({
  id: z.number(),
  callFrame: z.looseObject({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
  children: z.array(z.number()).optional(),
});

/** A profile in V8's format (Chrome DevTools Protocol, Profiler.Profile); times in microseconds. */
export const cpuProfileSchema = z.looseObject({
  nodes: z.array(nodeSchema),
  startTime: z.number(),
  endTime: z.number(),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
export type CpuProfile = z.infer<typeof cpuProfileSchema>;

const frameSchema = z.object({
  /** 0: called by nothing. */
  depth: z.number().int().min(0),
  /** Where it lies in the graph; what it called lies within. Shares of the time in which the thread worked. */
  from: share,
  to: share,
  name: z.string(),
  /** Package of its code, `node` for Node itself, `V8` for garbage collection and native code. */
  package: z.string(),
});
/** A function in a flame graph, at one place of the call stack. */
export type Frame = z.infer<typeof frameSchema>;

const hotSchema = z.object({ name: z.string(), package: z.string(), self: share, total: share });
/** A function with the share of the working time that it took itself, and with what it called. */
export type HotFunction = z.infer<typeof hotSchema>;

/** CPU of an instance per answered request, in milliseconds; undefined if it was not seen. */
const costSchema = z.object({ profiled: amount.optional(), unprofiled: amount.optional() });

export const profileSchema = z.object({
  load: z.string(),
  /** Arrivals per second, and whether that rate had not been sustained. */
  rate: amount,
  broke: z.boolean(),
  instance: z.string(),
  component: componentSchema,
  /** Of V8's sampler, in microseconds. */
  intervalMicros: amount,
  seconds: amount,
  /** Share of that time in which the thread had nothing to do. */
  idle: share,
  frames: z.array(frameSchema),
  functions: z.array(hotSchema),
  /** What profiling costs: compare the two. A profiled step is no step of the run, so it counts towards no verdict. */
  cpuMillisPerRequest: costSchema,
  /** The profile in V8's format, for Chrome's developer tools; relative to the run's folder. */
  file: z.string(),
});
/** A CPU profile of one n8n process under load. */
export type ProfileRecord = z.infer<typeof profileSchema>;
