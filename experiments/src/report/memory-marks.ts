import type { MemoryPoint } from '../record/memory-csv.js';
import type { CellRecord } from '../record/schema.js';
import type { ExperimentPart } from '../spec/schema.js';
import { groupPoints, type Curve } from './curves.js';

export const DEATH_COLOUR = '#b2182b';
const [CONTAINER, HEAP] = ['#b2182b', '#8856a7'];

/** The death of a process, at the end of its curve. */
interface Death {
  at: number;
  value: number;
  /** `OOMKilled`, `V8HeapLimit`, …; in a search for the largest payload, followed by the payload that broke it. */
  reason: string;
}

interface Limit {
  name: string;
  mib: number;
  color: string;
}

/** The marks drawn over the curves of a panel. */
export interface Marks {
  deaths: Death[];
  limits: Limit[];
}

/**
 * Deaths of n8n's processes. Events are timed from the first sample, but curves from the start of the watch. So the n-th death of
 * a role is placed at the end of the n-th curve of that role.
 */
export function findDeaths({ events, payload }: CellRecord, points: MemoryPoint[], curves: Curve[]): Death[] {
  const seen = new Map<string, number>();
  return events.flatMap(({ kind, instance, reason }): Death[] => {
    const role = kind === 'runner-died' ? 'task runner' : kind === 'died' ? instanceRole(instance) : undefined;
    if (role === undefined) return [];
    const n = seen.get(role) ?? 0;
    seen.set(role, n + 1);
    const last = lastPoints(points, role)[n];
    if (!last) return [];
    const own = curves.find((curve) => curve.role === role || curve.role === 'processes');
    const value = own?.role === 'processes' ? countAt(own, last.at) : last.mib;
    const name = reason ?? (kind === 'runner-died' ? 'runner died' : 'Crash');
    return [{ at: last.at, value, reason: `${name}${brokenPayloadText(payload)}` }];
  });
}

/** Instances are named `<release>-<component>-<number>`. */
const instanceRole = (instance: string): string | undefined => /-(main|worker|webhook)-\d+$/.exec(instance)?.[1];

const brokenPayloadText = (payload: CellRecord['payload']): string =>
  payload?.brokeMb ? ` at ${payload.brokeMb} MB` : '';

/**
 * The last points of the processes of a role, in order of time. Processes that ended at the same time count once, because a forked
 * process has the command line of its parent for a moment.
 */
function lastPoints(points: MemoryPoint[], role: string): MemoryPoint[] {
  const ends = [
    ...groupPoints(
      points.filter((p) => p.role === role),
      (p) => p.pid,
    ).values(),
  ]
    .map((own) => own.at(-1)!)
    .sort((a, b) => a.at - b.at || b.mib - a.mib);
  return ends.filter((end, i) => end.at !== ends[i - 1]?.at);
}

const countAt = ({ data }: Curve, at: number): number => data.find(([time]) => time === at)?.[1] ?? 0;

/** The memory limit of the container, and the heap limit that the cell sets. */
export function memoryLimits({ part, of }: CellRecord, parts: ExperimentPart[]): Limit[] {
  const values = parts.find((p) => p.part === part)?.values as
    { main?: { resources?: { limits?: { memory?: string } } } } | undefined;
  const container = parseMebibytes(of.memory ?? values?.main?.resources?.limits?.memory);
  const heap = Number(of.nodeHeap ?? of.runnerHeap);
  return [
    ...(container === undefined ? [] : [{ name: 'container', mib: container, color: CONTAINER }]),
    ...(Number.isFinite(heap)
      ? [{ name: of.nodeHeap === undefined ? 'heap (runner)' : 'heap', mib: heap, color: HEAP }]
      : []),
  ];
}

function parseMebibytes(quantity: unknown): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(Mi|Gi)$/.exec(String(quantity)) ?? [];
  return amount === undefined ? undefined : Number(amount) * (unit === 'Gi' ? 1024 : 1);
}

/** The deaths of a panel as text, as `3 × OOMKilled`; empty if there were none. */
export function describeDeaths({ deaths }: Marks): string {
  const reasons = [...new Set(deaths.map(({ reason }) => reason))];
  return reasons
    .map((reason) => {
      const count = deaths.filter((death) => death.reason === reason).length;
      return count > 1 ? `${count} × ${reason}` : reason;
    })
    .join(', ');
}

/** An empty series with the lines of the limits and a cross for each death. */
export const marksSeries = ({ deaths, limits }: Marks, panel: number) => ({
  type: 'line' as const,
  data: [],
  xAxisIndex: panel,
  yAxisIndex: panel,
  markLine: {
    silent: true,
    symbol: 'none',
    data: limits.map(({ name, mib, color }) => ({
      yAxis: mib,
      lineStyle: { type: 'dashed' as const, width: 1, color },
      label: { formatter: `${name} ${mib}`, position: 'insideEndTop' as const, color, fontSize: 9, distance: 2 },
    })),
  },
  markPoint: {
    silent: true,
    symbol: CROSS,
    symbolSize: 9,
    itemStyle: { color: DEATH_COLOUR },
    label: { show: false },
    data: deaths.map(({ at, value, reason }) => ({ name: reason, coord: [at, value] })),
  },
});

/** SVG path of a diagonal cross. */
const CROSS = 'path://M0,2 L2,0 L6,4 L10,0 L12,2 L8,6 L12,10 L10,12 L6,8 L2,12 L0,10 L4,6 Z';
