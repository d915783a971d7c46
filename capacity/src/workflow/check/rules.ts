import type { Rule } from './rule.js';
import { expressions } from './rules/expressions.js';
import { binary } from './rules/files.js';
import { codeEachItem, loop, subWorkflowWaits } from './rules/items.js';
import { noErrorWorkflow, noTimeout, savesProgress } from './rules/settings.js';
import { longWait, shortWait } from './rules/waits.js';
import { holdsRequest, triggerIsolate, webhookExpression, webhookVersion } from './rules/webhook.js';

/** All rules. Add a new one here and to docs/check.md, and to the examples of bench:check if it costs capacity. */
export const RULES: Rule[] = [
  webhookVersion,
  webhookExpression,
  triggerIsolate,
  expressions,
  codeEachItem,
  subWorkflowWaits,
  loop,
  savesProgress,
  longWait,
  holdsRequest,
  shortWait,
  binary,
  noErrorWorkflow,
  noTimeout,
];
