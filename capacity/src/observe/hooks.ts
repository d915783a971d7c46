import type { InstanceLook, Observer } from '../model/deployment.js';
import type { HooksLook } from '../model/run.js';

/** Milliseconds that a process may take to answer. */
const TIMEOUT_MS = 5000;

/** The chart's hooks in a deployment that is ready; undefined if no process reports any. */
export async function readHooks(observer: Observer): Promise<HooksLook | undefined> {
  const { instances } = await observer.look(TIMEOUT_MS);
  return mergeHooks(instances);
}

/** Merges the hooks of several processes. A hook that is inactive in one of them counts as inactive. */
export function mergeHooks(looks: Pick<InstanceLook, 'metrics'>[]): HooksLook | undefined {
  const isActive = new Map<string, boolean>();
  for (const { metrics } of looks)
    for (const [name, active] of metrics?.hooks ?? []) isActive.set(name, active && isActive.get(name) !== false);
  if (isActive.size === 0) return undefined;
  const named = (active: boolean) => [...isActive].flatMap(([name, is]) => (is === active ? [name] : [])).sort();
  return { active: named(true), inactive: named(false) };
}
