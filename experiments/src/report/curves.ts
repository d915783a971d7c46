import type { MemoryPoint } from '../record/memory-csv.js';

/** The memory of one process, or the number of processes, over time. */
export interface Curve {
  role: string;
  data: [seconds: number, value: number][];
}

/** One memory curve per process. */
export function memoryCurves(points: MemoryPoint[]): Curve[] {
  return [...groupPoints(points, (p) => p.pid).values()].map((own) => ({
    role: own[0]!.role,
    data: own.map(({ at, mib }) => [at, Math.round(mib)]),
  }));
}

/** One curve with the number of processes over time. */
export function processCountCurve(points: MemoryPoint[]): Curve[] {
  const data = [...groupPoints(points, (p) => p.at)].map(([at, there]): [number, number] => [at, there.length]);
  return [{ role: 'processes', data }];
}

/** Groups points by a key, in the order in which keys first occur. */
export function groupPoints(points: MemoryPoint[], key: (point: MemoryPoint) => number): Map<number, MemoryPoint[]> {
  const groups = new Map<number, MemoryPoint[]>();
  for (const point of points) {
    const group = groups.get(key(point));
    if (group) group.push(point);
    else groups.set(key(point), [point]);
  }
  return groups;
}
