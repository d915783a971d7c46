/** A row of k6's CSV output: the metric, its time in microseconds, its value, and further columns. */
const ROW = /^([a-z_0-9]+),(\d{10,}),([^,]*),/;
const HEADER = /^metric_name,timestamp,metric_value,/;
const MICROSECONDS = 1_000_000;
/** Metrics of lines that are not copied: none for a line that is not a sample, and virtual users, which are summed. */
const SKIPPED_METRICS = new Set([undefined, 'vus']);

/** The number of iterations in k6's summary. */
const ITERATIONS = /^\s*iterations\.*: (\d+)\s/m;

/**
 * Merges the outputs of several k6 pods that shared the arrivals of one step. The virtual users of all pods are summed for each
 * second. Lines that are not samples, such as messages of k6, are dropped.
 */
export function mergeSamples(outputs: string[]): string {
  const header = outputs.flatMap((o) => o.split('\n').filter((line) => HEADER.test(line)))[0];
  const rows: string[] = [];
  const users = new Map<number, number>();
  for (const output of outputs) {
    for (const [second, value] of peakUsersBySecond(output)) users.set(second, (users.get(second) ?? 0) + value);
    for (const line of output.split('\n')) if (!SKIPPED_METRICS.has(metricOf(line))) rows.push(line);
  }
  const width = (header ?? '').split(',').length;
  for (const [second, value] of [...users].sort(([a], [b]) => a - b))
    rows.push(
      ['vus', second * MICROSECONDS, value.toFixed(6), ...Array<string>(Math.max(0, width - 3)).fill('')].join(','),
    );
  return header === undefined ? '' : `${[header, ...rows].join('\n')}\n`;
}

/**
 * Whether an output is complete: it has as many rows of iterations as its summary counts. The log of a pod may be truncated, and
 * missing rows must not look like load that was never sent.
 */
export function isCompleteOutput(output: string): boolean {
  const counted = Number(ITERATIONS.exec(output)?.[1] ?? Number.NaN);
  return counted === output.split('\n').filter((line) => metricOf(line) === 'iterations').length;
}

const metricOf = (line: string): string | undefined => ROW.exec(line)?.[1];

/** Highest number of virtual users in each second of one output. */
function peakUsersBySecond(output: string): Map<number, number> {
  const most = new Map<number, number>();
  for (const line of output.split('\n')) {
    const [, metric, time, value] = ROW.exec(line) ?? [];
    if (metric !== 'vus') continue;
    const second = Math.floor(Number(time) / MICROSECONDS);
    most.set(second, Math.max(most.get(second) ?? 0, Number(value)));
  }
  return most;
}
