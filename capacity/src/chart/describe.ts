import { isDeepStrictEqual } from 'node:util';
import type { DeploymentRecord, ExpressionVariables } from '../model/run.js';
import type { Pod } from './pods.js';
import { hasCheaperIsolates } from './preload.js';

/** The deployment as the record describes it, read from the render. It holds no secret. */
export function describeDeployment(pods: Pod[]): Omit<DeploymentRecord, 'limits'> {
  const main = pods.find((p) => p.component === 'main')!;
  const workers = pods.filter((p) => p.component === 'worker');
  const slots =
    workers.length > 0
      ? workers.reduce((sum, w) => sum + workerConcurrency(w), 0)
      : Number(literalValue(main, 'N8N_CONCURRENCY_PRODUCTION_LIMIT'));
  const poolSize = Number(literalValue(main, 'DB_POSTGRESDB_POOL_SIZE'));
  return {
    mode: literalValue(main, 'EXECUTIONS_MODE') === 'queue' ? 'queue' : 'regular',
    process: literalValue(main, 'EXECUTIONS_PROCESS') === 'own' ? 'own' : 'main',
    database: literalValue(main, 'DB_TYPE') || 'sqlite',
    instances: pods.map((pod) => ({
      name: pod.name,
      component: pod.component,
      limits: pod.limits,
      ...heapLimits(pod),
    })),
    ...(slots > 0 && { slots }),
    ...(poolSize > 0 && { poolSize }),
    ...loadTargetMegabytes(workers[0] ?? main),
    ...expressionEngine(pods),
    executionDefaults: executionDefaults(main),
    ...pruningSettings(main),
  };
}

function loadTargetMegabytes(pod: Pod): Pick<DeploymentRecord, 'loadTargetMegabytes'> {
  const text = literalValue(pod, 'N8N_LOAD_TARGET_MAX_MEGABYTES');
  return text === '' ? {} : { loadTargetMegabytes: Number(text) };
}

/** The variables of the expression engine. None if n8n's processes differ: it is then unknown which apply to an execution. */
function expressionEngine(pods: Pod[]): Pick<DeploymentRecord, 'expressionEngine'> {
  const all = pods.filter(({ component }) => component !== 'postgresql' && component !== 'redis').map(engineVariables);
  return all.every((each) => isDeepStrictEqual(each, all[0])) ? { expressionEngine: all[0]! } : {};
}

function engineVariables(pod: Pod): ExpressionVariables {
  const [type, lazyAcquire, webhookSkip] = ['', '_LAZY_ACQUIRE', '_ALLOW_WEBHOOK_ISOLATE_SKIP'].map((name) =>
    literalValue(pod, `N8N_EXPRESSION_ENGINE${name}`),
  );
  return {
    ...(type && { type }),
    ...(lazyAcquire && { lazyAcquire }),
    ...(webhookSkip && { webhookSkip }),
    ...(hasCheaperIsolates(literalValue(pod, 'NODE_OPTIONS')) && { cheaperIsolates: true }),
  };
}

/** Defaults of executions. Without a binary data mode, n8n's version decides where files are kept. */
function executionDefaults(pod: Pod): DeploymentRecord['executionDefaults'] {
  const mode = literalValue(pod, 'N8N_DEFAULT_BINARY_DATA_MODE');
  return {
    timeout: Number(literalValue(pod, 'EXECUTIONS_TIMEOUT')) > 0,
    savesProgress: literalValue(pod, 'EXECUTIONS_DATA_SAVE_ON_PROGRESS') === 'true',
    ...(mode && { filesInMemory: mode === 'default' }),
  };
}

/** n8n prunes unless EXECUTIONS_DATA_PRUNE is false; a maximum count of 0 means no limit. */
function pruningSettings(pod: Pod): Pick<DeploymentRecord, 'pruning'> {
  if (literalValue(pod, 'EXECUTIONS_DATA_PRUNE') === 'false') return {};
  const number = (name: string, otherwise: number) => Number(literalValue(pod, name) || otherwise);
  return {
    pruning: {
      maxAgeHours: number('EXECUTIONS_DATA_MAX_AGE', 336),
      maxCount: number('EXECUTIONS_DATA_PRUNE_MAX_COUNT', 10_000),
    },
  };
}

/** The literal value of a variable in the render; empty if it has none. */
const literalValue = (pod: Pod, name: string): string => pod.container.env?.find((e) => e.name === name)?.value ?? '';

/** V8's heap limits of n8n and of its task runner, in MiB. */
export function heapLimits(pod: Pod): { heapMiB?: number; runnerHeapMiB?: number } {
  const n8n = Number(/--max-old-space-size=(\d+)/.exec(literalValue(pod, 'NODE_OPTIONS'))?.[1]);
  const runner = Number(literalValue(pod, 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE'));
  return { ...(n8n > 0 && { heapMiB: n8n }), ...(runner > 0 && { runnerHeapMiB: runner }) };
}

/** Executions that a worker runs at once. N8N_CONCURRENCY_PRODUCTION_LIMIT overrides the flag; n8n's default is 10. */
export function workerConcurrency(pod: Pod): number {
  const limit = Number(literalValue(pod, 'N8N_CONCURRENCY_PRODUCTION_LIMIT'));
  const flag = Number(/--concurrency[= ](\d+)/.exec((pod.container.args ?? []).join(' '))?.[1]);
  return limit > 0 ? limit : flag > 0 ? flag : 10;
}
