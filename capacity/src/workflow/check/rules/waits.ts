import type { WorkflowNode } from '../../file.js';
import { isOfType, readParameter, findPlaces, versionOf } from '../nodes.js';
import type { Rule } from '../rule.js';

/** Seconds from which on a wait is written to the database (Wait.node.ts). */
const SAVED_SECONDS = 65;
const UNITS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

export const longWait: Rule = {
  id: 'wait-database',
  title: 'Wait that goes to the database',
  cost: 'capacity',
  why: 'From 65 s on, and until a webhook or form resumes it, the execution is saved, removed from memory and loaded again. Main looks once a minute for those that are due.',
  change: 'Keep it: it frees memory meanwhile. A wait below 65 s, if that is enough, writes nothing to the database.',
  find: (workflow) => findPlaces(workflow, (node) => isOfType(node, 'wait') && describeSavedWait(node)),
};

export const shortWait: Rule = {
  id: 'wait-memory',
  title: 'Wait that stays in memory',
  cost: 'memory',
  why: 'Below 65 s the execution stays in memory, and occupies its slot of the concurrency in queue mode.',
  change:
    'Answer before it (Respond to Webhook), or wait 65 s or longer. Include its time when you choose worker.concurrency.',
  find: (workflow) =>
    findPlaces(
      workflow,
      (node) =>
        isOfType(node, 'wait') && describeSavedWait(node) === undefined && (hasExpression(node) ? COMPUTED : true),
    ),
};

const COMPUTED = 'if its expression gives less than 65 s';
const hasExpression = (node: WorkflowNode): boolean =>
  [readParameter(node, 'amount'), readParameter(node, 'unit')].some(
    (value) => typeof value === 'string' && value.startsWith('='),
  );

/** How a Wait node waits if its execution goes to the database; undefined if it stays in memory, or an expression decides. */
function describeSavedWait(node: WorkflowNode): string | undefined {
  const resume = readParameter(node, 'resume') ?? 'timeInterval';
  if (resume === 'webhook' || resume === 'form') return `until a ${resume} resumes it`;
  if (resume === 'specificTime') return 'until a given time';
  if (resume !== 'timeInterval') return 'until something resumes it';
  const amount = readParameter(node, 'amount') ?? (versionOf(node) > 1 ? 5 : 1);
  const unit = readParameter(node, 'unit') ?? (versionOf(node) > 1 ? 'seconds' : 'hours');
  // n8n reads a number in quotes as a number; an expression gives NaN.
  const number = Number(amount);
  if (!Number.isFinite(number) || typeof unit !== 'string') return undefined;
  return number * (UNITS[unit] ?? 1) >= SAVED_SECONDS ? `${number} ${unit}` : undefined;
}
