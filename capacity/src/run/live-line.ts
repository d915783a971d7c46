import { toMebibytes } from '../core/formats.js';
import type { LoadPlan } from '../model/plan.js';
import type { Sample } from '../model/sample.js';
import type { StepAt } from './context.js';

/**
 * The moving line of a step: its load, executions that have ended, memory of each instance, time left.
 * @param leftMs milliseconds until the measured part ends; below 0 when it is overdue
 */
export function liveLine(last: Sample | undefined, load: LoadPlan, at: StepAt, leftMs: number): string {
  const memory = last?.instances.map((i) => `${i.name.replace(/^n8n-tuned-/, '')} ${toMebibytes(i.rssBytes)} MiB`);
  const ended = last?.executions ? `, ${last.executions.succeeded} executions ended` : '';
  const held = memory && memory.length > 0 ? ` (${memory.join(', ')})` : '';
  return `${load.name} at ${askedFor(at)}${ended}${held}, ${timeLeft(leftMs)}`;
}

function askedFor(at: StepAt): string {
  if ('rate' in at) return `${at.rate}/s`;
  return 'phases' in at ? at.phases.map((phase) => `${phase.rate}/s`).join(', ') : `${at.clients} clients`;
}

/** `1 h 5 min left`, `40 s left`. */
function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 0) return 'waiting for the last answers';
  if (seconds <= 60) return `${seconds} s left`;
  const minutes = Math.ceil(seconds / 60);
  return minutes > 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min left` : `${minutes} min left`;
}
