import semver from 'semver';
import { z } from 'zod';
import type { DeploymentRecord } from '../../model/run.js';

/** The properties of a deployment that decide the cost of a choice in a workflow. */
export const circumstancesSchema = z.object({
  /** Version of n8n; `unknown` for an existing n8n that does not report it. */
  n8n: z.string(),
  /** The engine that evaluates expressions. `legacy` takes no isolate. */
  engine: z.enum(['vm', 'quickjs', 'legacy', 'unknown']),
  /** Whether an execution takes an isolate only when a node evaluates an expression. */
  lazy: z.boolean(),
  /** Whether n8n resolves a Webhook node without expressions without an isolate. */
  skips: z.boolean(),
  /** Whether the chart's files make isolates cheaper (hooks/accelerators: lazy-character-table, full-code-cache). */
  cheaperIsolates: z.boolean().default(false),
  mode: z.enum(['regular', 'queue', 'unknown']),
  /** n8n's name of the database, such as `postgresdb`. */
  database: z.string(),
  /** Defaults for workflows that do not set them: whether executions have a timeout, and whether their progress is saved. */
  timeout: z.boolean().optional(),
  savesProgress: z.boolean().optional(),
  /** Whether files are kept in memory; undefined: n8n's version decides. */
  filesInMemory: z.boolean().optional(),
});
export type Circumstances = z.infer<typeof circumstancesSchema>;

/** Versions that evaluate expressions in isolates by default (@n8n/config, expression-engine.config.js). */
const VM_BY_DEFAULT = '>=1.123.76 <2.0.0 || >=2.35.0';
/** Versions that can resolve a Webhook node without an isolate: 1.123.81 takes one for each request (live-webhooks.js). */
const CAN_SKIP = '>=2.35.0';
/** Versions that read N8N_EXPRESSION_ENGINE, and those that can take isolates lazily (charts/n8n-tuned/files/environment.yaml). */
const HAS_ENGINE_CHOICE = '>=1.123.51 <2.0.0 || >=2.16.0';
const CAN_BE_LAZY = '>=2.40.0';

/** The circumstances of a deployment, from its record. */
export function deriveCircumstances(
  n8n: string,
  deployment: Pick<DeploymentRecord, 'mode' | 'database' | 'expressionEngine' | 'executionDefaults'>,
): Circumstances {
  const { mode, database, expressionEngine: variables, executionDefaults } = deployment;
  const version = semver.valid(n8n);
  const within = (range: string) => version !== null && semver.satisfies(version, range, { includePrerelease: true });
  const engine = (): Circumstances['engine'] => {
    if (version !== null && !within(HAS_ENGINE_CHOICE)) return 'legacy';
    if (version === null || variables === undefined) return 'unknown';
    const { type = within(VM_BY_DEFAULT) ? 'vm' : 'legacy' } = variables;
    return type === 'vm' || type === 'quickjs' || type === 'legacy' ? type : 'unknown';
  };
  return {
    n8n,
    engine: engine(),
    lazy: within(CAN_BE_LAZY) && isOn(variables?.lazyAcquire, false),
    skips: (version === null || within(CAN_SKIP)) && isOn(variables?.webhookSkip, true),
    cheaperIsolates: variables?.cheaperIsolates === true,
    mode,
    database,
    ...executionDefaults,
  };
}

const isOn = (value: string | undefined, otherwise: boolean): boolean =>
  value === undefined ? otherwise : ['true', '1'].includes(value.toLowerCase());

/** Whether a version can take isolates only when an expression is evaluated. An unknown version can. */
export const canBeLazy = (n8n: string): boolean =>
  semver.valid(n8n) === null || semver.satisfies(n8n, CAN_BE_LAZY, { includePrerelease: true });

/** Whether executions may take isolates. With an unknown engine, they may. */
export const canTakeIsolates = ({ engine }: Circumstances): boolean => engine !== 'legacy';

/**
 * Differences from the measured circumstances that may change the cost of a choice. None: the cost is as measured. Another patch
 * of the same minor version of n8n is no difference.
 * @param isolates whether the choice takes an isolate. A choice that takes none costs the same in an engine without isolates
 */
export function findDifferences(here: Circumstances, measured: Circumstances, isolates: boolean): string[] {
  return [
    ...(isSameMinor(here.n8n, measured.n8n) ? [] : [here.n8n === 'unknown' ? 'an unknown version' : `n8n ${here.n8n}`]),
    ...engineDifferences(here, measured, isolates),
    ...(here.mode === measured.mode ? [] : [`${here.mode} mode`]),
    ...(here.database === measured.database ? [] : [DATABASES[here.database] ?? `${here.database} database`]),
  ];
}

function engineDifferences(here: Circumstances, measured: Circumstances, isolates: boolean): string[] {
  const untouched = !isolates && here.engine === 'legacy' && measured.lazy && measured.skips;
  if (untouched) return [];
  return [
    ...(here.engine === measured.engine ? [] : [`expression engine ${here.engine}`]),
    ...(here.lazy === measured.lazy ? [] : ['an isolate for each execution']),
    ...(here.skips === measured.skips ? [] : ['an isolate for each request']),
    ...(here.engine === measured.engine && (isolates || !here.lazy) ? isolateDifferences(here, measured) : []),
  ];
}

function isolateDifferences(here: Circumstances, measured: Circumstances): string[] {
  if (here.cheaperIsolates === measured.cheaperIsolates) return [];
  return [here.cheaperIsolates ? 'cheaper isolates' : 'isolates that cost more'];
}

const DATABASES: Record<string, string> = { postgresdb: 'PostgreSQL', sqlite: 'SQLite' };

function isSameMinor(a: string, b: string): boolean {
  const [one, other] = [semver.valid(a), semver.valid(b)];
  return one !== null && other !== null && semver.satisfies(one, `~${semver.major(other)}.${semver.minor(other)}.0`);
}
