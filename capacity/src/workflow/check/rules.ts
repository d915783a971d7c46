import type { Rule } from './rule.js';
import { expressions } from './rules/expressions.js';
import { binary } from './rules/files.js';
import { codeEachItem, loop, subWorkflowWaits } from './rules/items.js';
import { noErrorWorkflow, noTimeout, savesProgress } from './rules/settings.js';
import { longWait, shortWait } from './rules/waits.js';
import { holdsRequest, triggerIsolate, webhookExpression, webhookVersion } from './rules/webhook.js';

/** All rules; a new one is added here, to docs/check.md, and where it costs capacity to the examples of bench:check. */
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
