import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  catalogue,
  duration as seconds,
  mergedMaps,
  planFromOptions,
  translateDimensions,
  UsageError,
  nestValues,
  type DimensionValue,
  type Plan,
  type Settings,
} from 'n8n-capacity';
import { stringify } from 'yaml';
import { ARRANGEMENTS, countProcessTrees, type Arrangement } from '../arrangement/arrangement.js';
import type { ControlServer } from '../control/processes.js';
import type { Cell } from '../spec/cells.js';
import { MANIFESTS_VARIABLE, findManifests, OWN_CHART } from '../spec/manifests.js';
import { experimentWorkflowFile } from '../spec/webhook.js';

/** The arrangement and the number of the processes that serve requests. */
export interface Processes {
  arrangement: Arrangement;
  processes: number;
  /** The control server, for cells that run on one. */
  server: ControlServer;
}

/** Names of the dimensions that are not values of the chart. */
const NON_CHART_DIMENSIONS = ['run', 'workload', 'server', 'arrangement', 'proxy', 'connections', 'times', 'chart'];
/** Number of processes in every arrangement but `one`: the cores of the smallest supported machine. */
const SEVERAL_PROCESSES = 2;
/** Environment variables by heap dimension. The value `chart` keeps the chart's rule, `unset` sets no limit, a number is in MiB. */
const HEAP_VARIABLES: Record<string, string> = {
  nodeHeap: 'NODE_OPTIONS',
  runnerHeap: 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE',
};

/** Values without the chart's overload protection, unless a part enables it: experiments show the capacity of n8n itself. */
const UNPROTECTED = { overload: { enabled: false } };

/** The arrangement that a cell asks for; one process by default. */
export function requestedProcesses({ of }: Pick<Cell, 'of'>): Processes {
  const arrangement = ARRANGEMENTS.find((a) => a === (of.arrangement ?? 'one'));
  if (!arrangement)
    throw new UsageError(
      `arrangement ${String(of.arrangement)}: does not exist; use one of ${ARRANGEMENTS.join(', ')}.`,
    );
  const server = of.server ?? 'bare';
  if (server !== 'bare' && server !== 'express')
    throw new UsageError(`server ${String(server)}: does not exist; use bare or express.`);
  return { arrangement, server, processes: arrangement === 'one' ? 1 : SEVERAL_PROCESSES };
}

/**
 * The options that deploy a cell: values of this chart, or manifests of another chart.
 * @throws UsageError when the manifests are missing
 */
function deploymentOptions(
  { of: { chart = OWN_CHART }, part }: Cell,
  values: string,
): Pick<Parameters<typeof planFromOptions>[0], 'values' | 'manifests' | 'n8n'> {
  if (part.on === 'control') return {};
  if (chart === OWN_CHART) return { values: [values] };
  const manifests = findManifests(part, { chart });
  if (manifests === undefined)
    throw new UsageError(
      `chart ${String(chart)}: set ${MANIFESTS_VARIABLE} to a folder that contains ${String(chart)}.yaml, the output of "helm template".`,
    );
  return { manifests: manifests.file, ...(part.n8n !== undefined && { n8n: part.n8n }) };
}

/** The chart values of a cell. */
export function cellValues({ part, of }: Cell): Record<string, unknown> {
  const queries = listQueryNames();
  const mode = (part.values as { executions?: { mode?: string } }).executions?.mode ?? 'regular';
  const chart = Object.fromEntries(
    Object.entries(of).filter(
      ([name]) => !NON_CHART_DIMENSIONS.includes(name) && !(name in HEAP_VARIABLES) && !queries.has(name),
    ),
  );
  const settings: Settings = { ...translateDimensions(chart, mode), ...webhookReplicas({ of }, mode) };
  const version = part.n8n === undefined ? {} : { image: { tag: part.n8n } };
  return mergedMaps(
    mergedMaps(mergedMaps({ ...UNPROTECTED, ...version }, part.values), nestValues(settings)),
    heapValues(of),
  );
}

/**
 * Creates the plan of a cell from the options of `validate`. Writes the chart values into `folder`.
 * @throws UsageError when the cell names something that does not exist
 */
export async function cellPlan(cell: Cell, folder: string): Promise<Plan> {
  const { load } = cell.part;
  const file = join(folder, 'values.given.yaml');
  await writeFile(file, stringify(cellValues(cell)));
  const named = String(cell.of.workload ?? load.workload ?? '');
  const workflow = load.workflow ?? experimentWorkflowFile(named);
  const driven = workflow === undefined ? named : '';
  const query = { ...load.query, ...cellQuery(cell.of) };
  const webhook = load.webhook && `${load.webhook}${formatQuery(query)}`;
  const clients = countClients(cell);
  const plan = planFromOptions({
    ...deploymentOptions(cell, file),
    ...(driven && { workload: [driven], query: Object.entries(query).map(([name, value]) => `${name}=${value}`) }),
    ...(workflow !== undefined && { workflow, allowSideEffects: true }),
    ...(webhook !== undefined && { webhook }),
    ...(load.executionTime !== undefined && { executionTime: load.executionTime }),
    ...(clients !== undefined && { clients: String(clients) }),
    ...(load.rate !== undefined && { rates: load.rate }),
    slo: overloadMultiple(cell) === undefined ? 'p99=60s,errors=1%' : RECOVERY_SLO,
    stepDuration: cell.duration,
    warmup: load.warmup,
    drain: load.drain,
    timeout: load.timeout,
  });
  const { hold } = load;
  const overload = overloadMultiple(cell);
  return {
    ...plan,
    ...(overload !== undefined &&
      clients !== undefined && { overload: true, rates: { kind: 'closed', clients, overload } }),
    scriptEnv: { ...plan.scriptEnv, PAUSE: String(load.pause), ...connectionEnvironment(cell) },
    ...(hold !== undefined && {
      stepSeconds: EXECUTIONS_PER_TRY * seconds(hold, 'hold'),
      rates: {
        kind: 'payload-limit',
        concurrency: [1],
        minMiB: PAYLOAD_RUNGS[0]!,
        maxMiB: PAYLOAD_RUNGS.at(-1)!,
        rungs: PAYLOAD_RUNGS,
      },
    }),
  };
}

/** Objective that answers must meet after an overload to be back to normal. */
const RECOVERY_SLO = 'p95=800ms,p99=2s,errors=1%';

/** The overload of a cell as a multiple of its capacity; undefined without one. */
const overloadMultiple = ({ of: { times } }: Cell): number | undefined =>
  times === undefined ? undefined : Number(times);

/** The environment of k6: it keeps its connections unless the cell asks for a new one per request. */
function connectionEnvironment({ of, part: { load } }: Cell): Record<string, string> {
  return (of.connections ?? load.connections) === 'new' ? { K6_NO_CONNECTION_REUSE: 'true' } : {};
}

/** Number of clients in the closed model; undefined in the open model. */
function countClients({ of, part: { load } }: Cell): number | undefined {
  if (load.hold !== undefined) return 1;
  if (load.clientsPerSlot !== undefined)
    return Math.ceil(load.clientsPerSlot * Number(of.workers ?? 1) * Number(of.concurrency ?? 10));
  return load.clients;
}

/** Payloads in MiB, tried in this order until one breaks. */
const PAYLOAD_RUNGS = [64, 128, 256, 384, 512, 768, 1024];
/** Executions per try: the first fills the heap, the next ones start with a heap full of garbage. */
const EXECUTIONS_PER_TRY = 3;

function heapValues(of: Record<string, DimensionValue>): Record<string, unknown> {
  const names = Object.keys(HEAP_VARIABLES).filter((name) => of[name] !== undefined && of[name] !== 'chart');
  if (names.length === 0) return {};
  const extraEnv = names
    .filter((name) => of[name] !== 'unset')
    .map((name) => {
      const heap = String(of[name]);
      return { name: HEAP_VARIABLES[name]!, value: name === 'nodeHeap' ? `--max-old-space-size=${heap}` : heap };
    });
  return { heap: { enabled: false }, extraEnv };
}

/** One pod per webhook processor; processors that share a port are one pod. */
function webhookReplicas({ of }: Pick<Cell, 'of'>, mode: string): Settings {
  if (of.arrangement === undefined || mode !== 'queue') return {};
  return { 'webhook.replicas': countProcessTrees(requestedProcesses({ of })) };
}

const listQueryNames = () => new Set([...catalogue().values()].flatMap(({ query }) => Object.keys(query)));

function cellQuery(of: Record<string, DimensionValue>): Record<string, string> {
  const names = listQueryNames();
  return Object.fromEntries(
    Object.entries(of).flatMap(([name, value]) => (names.has(name) ? [[name, String(value)]] : [])),
  );
}

const formatQuery = (query: Record<string, string>) => {
  const text = new URLSearchParams(query).toString();
  return text && `?${text}`;
};
