import { parse } from 'csv-parse/sync';

/** Resident memory of one process at one time. */
export interface MemoryPoint {
  /** Seconds since the watch began. */
  at: number;
  pid: number;
  role: string;
  mib: number;
}

/** Most points of a curve. */
const MOST_POINTS = 120;

/** Memory of each process over time, thinned out evenly: `seconds,pid,process,mib`. */
export function memoryCsv(points: MemoryPoint[]): string {
  const times = [...new Set(points.map((p) => p.at))];
  const step = Math.max(1, Math.ceil(times.length / MOST_POINTS));
  const kept = new Set(times.filter((_, i) => i % step === 0));
  const lines = points
    .filter((p) => kept.has(p.at))
    .map(({ at, pid, role, mib }) => `${at},${pid},${role},${mib.toFixed(1)}`);
  return ['seconds,pid,process,mib', ...lines, ''].join('\n');
}

/** The curves of all cells in one text; each line begins with its cell. */
export function joinCsv(parts: { cell: string; csv: string }[]): string {
  const lines = parts.flatMap(({ cell, csv }) =>
    csv
      .split('\n')
      .slice(1)
      .filter(Boolean)
      .map((line) => `${cell},${line}`),
  );
  return ['cell,seconds,pid,process,mib', ...lines, ''].join('\n');
}

/** The points of each cell, from the text of `joinCsv`. */
export function readMemoryCsv(text: string): Map<string, MemoryPoint[]> {
  const rows = parse<Record<'cell' | 'seconds' | 'pid' | 'process' | 'mib', string>>(text, { columns: true });
  const cells = new Map<string, MemoryPoint[]>();
  for (const { cell, seconds, pid, process, mib } of rows) {
    const point = { at: Number(seconds), pid: Number(pid), role: process, mib: Number(mib) };
    const points = cells.get(cell);
    if (points) points.push(point);
    else cells.set(cell, [point]);
  }
  return cells;
}
