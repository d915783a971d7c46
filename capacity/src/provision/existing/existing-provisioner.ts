import { isRegistered, type ProbedWebhook } from '../webhook.js';
import { QueueWatch } from '../../observe/queue.js';
import { waitUntil } from '../../core/wait-until.js';
import { Lifecycle } from '../lifecycle.js';
import { NotReady, UsageError } from '../../core/errors.js';
import { createPostgresWatch } from '../../observe/postgres.js';
import type {
  Deployment,
  Instance,
  Observer,
  PostgresAddress,
  Prepared,
  Provisioner,
  RedisAddress,
} from '../../model/deployment.js';
import { readCustom } from '../../plan/custom-workflow/load.js';
import { withoutSecrets } from '../../plan/redact.js';
import { isLoopback } from '../../plan/custom-workflow/side-effects.js';
import type { LoadPlan, Plan } from '../../model/plan.js';
import { findWorkload } from '../../plan/workloads.js';
import { escapeControls } from '../../core/printable.js';
import type { Progress } from '../../core/progress.js';
import { refuseSeedingOfExisting } from '../seed/refuse.js';
import { introduceCustom } from '../introduce-custom.js';
import { loadTargets } from '../load-targets.js';
import type { Imports } from '../n8n-import.js';
import { randomSecret } from '../../chart/environment.js';
import { valuesFlags } from '../../chart/values-flags.js';
import type { N8nApi } from './api.js';
import { Imported } from './imports.js';
import { ExecutionsObserver, MetricsObserver, unseen } from './observer.js';
import { findServed, type ServedWorkflow } from './served.js';
import { createApi, metricsUrls, postgresAt, readRedisAddress, type TargetOptions } from './target.js';
import { n8nVersionAt } from './version.js';

/** n8n serves a webhook at once after its activation, but several webhook processors learn of it later. */
const READY_SECONDS = 30;

/** Uses an existing n8n: imports through its public API and removes everything at the end. */
export function existing(options: TargetOptions): Provisioner {
  const api = createApi(options);
  const target: Target = {
    api,
    metrics: metricsUrls(options),
    redis: readRedisAddress(options),
    postgres: postgresAt(options),
  };
  return {
    async prepare(plan: Plan, progress: Progress): Promise<Prepared> {
      refuse(plan);
      refuseSeedingOfExisting(plan);
      introduceCustom(plan, progress);
      await api.workflows();
      const known = await n8nVersionAt(api.url, target.metrics);
      const driven = await drivenBy(plan, target, known?.version, progress);
      const record = { ...recordOf(target), ...(known && { versionFrom: known.from }) };
      return {
        versions: { n8n: known?.version ?? 'unknown' },
        record,
        deploy: async () => describeDeployment(plan, target, record, progress, await driven()),
      };
    },
  };
}

interface Target {
  api: N8nApi;
  /** Addresses of /metrics. */
  metrics: string[];
  redis: RedisAddress | undefined;
  postgres: PostgresAddress | undefined;
}

/** The driven workflows, and how their executions are counted. */
interface Driven {
  ids: string[];
  asynchronousIds?: Set<string>;
  observer: Observer;
  token: string;
  /** Workloads of built-in nodes. */
  builtIn: string[];
  remove: () => Promise<void>;
}

/**
 * Finds the workflow to drive; returns a function that imports it if it is not there yet.
 * @throws UsageError when it cannot be driven
 */
async function drivenBy(
  plan: Plan,
  target: Target,
  version: string | undefined,
  progress: Progress,
): Promise<() => Promise<Driven>> {
  const served = plan.loads[0]?.served;
  if (!served) return () => imported(plan, target, version, progress);
  const workflow = await findServed(target.api, served);
  progress.line(
    workflow
      ? `  ${served.method} ${withoutSecrets(served.path)} starts "${escapeControls(workflow.name)}"; all its executions are counted, so nothing else may start it`
      : `  ${served.method} ${withoutSecrets(served.path)}: its workflow is not visible, so only answers are counted`,
  );
  return () => servedAlready(workflow, target, progress);
}

async function imported(
  plan: Plan,
  { api, metrics }: Target,
  version: string | undefined,
  progress: Progress,
): Promise<Driven> {
  const token = randomSecret();
  const imported = new Imported(api, version, progress.signal);
  try {
    await progress.during(`importing into ${api.url}`, async () => {
      await imported.create(await readImports(plan, token, version));
      await untilServed(api.url, webhooksOf(plan), progress.signal);
    });
  } catch (error) {
    await imported.remove();
    throw error;
  }
  const { builtIn, started: ids } = imported;
  if (builtIn.length > 0)
    progress.line(`  n8n-nodes-tuned is not installed there: using built-in nodes for ${builtIn.join(', ')}`);
  const instances = instancesOf(metrics);
  const observer =
    metrics.length > 0 ? new MetricsObserver(instances, metrics) : new ExecutionsObserver(instances[0]!, api, ids);
  return { ids, observer, token, builtIn, remove: () => imported.remove() };
}

/** Executions that n8n neither saves nor shows cannot be counted, which makes the run INCONCLUSIVE. */
async function servedAlready(
  workflow: ServedWorkflow | undefined,
  { api, metrics }: Target,
  progress: Progress,
): Promise<Driven> {
  const instances = instancesOf(metrics);
  const nothing = { token: '', builtIn: [], remove: () => Promise.resolve() };
  if (!workflow) return { ids: [], observer: unseen(instances[0]!), ...nothing };
  const { id, name, isSaved, asynchronousIds } = workflow;
  const driven = { ids: [id], asynchronousIds, ...nothing };
  if (metrics.length > 0) return { ...driven, observer: new MetricsObserver(instances, metrics) };
  if (!isSaved) progress.line(`  "${name}" does not save its executions: without --metrics-url none is counted`);
  const after = await api.newestExecution(id);
  return { ...driven, observer: new ExecutionsObserver(instances[0]!, api, [id], after) };
}

function describeDeployment(
  plan: Plan,
  { api, redis, postgres }: Target,
  record: Prepared['record'],
  progress: Progress,
  { ids, asynchronousIds, observer, token, builtIn, remove }: Driven,
): Deployment {
  const lifecycle = new Lifecycle(remove);
  return {
    record: { ...record, limits: LIMITS, ...(builtIn.length > 0 && { builtIn }) },
    access: {
      endpoints: [api.url],
      token,
      ...(!isHere(api.url) && { generatorPlace: 'elsewhere' as const }),
      ...(builtIn.length > 0 && { scriptEnv: { BUILT_IN: builtIn.join(',') } }),
    },
    sources: {
      observer,
      workflowIds: new Set(ids),
      ...(asynchronousIds && { asynchronousIds }),
      ...(redis && { queue: new QueueWatch(redis) }),
      ...(postgres && { database: createPostgresWatch(postgres, progress) }),
    },
    events: lifecycle.events,
    ready: () => lifecycle.ready(() => untilServed(api.url, webhooksOf(plan), progress.signal)),
    teardown: lifecycle.teardown,
  };
}

const LIMITS = { enforced: false, detail: 'existing n8n, limits unknown' };

function refuse({ loads, values, guard, port }: Plan): void {
  const given = [...new Set(valuesFlags(values).map(([flag]) => flag))];
  if (given.length > 0)
    throw new UsageError(
      `${given.join(', ')}: --provisioner existing deploys no chart; omit ${given.length > 1 ? 'them' : 'it'}.`,
    );
  if (port !== undefined)
    throw new UsageError('--port: --provisioner existing deploys nothing; put the port into --url.');
  if (!guard)
    throw new UsageError(
      '--max-rate is missing: set the highest load that the existing n8n may get, as --max-rate 10/s.',
    );
  const custom = loads[0]?.custom;
  if (custom && custom.subWorkflows.length > 0)
    throw new UsageError(
      '--sub-workflow: an existing n8n assigns new ids to workflows; use a workflow without sub-workflows, or --provisioner process.',
    );
  if (custom?.path.startsWith(`/webhook/${custom.id}/`))
    throw new UsageError(
      `--workflow ${custom.file}: its Webhook node has no webhookId; save it in n8n's editor once, and export it again.`,
    );
}

const readImports = ({ loads }: Plan, token: string, version: string | undefined): Promise<Imports> =>
  loads[0]!.custom
    ? Promise.resolve(readCustom(loads[0]!.custom))
    : loadTargets([...new Set(loads.flatMap(names))], token, version);

const names = ({ parts }: LoadPlan) => parts.map(({ workload }) => workload);

const webhooksOf = ({ loads }: Plan): ProbedWebhook[] =>
  loads.flatMap((load): ProbedWebhook[] => {
    const webhook = load.custom ?? load.served;
    return webhook
      ? [{ path: webhook.path.replace(/\?.*$/, ''), method: webhook.method }]
      : names(load).map((name) => ({ path: findWorkload(name).path }));
  });

async function untilServed(url: string, webhooks: ProbedWebhook[], signal: AbortSignal): Promise<void> {
  for (const webhook of webhooks)
    if (!(await waitUntil(() => isRegistered(url, webhook), { seconds: READY_SECONDS, everyMs: 500, signal })))
      throw new NotReady(
        withoutSecrets(`${url}${webhook.path}`),
        `is not served ${READY_SECONDS} s after its activation`,
      );
}

/** One instance for each metrics URL; without any, one for all of n8n. */
const instancesOf = (metrics: string[]): Instance[] =>
  (metrics.length > 0 ? metrics : ['']).map((_, i) => ({
    name: metrics.length > 1 ? `n8n-${i + 1}` : 'n8n',
    component: 'main',
    limits: {},
  }));

const recordOf = ({ metrics, redis, postgres }: Target): Prepared['record'] => ({
  provisioner: 'existing',
  mode: redis ? 'queue' : 'unknown',
  process: 'unknown',
  database: postgres ? 'postgresdb' : 'unknown',
  instances: instancesOf(metrics),
});

/** Whether k6 and n8n share this machine, judging by the address. */
const isHere = (url: string): boolean => isLoopback(url) || new URL(url).hostname === 'localhost';
