import parsePrometheus from 'parse-prometheus-text-format';

/** What is read from one n8n process's /metrics. */
export interface N8nMetrics {
  /** Whether it counts executions at all: the series are absent before the first one, and when metrics are set otherwise. */
  counting: boolean;
  /** Executions that have ended, by workflow id; the id is empty where that n8n has no such label (0.x). */
  succeeded: Map<string, number>;
  failed: Map<string, number>;
  heapUsedBytes?: number;
  eventLoopLagP99Seconds?: number;
}

interface Family {
  name: string;
  metrics: { value: string; labels?: Record<string, string> }[];
}

/** Reads the Prometheus text of n8n's /metrics. */
export function parseMetrics(text: string): N8nMetrics {
  const families = new Map((parsePrometheus(text) as Family[]).map((f) => [f.name, f]));
  const byWorkflow = (name: string) => {
    const sums = new Map<string, number>();
    for (const { value, labels } of families.get(name)?.metrics ?? []) {
      const id = labels?.workflow_id ?? '';
      sums.set(id, (sums.get(id) ?? 0) + Number(value));
    }
    return sums;
  };
  const gauge = (name: string) => {
    const value = families.get(name)?.metrics[0]?.value;
    return value === undefined ? undefined : Number(value);
  };
  const heapUsedBytes = gauge('n8n_nodejs_heap_size_used_bytes');
  const lag = gauge('n8n_nodejs_eventloop_lag_p99_seconds');
  return {
    counting: families.has('n8n_workflow_started_total'),
    succeeded: byWorkflow('n8n_workflow_success_total'),
    failed: byWorkflow('n8n_workflow_failed_total'),
    ...(heapUsedBytes !== undefined && { heapUsedBytes }),
    ...(lag !== undefined && { eventLoopLagP99Seconds: lag }),
  };
}

/** Fetches and reads one process's metrics; undefined when it has none or does not answer in time. */
export async function fetchMetrics(url: string | undefined, timeoutMs: number): Promise<N8nMetrics | undefined> {
  if (url === undefined) return undefined;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    return response.ok ? parseMetrics(text) : undefined;
  } catch {
    return undefined;
  }
}
