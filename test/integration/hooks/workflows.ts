import type { Imports } from '../../../capacity/src/provision/n8n-import.js';

/** Id that n8n puts before a webhook path with a parameter. */
export const WEBHOOK_ID = '5f7d5b6e-8a4c-4f2c-9a0e-6f0b5c1d1970';
/** Path of a webhook that takes a body by POST and answers at once. */
export const WITH_BODY = '/webhook/with-body';

/** A workflow with only a webhook, in the node version that every n8n knows. */
const webhook = (id: string, path: string, httpMethod: string) => ({
  id,
  name: path,
  active: false,
  settings: {},
  connections: {},
  nodes: [
    {
      id: WEBHOOK_ID,
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 1,
      position: [240, 320] as [number, number],
      webhookId: WEBHOOK_ID,
      parameters: { path, httpMethod, responseMode: 'onReceived' },
    },
  ],
});

/** Workflows without authentication, because the deployment of a test listens only on loopback. */
export const workflows: Imports['workflows'] = [
  webhook('1970', 'orders/:id', 'GET'),
  webhook('1971', 'with-body', 'POST'),
];
