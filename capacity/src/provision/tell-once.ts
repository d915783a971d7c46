import type { Progress } from '../core/progress.js';

/** Notes that a user has seen: most are the same for all deployments of a sweep. */
const told = new WeakMap<Progress, Set<string>>();

/** Prints those that this progress has not printed before. */
export function tellOnce(notes: string[], progress: Progress): void {
  const before = told.get(progress) ?? new Set();
  for (const note of notes) if (!before.has(note)) progress.line(`  ${note}`);
  told.set(progress, new Set([...before, ...notes]));
}
