import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ValidateOptions } from '../../../../capacity/src/plan/options.js';
import { planFromOptions } from '../../../../capacity/src/plan/validate.js';

const folder = mkdtempSync(join(tmpdir(), 'custom-workflow-'));
let files = 0;
/** A file with this content, which is written as JSON unless it is text. */
export const file = (content: unknown, name = `${files++}.json`) => {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, name);
};

export const node = (type: string, parameters: object = {}, more: object = {}) => ({
  name: type,
  type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more,
});
export const hook = (parameters: object = {}, more: object = {}) =>
  node('webhook', { path: 'order', ...parameters }, { name: 'Webhook', webhookId: 'hook-id', ...more });
export const workflow = (nodes: object[], more: object = {}) => ({
  name: 'Order, new',
  nodes,
  connections: {},
  ...more,
});

export const defaults: ValidateOptions = { warmup: '3s', drain: '30s', timeout: '60s' };
export const planOf = (content: unknown, options: Partial<ValidateOptions> = {}) =>
  planFromOptions({ ...defaults, workflow: file(content), ...options });
export const loadOf = (content: unknown, options: Partial<ValidateOptions> = {}) => planOf(content, options).loads[0]!;
