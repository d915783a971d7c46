import { WEBHOOK_TYPE } from '../../workflow/node-types.js';
import { CREDENTIAL } from '../../provision/load-targets.js';
import type { Imports } from '../../provision/n8n-import.js';
import type { LedgerNode, Writing } from './ledger/ledger.js';

/** Path of the webhook; loadtests/faults.js calls it. */
export const WEBHOOK = '/webhook/n8n-tuned-faults';
export const WORKFLOW_ID = '1901';
const TOKEN = { id: CREDENTIAL.id, name: CREDENTIAL.name };

interface Node extends LedgerNode {
  id: string;
  position: [number, number];
  webhookId?: string;
}

/**
 * The workflow under test, as n8n imports it. It answers at once with its execution's id, then writes the id of the request
 * to the ledger, works, and writes it again.
 */
export function accountedWorkflow(workSeconds: number, writing: Writing): Imports['workflows'][number] {
  const nodes = [
    WEBHOOK_NODE,
    ...writing.nodes('begun'),
    {
      name: 'Work',
      type: 'n8n-nodes-tuned.loadTarget',
      typeVersion: 1,
      parameters: { operation: 'wait', milliseconds: workSeconds * 1000 },
    },
    ...writing.nodes('done'),
  ].map(placeNode);
  const connections = Object.fromEntries(
    nodes.slice(0, -1).map(({ name }, i) => [name, { main: [[{ node: nodes[i + 1]!.name, type: 'main', index: 0 }]] }]),
  );
  const workflow = { id: WORKFLOW_ID, name: 'n8n-tuned: faults', active: false, nodes, connections, settings: {} };
  return workflow;
}

/**
 * The workflow and the credentials to import into n8n.
 * @param token of the load targets; undefined if n8n already has their credential, which the workflow uses too
 */
export const faultImports = (token: string | undefined, workSeconds: number, writing: Writing): Imports => ({
  workflows: [accountedWorkflow(workSeconds, writing)],
  credentials: [
    ...(token === undefined
      ? []
      : [{ ...TOKEN, type: 'httpHeaderAuth', data: { name: CREDENTIAL.header, value: token } }]),
    ...writing.credentials,
  ],
});

const WEBHOOK_NODE: LedgerNode & { webhookId: string } = {
  name: 'Webhook',
  type: WEBHOOK_TYPE,
  typeVersion: 2.1,
  webhookId: '5f7d5b6e-8a4c-4f2c-9a0e-6f0b5c1d1901',
  parameters: {
    authentication: 'headerAuth',
    httpMethod: 'GET',
    path: WEBHOOK.slice('/webhook/'.length),
    responseMode: 'onReceived',
    options: { responseData: '={{ { executionId: $execution?.id } }}' },
  },
  credentials: { httpHeaderAuth: TOKEN },
};

const placeNode = (node: LedgerNode, place: number): Node => ({
  ...node,
  id: `5f7d5b6e-8a4c-4f2c-9a0e-6f0b5c1d00${place}0`,
  position: [240 + place * 240, 320],
});
