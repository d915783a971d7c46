import { z } from 'zod';
import { componentSchema, limitsSchema } from './events.js';
import { planSchema } from './plan.js';

const amount = z.number().min(0);

export const provisionerSchema = z.enum(['process', 'kubernetes', 'existing']);
export type ProvisionerName = z.infer<typeof provisionerSchema>;

const limitsNoticeSchema = z.object({
  enforced: z.boolean(),
  /** For a reader: `cgroup v1`, or the reason why limits are not enforced. */
  detail: z.string(),
});
/** Whether CPU and memory limits were enforced. */
export type LimitsNotice = z.infer<typeof limitsNoticeSchema>;

const expressionVariablesSchema = z.object({
  /** N8N_EXPRESSION_ENGINE. */
  type: z.string().optional(),
  /** N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE. */
  lazyAcquire: z.string().optional(),
  /** N8N_EXPRESSION_ENGINE_ALLOW_WEBHOOK_ISOLATE_SKIP. */
  webhookSkip: z.string().optional(),
  /** Whether Node loads the chart's files that make isolates cheaper (hooks/accelerators: lazy-character-table, full-code-cache). */
  cheaperIsolates: z.boolean().optional(),
});
/** How n8n evaluates expressions, as its variables are set; undefined where n8n's default applies. */
export type ExpressionVariables = z.infer<typeof expressionVariablesSchema>;

const hooksSchema = z.object({ active: z.array(z.string()), inactive: z.array(z.string()) });
/** Names of the chart's hooks that have bound to n8n, and of those that found it changed in at least one process. */
export type HooksLook = z.infer<typeof hooksSchema>;

const deploymentSchema = z.object({
  /** Undefined: local processes. */
  provisioner: provisionerSchema.optional(),
  /** Where n8n's version was read from; undefined where the values set it, or nothing told it. */
  versionFrom: z.string().optional(),
  /** `unknown` of an existing n8n. */
  mode: z.enum(['regular', 'queue', 'unknown']),
  process: z.enum(['main', 'own', 'unknown']),
  database: z.string(),
  limits: limitsNoticeSchema,
  instances: z.array(
    z.object({
      name: z.string(),
      component: componentSchema,
      limits: limitsSchema,
      heapMiB: amount.optional(),
      runnerHeapMiB: amount.optional(),
    }),
  ),
  /** What changes the number of a component's pods; undefined if nothing does, or unknown. */
  autoscalers: z
    .array(z.object({ component: componentSchema, kind: z.string(), minReplicas: amount, maxReplicas: amount }))
    .optional(),
  /** Executions that can run at once where something limits them: workers times concurrency. */
  slots: amount.optional(),
  /** Connections that each n8n process may open to PostgreSQL; undefined without PostgreSQL. */
  poolSize: amount.optional(),
  /** Workloads made of built-in nodes because n8n-nodes-tuned is not installed; their answers do not name the process. */
  builtIn: z.array(z.string()).optional(),
  /** N8N_LOAD_TARGET_MAX_MEGABYTES of the processes that run executions; undefined if not set. */
  loadTargetMegabytes: amount.optional(),
  /**
   * Dependencies of n8n that replaced versions which the registry lacks, with the versions that ran. Undefined of an existing n8n,
   * and in records before 0.2.
   */
  replaced: z.record(z.string(), z.string()).optional(),
  /** The n8n that the values name, where another patch of it was measured; undefined where it was measured itself. */
  askedVersion: z.string().optional(),
  /** Why another patch was measured, as a sentence without a full stop. */
  askedWhy: z.string().optional(),
  /** Of another chart: what is not as its manifests say. */
  adopted: z.array(z.string()).optional(),
  /** The variables of n8n that say how it evaluates expressions; undefined where they cannot be read, and in records before 0.2. */
  expressionEngine: expressionVariablesSchema.optional(),
  /** What n8n does for workflows that say nothing themselves; undefined where it cannot be read. */
  executionDefaults: z
    .object({ timeout: z.boolean(), savesProgress: z.boolean(), filesInMemory: z.boolean().optional() })
    .optional(),
  /** The chart's hooks, as n8n's metrics show them; undefined where they show none. */
  hooks: hooksSchema.optional(),
  /** When n8n deletes old executions; undefined if it never does. */
  pruning: z.object({ maxAgeHours: amount, maxCount: amount }).optional(),
});
/** What was deployed, for a reader of the record; it holds no secret. */
export type DeploymentRecord = z.infer<typeof deploymentSchema>;

const noiseSchema = z.object({
  /** Runs that it rests on. */
  runs: z.number().int().min(2),
  /** Rates that differ by no more than this fraction cannot be told apart at 95 % confidence. */
  rate: amount,
  /** The same of the p95 overhead; undefined where the runs had none. */
  latency: amount.optional(),
});
/** By how much the same configuration differs from run to run, deployed anew each time. */
export type Noise = z.infer<typeof noiseSchema>;

const choiceSchema = z.object({
  /** Id of the rule (check/rules.ts). */
  rule: z.string(),
  title: z.string(),
  /** Names of the nodes; none where it is a setting of the workflow. */
  nodes: z.array(z.string()),
  /** Share of the executions per second that it costs on an example, 0 to 1; undefined where that was not measured. */
  share: amount.optional(),
  /** In what this deployment differs from the one in which it was measured; undefined where it was measured. */
  unlike: z.array(z.string()).optional(),
  change: z.string(),
});
/** A choice in a workflow that costs capacity. */
export type Choice = z.infer<typeof choiceSchema>;

export const runSchema = z.object({
  /** The command, as `n8n-capacity validate`. */
  tool: z.string(),
  startedAt: z.string(),
  plan: planSchema,
  versions: z.object({
    n8n: z.string(),
    k6: z.string(),
    node: z.string().optional(),
    helm: z.string().optional(),
    chart: z.string().optional(),
  }),
  machine: z.object({
    cpus: z.number().gt(0),
    /** Name of the CPU; undefined in records before 0.2, and where the system does not tell. */
    cpuModel: z.string().optional(),
    memoryBytes: amount,
    platform: z.string(),
    /** Requests per second that k6 reached here against a server that answers at once; undefined if not measured. */
    generatorLimit: amount.optional(),
    /** Noise of this configuration on this machine; undefined if not measured. */
    noise: noiseSchema.optional(),
  }),
  deployment: deploymentSchema,
  /** What a custom workflow does that costs capacity, the most expensive first. */
  choices: z.array(choiceSchema).optional(),
});
/** First record of a run: what was asked, what was deployed, and on what machine. */
export type RunRecord = z.infer<typeof runSchema>;
