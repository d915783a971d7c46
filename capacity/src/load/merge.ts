/** A row of k6's CSV output: a metric, its time in microseconds, and the rest. */
const ROW = /^([a-z_0-9]+),(\d{10,}),([^,]*),/;
const HEADER = /^metric_name,timestamp,metric_value,/;
const MICROSECONDS = 1_000_000;
/** Lines that are no samples, and virtual users, which are added up. */
const NOT_COPIED = new Set([undefined, 'vus']);

/** What k6 says in its summary of the iterations that it has counted. */
const ITERATIONS = /^\s*iterations\.*: (\d+)\s/m;

/**
 * Puts together what several k6 have written of one step, each a part of its arrivals: rows of a pod stay in their order, in
 * which requests and their outcomes are paired; the virtual users of all pods in a second are added up. Lines that are no
 * samples, as k6's own messages, are left out.
 */
export function mergeSamples(outputs: string[]): string {
  const header = outputs.flatMap((o) => o.split('\n').filter((line) => HEADER.test(line)))[0];
  const rows: string[] = [];
  const users = new Map<number, number>();
  for (const output of outputs) {
    for (const [second, value] of usersBySecond(output)) users.set(second, (users.get(second) ?? 0) + value);
    for (const line of output.split('\n')) if (!NOT_COPIED.has(metricOf(line))) rows.push(line);
  }
  const width = (header ?? '').split(',').length;
  for (const [second, value] of [...users].sort(([a], [b]) => a - b))
    rows.push(
      ['vus', second * MICROSECONDS, value.toFixed(6), ...Array<string>(Math.max(0, width - 3)).fill('')].join(','),
    );
  return header === undefined ? '' : `${[header, ...rows].join('\n')}\n`;
}

/**
 * Whether an output has all that its k6 has counted: its rows of iterations are as many as its summary says. A log may have
 * been cut off, and what is missing must not pass for load that was never sent.
 */
export function isWhole(output: string): boolean {
  const counted = Number(ITERATIONS.exec(output)?.[1] ?? Number.NaN);
  return counted === output.split('\n').filter((line) => metricOf(line) === 'iterations').length;
}

const metricOf = (line: string): string | undefined => ROW.exec(line)?.[1];

/** Most virtual users of a pod in each second. */
function usersBySecond(output: string): Map<number, number> {
  const most = new Map<number, number>();
  for (const line of output.split('\n')) {
    const [, metric, time, value] = ROW.exec(line) ?? [];
    if (metric !== 'vus') continue;
    const second = Math.floor(Number(time) / MICROSECONDS);
    most.set(second, Math.max(most.get(second) ?? 0, Number(value)));
  }
  return most;
}
