import type { Inside } from '../model/sample.js';
import type { N8nMetrics } from '../model/deployment.js';
import http from 'node:http';
import https from 'node:https';
import parsePrometheus from 'parse-prometheus-text-format';

interface Family {
  name: string;
  metrics: { value: string; labels?: Record<string, string> }[];
}

/** Families of n8n's /metrics that are read. */
const FAMILIES = {
  started: 'n8n_workflow_started_total',
  succeeded: 'n8n_workflow_success_total',
  failed: 'n8n_workflow_failed_total',
  heapUsedBytes: 'n8n_nodejs_heap_size_used_bytes',
  eventLoopLagP99Seconds: 'n8n_nodejs_eventloop_lag_p99_seconds',
  cpuSeconds: 'n8n_process_cpu_seconds_total',
  rssBytes: 'n8n_process_resident_memory_bytes',
  jobsWaiting: 'n8n_scaling_mode_queue_jobs_waiting',
  jobsActive: 'n8n_scaling_mode_queue_jobs_active',
  poolActive: 'n8n_db_pool_connections_active',
  poolSize: 'n8n_db_pool_connections_max',
  poolPending: 'n8n_db_pool_requests_pending',
  admissionUnderWay: 'n8n_admission_requests_under_way',
  admissionWaiting: 'n8n_admission_requests_waiting',
  admissionLimit: 'n8n_admission_requests_limit',
  admissionAdaptive: 'n8n_admission_concurrency_limit',
  admissionRefused: 'n8n_admission_refused_total',
  gc: 'n8n_nodejs_gc_duration_seconds_sum',
  connections: 'n8n_db_pool_acquire_seconds_count',
  connectionSeconds: 'n8n_db_pool_acquire_seconds_sum',
  isolates: 'n8n_expression_pool_acquired_total',
  coldIsolates: 'n8n_expression_pool_cold_start_sync_total',
  coldIsolateSeconds: 'n8n_expression_pool_cold_start_sync_duration_seconds_sum',
  startedAt: 'n8n_process_start_time_seconds',
  version: 'n8n_version_info',
  hooks: 'n8n_tuned_hook_active',
} as const;
type FamilyKey = keyof typeof FAMILIES;

/** Matches the lines of these families. Parsing the other 25 kB of a page would dominate the cost of a sample. */
const READ_LINES = new RegExp(String.raw`^(?:# TYPE )?(?:${Object.values(FAMILIES).join('|')})\b.*$`, 'gm');

/** Reads the Prometheus text of n8n's /metrics. */
export function parseMetrics(text: string): N8nMetrics {
  const lines = (text.match(READ_LINES) ?? []).map((line) => `${line}\n`);
  const families = new Map((parsePrometheus(lines.join('')) as Family[]).map((f) => [f.name, f.metrics]));
  const series = (key: FamilyKey) => families.get(FAMILIES[key]) ?? [];
  const byWorkflow = (key: FamilyKey) => {
    const sums = new Map<string, number>();
    for (const { value, labels } of series(key)) {
      const id = labels?.workflow_id ?? '';
      sums.set(id, (sums.get(id) ?? 0) + Number(value));
    }
    return sums;
  };
  const gauge = (key: FamilyKey) => {
    const value = Number(series(key)[0]?.value);
    return Number.isFinite(value) ? value : undefined;
  };
  const inside = readInside(gauge, series('gc'));
  const version = series('version')[0]?.labels?.version?.replace(/^v/, '');
  const heapUsedBytes = gauge('heapUsedBytes');
  const lag = gauge('eventLoopLagP99Seconds');
  const [cpuSeconds, rssBytes] = [gauge('cpuSeconds'), gauge('rssBytes')];
  const startedAt = gauge('startedAt');
  const [waiting, active] = [gauge('jobsWaiting'), gauge('jobsActive')];
  const pool = { active: gauge('poolActive'), size: gauge('poolSize'), pending: gauge('poolPending') };
  const admission = {
    underWay: gauge('admissionUnderWay'),
    waiting: gauge('admissionWaiting'),
    limit: gauge('admissionLimit'),
    refused: sumSeries(series('admissionRefused')),
  };
  const adaptive = gauge('admissionAdaptive');
  const hooks = series('hooks').map(({ value, labels }) => [labels?.hook ?? '', Number(value) === 1] as const);
  return {
    counting: families.has(FAMILIES.started),
    started: byWorkflow('started'),
    succeeded: byWorkflow('succeeded'),
    failed: byWorkflow('failed'),
    ...(heapUsedBytes !== undefined && { heapUsedBytes }),
    ...(lag !== undefined && { eventLoopLagP99Seconds: lag }),
    ...(cpuSeconds !== undefined && rssBytes !== undefined && { process: { cpuSeconds, rssBytes } }),
    ...(waiting !== undefined && active !== undefined && { queue: { waiting, active } }),
    ...(hasAllValues(pool) && { pool }),
    ...(hasAllValues(admission) && { admission: { ...admission, ...(adaptive !== undefined && { adaptive }) } }),
    ...(Object.keys(inside).length > 0 && { inside }),
    ...(hooks.length > 0 && { hooks: new Map(hooks) }),
    ...(startedAt !== undefined && { startedAtMs: startedAt * 1000 }),
    ...(version !== undefined && { version }),
  };
}

const INSIDE_COUNTERS = ['connections', 'connectionSeconds', 'isolates', 'coldIsolates', 'coldIsolateSeconds'] as const;

function readInside(value: (key: FamilyKey) => number | undefined, gc: Family['metrics']): Inside {
  const inside: Inside = {};
  for (const key of INSIDE_COUNTERS) {
    const counted = value(key);
    if (counted !== undefined) inside[key] = counted;
  }
  if (gc.length === 0) return inside;
  const major = gc.filter(({ labels }) => labels?.kind === 'major' || labels?.kind === 'incremental');
  return { ...inside, gcSeconds: sumSeries(gc), majorGcSeconds: sumSeries(major) };
}

/** The sum of a family's series. */
const sumSeries = (of: Family['metrics']): number => of.reduce((sum, m) => sum + Number(m.value), 0);

const hasAllValues = <Key extends string>(read: Record<Key, number | undefined>): read is Record<Key, number> =>
  Object.values(read).every((value) => value !== undefined);

/**
 * Fetches and reads one process's metrics; undefined if it has none or does not answer in time. Does not use `fetch`, which
 * takes more than twice the CPU time and, on Node 20, has lost the signal and hung.
 */
export async function fetchMetrics(url: string | undefined, timeoutMs: number): Promise<N8nMetrics | undefined> {
  if (url === undefined) return undefined;
  const page = await fetchPage(url, timeoutMs).catch(() => undefined);
  return page && { ...parseMetrics(page.text), ...(page.atMs > 0 && { answeredAtMs: page.atMs }) };
}

/** A page, and the time of the answer by the server's clock; NaN without a Date header. Undefined without a page. */
function fetchPage(url: string, timeoutMs: number): Promise<{ text: string; atMs: number } | undefined> {
  return new Promise((resolve) => {
    const { get } = url.startsWith('https:') ? https : http;
    const request = get(url, { signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      let text = '';
      const atMs = Date.parse(response.headers.date ?? '');
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => resolve(response.statusCode === 200 ? { text, atMs } : undefined));
      response.on('error', () => resolve(undefined));
    });
    request.on('error', () => resolve(undefined));
  });
}
