import { parse } from 'csv-parse/sync';

/** Resident memory of one process at one moment. */
export interface MemoryPoint {
  /** Seconds since the watch began. */
  at: number;
  pid: number;
  role: string;
  mib: number;
}

/** Points per curve, at most. */
const MAX_POINTS = 120;

/** CSV of each process's memory over time, thinned out evenly: `seconds,pid,process,mib`. */
export function memoryCsv(points: MemoryPoint[]): string {
  const times = [...new Set(points.map((p) => p.at))];
  const step = Math.max(1, Math.ceil(times.length / MAX_POINTS));
  const kept = new Set(times.filter((_, i) => i % step === 0));
  const lines = points
    .filter((p) => kept.has(p.at))
    .map(({ at, pid, role, mib }) => `${at},${pid},${role},${mib.toFixed(1)}`);
  return ['seconds,pid,process,mib', ...lines, ''].join('\n');
}

/** Joins the CSV of all cells; each line begins with the cell's id. */
export function joinMemoryCsv(parts: { cell: string; csv: string }[]): string {
  const lines = parts.flatMap(({ cell, csv }) =>
    csv
      .split('\n')
      .slice(1)
      .filter(Boolean)
      .map((line) => `${cell},${line}`),
  );
  return ['cell,seconds,pid,process,mib', ...lines, ''].join('\n');
}

/** Reads the points of each cell from the output of `joinCsv`. */
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
