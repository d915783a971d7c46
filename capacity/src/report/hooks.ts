import type { HooksLook } from '../model/run.js';

/** The chart's hooks in a line: `12 active; inactive: keep-input (this n8n differs from those that it was run on)`. */
export function hooksText({ active, inactive }: HooksLook): string {
  const bound = `${active.length} active: ${active.join(', ')}`;
  if (inactive.length === 0) return bound;
  return `${bound}; inactive, because this n8n differs from what they expect: ${inactive.join(', ')}`;
}
