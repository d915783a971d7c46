import { z } from 'zod';

const amount = z.number().min(0);
const strings = z.array(z.string());

/** Values of the chart: files over a profile, then assignments over the files (chart/values-flags.ts has helm's order). */
const valuesSchema = z.object({
  /** Name of one of the chart's own profiles. */
  profile: z.string().optional(),
  files: strings,
  /** `--set`: types are guessed. */
  set: strings,
  /** `--set-string`: each value is text. */
  setString: strings.optional(),
  /** `--set-file`: each value is the content of the file. */
  setFile: strings.optional(),
  /** `--set-json`: each value is JSON; without a key, a JSON object of values. */
  setJson: strings.optional(),
});
export type Values = z.infer<typeof valuesSchema>;

const mixPartSchema = z.object({
  workload: z.string(),
  /** Share of the arrivals, relative to the other parts; above 0. */
  weight: amount,
});
/** One workload and its share of the arrivals. */
export type MixPart = z.infer<typeof mixPartSchema>;

const customWorkflowSchema = z.object({
  /** Paths as the user gave them. The files are not recorded: headers, body and credentials may be secret. */
  file: z.string(),
  subWorkflows: strings,
  credentials: z.string().optional(),
  /** The id that n8n has it under. */
  id: z.string(),
  /** SHA-256 of what is imported, but for credentials: all deployments of a run get the same. None in records before 0.2. */
  digest: z.string().optional(),
  name: z.string(),
  /** Path of the webhook that is called, as `/webhook/order`. */
  path: z.string(),
  method: z.string(),
  /** When n8n answers: `onReceived` before the work, `lastNode` after it, `responseNode` where the workflow says. */
  responseMode: z.string(),
  /** An answer counts by its status alone; n8n's own count of executions proves the work. */
  proof: z.literal('status'),
});
/** A custom workflow: one that the user brings, instead of a workload of the catalogue. */
export type CustomWorkflow = z.infer<typeof customWorkflowSchema>;

const servedWebhookSchema = z.object({
  /** As `/webhook/order`, query string included. */
  path: z.string(),
  method: z.string(),
  /** The user allows that its nodes reach outside n8n. */
  allowSideEffects: z.boolean(),
});
/** A webhook that an existing n8n serves already. */
export type ServedWebhook = z.infer<typeof servedWebhookSchema>;

export const loadSchema = z.object({
  /** For tables and folders: the workload's name, or `mix`. */
  name: z.string(),
  parts: z.array(mixPartSchema).min(1),
  /** Service time of an answer by design, per workload, in seconds. */
  serviceSeconds: z.record(z.string(), amount),
  /** Time of a whole execution by design, per workload, in seconds. */
  executionSeconds: z.record(z.string(), amount),
  /** Set when the only part is a custom workflow. */
  custom: customWorkflowSchema.optional(),
  /** Set when the only part is a webhook that is served already. */
  served: servedWebhookSchema.optional(),
});
/** What is driven together in one search: a single workload, or a mix. */
export type LoadPlan = z.infer<typeof loadSchema>;

export const phaseNameSchema = z.enum(['base', 'spike', 'recovery', 'overload', 'return']);

/** A part of a burst, or of an overload. */
export interface Phase {
  name: z.infer<typeof phaseNameSchema>;
  /** Arrivals per second. */
  rate: number;
  seconds: number;
}

const searchSchema = z.object({
  kind: z.literal('search'),
  /** First rate, in arrivals per second. */
  start: amount,
  /** Each step up multiplies the rate by this. */
  factor: z.number().gt(1),
  /** The search ends when the lowest broken rate is at most (1 + precision) times the highest sustained one. */
  precision: z.number().gt(0),
  maxSteps: amount,
  /** Rates below it give too few samples to judge. */
  lowest: amount,
  /** Requests that a step should have once a rate was broken; undefined where the user set the length of a step. */
  samples: amount.optional(),
  /** The first rate where set; the search ends when it does not hold. */
  challenge: amount.optional(),
});

const replaySchema = z.object({
  kind: z.literal('replay'),
  /** Mean rate of the replayed arrivals, and the most in any 10 s, per second. */
  rate: amount,
  busiest: amount,
  /** How many times the recorded arrivals are replayed. */
  times: z.number().gt(0),
});

/** A week: a deployment is seldom older, and someone is there to look at it then. */
export const DEFAULT_HORIZON_SECONDS = 7 * 86_400;

const soakSchema = z.object({
  kind: z.literal('soak'),
  /** Arrivals per second for as long as the step lasts. */
  rate: amount,
  /** Time after the soak for which nothing that grows may reach its limit. */
  horizonSeconds: amount,
});

const burstSchema = z.object({
  kind: z.literal('burst'),
  /** Arrivals per second before and after the spike, and in it. */
  base: amount,
  spike: amount,
  /** Length of each phase: base, spike, base again. */
  baseSeconds: amount,
  spikeSeconds: amount,
  recoverySeconds: amount,
  /** Within this time after the spike the backlog must be back where it was. */
  drainWithinSeconds: amount,
});
/** A spike above a base rate, then the base rate again. */
export type BurstPlan = z.infer<typeof burstSchema>;

const payloadLimitSchema = z.object({
  kind: z.literal('payload-limit'),
  /** Numbers of clients, tried one after the other. */
  concurrency: z.array(amount),
  /** Smallest and largest payload over all clients, in MiB. */
  minMiB: amount,
  maxMiB: amount,
  /** Only these payloads, tried in this order until one breaks. */
  rungs: z.array(amount).optional(),
});

const daySchema = z.object({
  executions: amount,
  /** Rate of the busiest hour over the mean rate; undefined if the user did not give it: as many in each hour. */
  peak: z.number().gte(1).optional(),
});
/** Executions a day, from which a target was computed. */
export type Day = z.infer<typeof daySchema>;

const targetSchema = z.object({
  kind: z.literal('target'),
  rate: amount,
  headroom: z.number().gt(0),
  /** Undefined where the rate was given. */
  day: daySchema.optional(),
});

/** How the steps of a run are chosen; the kind of a run is the name of its profile. */
const ratesSchema = z.discriminatedUnion('kind', [
  /** These arrival rates, in this order. */
  z.object({ kind: z.literal('rates'), rates: z.array(amount) }),
  /** The highest sustained rate: geometric steps, then bisection. */
  searchSchema,
  /** One step at the target times the headroom. */
  targetSchema,
  /**
   * Closed model: this number of clients, each of which sends its next request when the last was answered. With `overload`, arrivals follow
   * that are this multiple of what the clients got through.
   */
  z.object({
    kind: z.literal('closed'),
    clients: amount,
    /** As many more for each second that an answer of the load takes by design. */
    clientsPerSecond: amount.optional(),
    overload: z.number().gt(0).optional(),
  }),
  soakSchema,
  replaySchema,
  /** Each of these rates in this order, in arrivals per second, until its steps decide. */
  z.object({ kind: z.literal('confirm'), rates: z.array(amount).min(1) }),
  burstSchema,
  payloadLimitSchema,
]);
export type RatePlan = z.infer<typeof ratesSchema>;
export type Kind = RatePlan['kind'];
/** The plan of one kind of run. */
export type RatesOf<K extends Kind> = Extract<RatePlan, { kind: K }>;

/** The percentiles that may have an objective, and the share of the answers that may be above each. */
export const PERCENTILES = ['p50', 'p95', 'p99'] as const;
export type Percentile = (typeof PERCENTILES)[number];
export const SHARE_ABOVE: Record<Percentile, number> = { p50: 0.5, p95: 0.05, p99: 0.01 };

/** Shortest time for which a rate is held before it is claimed, where the user did not set it: what happens once a minute is seen. */
export const HOLD_SECONDS = 60;

const sloSchema = z.object({
  /** 50th, 95th and 99th percentile of the overhead, in seconds; undefined where none was asked for. */
  p50: amount.optional(),
  p95: amount.optional(),
  p99: amount.optional(),
  /** Most failed requests, as a fraction of all. */
  errors: z.number().min(0).max(1),
});
/** Service level objective. Latencies bound the overhead: the latency above the workload's service time. */
export type Slo = z.infer<typeof sloSchema>;

const arrivalsSchema = z.discriminatedUnion('kind', [
  /** The same seed gives the same times; a step adds its index. */
  z.object({ kind: z.literal('poisson'), seed: z.number().int().min(0) }),
  z.object({ kind: z.literal('even') }),
  z.object({
    kind: z.literal('recorded'),
    /** Path of the recording. */
    file: z.string(),
    times: z.number().gt(0),
    /** Of the arrivals that are added or left out. */
    seed: z.number().int().min(0),
    /** Where and when it was recorded; undefined for a plain file of times. */
    source: z.string().optional(),
  }),
]);
export type Arrivals = z.infer<typeof arrivalsSchema>;

export const overridesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
export type Overrides = z.infer<typeof overridesSchema>;

const foreignSchema = z.object({
  /** File of manifests … */
  manifests: z.string().optional(),
  /** … or a chart that helm renders with the plan's values: a folder, an archive or an address. */
  chart: z.string().optional(),
  /** Version of n8n in the place of that of the image. */
  n8n: z.string().optional(),
  /**
   * What is not as the manifests say: variables of n8n by their names, and parts of its deployment, such as `workers`. In a
   * record, values that may be secret are replaced.
   */
  overrides: overridesSchema.optional(),
});
/** n8n as another chart deploys it: one of `manifests` and `chart` is given. */
export type Foreign = z.infer<typeof foreignSchema>;

const configOriginSchema = z.object({
  /** The file, as it was given. */
  file: z.string(),
  /** The flags that it gave, without the dashes; those of the command line are not among them. */
  flags: strings,
});
/** A config file that gave flags. Their values are those of the plan. */
export type ConfigOrigin = z.infer<typeof configOriginSchema>;

export const planSchema = z.object({
  values: valuesSchema,
  /** Undefined: the chart of this project. */
  foreign: foreignSchema.optional(),
  loads: z.array(loadSchema).min(1),
  rates: ratesSchema,
  slo: sloSchema,
  /** Measured part of a step, its discarded warm-up, and the longest drain, in seconds. */
  stepSeconds: amount,
  warmupSeconds: amount,
  drainSeconds: amount,
  /** A request that takes longer has failed, in seconds. */
  timeoutSeconds: amount,
  /**
   * How the requests of an open step arrive. `poisson`: at random, as from independent users. `even`: at equal intervals. `recorded`:
   * at the times in a file.
   */
  arrivals: arrivalsSchema.default({ kind: 'even' }),
  /** Environment of the k6 scripts: the workloads' query parameters. */
  scriptEnv: z.record(z.string(), z.string()),
  /** Whether each load ends with an overload: three times the target, or twice the capacity, and then the load of every day. */
  overload: z.boolean().default(false),
  /** For an n8n that others use: no step above this rate, and the run ends with the first step that does not hold. */
  guard: z.object({ maxRate: amount }).optional(),
  /** Profile the CPU of n8n after the last step of each load. */
  cpuProfile: z.literal(true).optional(),
  /** Finished executions in the database before the load; undefined: none. */
  seedExecutions: z.number().int().gt(0).optional(),
  /** Port of the deployment's front door; undefined: any free one. */
  port: amount.optional(),
  /** Undefined: all flags were given on the command line. */
  configOrigin: configOriginSchema.optional(),
});
/** Everything that a run was asked to do; written into the record as it is. */
export type Plan = z.infer<typeof planSchema>;
