import { median } from 'simple-statistics';
import type { DeploymentRecord } from '../../model/run.js';
import type { InstanceSample, Sample } from '../../model/sample.js';
import { insideBetween, type InsideUse } from '../../observe/inside.js';
import type { Usage } from '../../observe/usage.js';

type Instance = DeploymentRecord['instances'][number];

/** One instance in a step. */
export interface Observed extends Pick<Instance, 'name' | 'component' | 'heapMiB'> {
  /** Its limits that were enforced; another one limits nothing. */
  limits: Instance['limits'];
  /** Undefined where its processes could not be seen. */
  used?: Usage;
  inside: InsideUse;
  /** 99th percentile of the event loop's lag in seconds, median over the step. */
  lag?: number;
  seen: InstanceSample[];
  /** Whether its main thread waits for SQLite's one writer. */
  waitsForSqlite: boolean;
}

/** Puts together what the samples of a step show of an instance. */
export function observe(
  { name, component, heapMiB, limits }: Instance,
  { database, limits: { enforced } }: Pick<DeploymentRecord, 'database' | 'limits'>,
  window: Sample[],
  usage: ReadonlyMap<string, Usage>,
): Observed {
  const all = window.flatMap((s) => s.instances.filter((i) => i.name === name));
  const isTree = all.some((i) => i.processes > 0);
  const seen = all.filter((i) => i.processes > 0 || i.ownCpuSeconds !== undefined);
  const lags = seen.flatMap((i) => i.eventLoopLagP99Seconds ?? []);
  const used = usage.get(name);
  return {
    name,
    component,
    ...(heapMiB !== undefined && { heapMiB }),
    limits: enforced ? limits : {},
    ...(isTree && used && { used }),
    inside: insideBetween(window, name, window[0]?.at ?? 0, window.at(-1)?.at ?? 0),
    ...(lags.length > 0 && { lag: median(lags) }),
    seen,
    waitsForSqlite: database === 'sqlite' && component === 'main',
  };
}
