import type { PostgresAddress } from '../observe/postgres.js';
import type { Imports } from '../provision/n8n-import.js';
import { TABLE } from './ledger.js';

/** Path of the webhook; loadtests/faults.js calls it. */
export const WEBHOOK = '/webhook/n8n-tuned-faults';
export const WORKFLOW_ID = '1901';
const TOKEN = { id: '2000000000000001', name: 'n8n-tuned load target' };
const POSTGRES = { id: '2000000000000002', name: 'n8n-tuned ledger' };
/** Each process that executes has a pool of its own, beside n8n's. */
const CONNECTIONS = 3;

/** A node of the workflow. */
interface Node {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  webhookId?: string;
  parameters: Record<string, unknown>;
  credentials?: Record<string, { id: string; name: string }>;
}

/**
 * The workflow under test, as n8n imports it. It answers at once with its execution's id, then writes the id of the request
 * to the ledger, works, and writes it again.
 */
export function accountedWorkflow(workSeconds: number): Imports['workflows'][number] & { nodes: Node[] } {
  const nodes: Node[] = [
    {
      ...placed(0, 'Webhook', 'n8n-nodes-base.webhook', 2.1),
      webhookId: '5f7d5b6e-8a4c-4f2c-9a0e-6f0b5c1d1901',
      parameters: {
        authentication: 'headerAuth',
        httpMethod: 'GET',
        path: WEBHOOK.slice('/webhook/'.length),
        responseMode: 'onReceived',
        options: { responseData: '={{ { executionId: $execution?.id } }}' },
      },
      credentials: { httpHeaderAuth: TOKEN },
    },
    entry(1, 'Write begun', 'begun'),
    {
      ...placed(2, 'Work', 'n8n-nodes-tuned.loadTarget', 1),
      parameters: { operation: 'wait', milliseconds: workSeconds * 1000 },
    },
    entry(3, 'Write done', 'done'),
  ];
  const connections = Object.fromEntries(
    nodes.slice(0, -1).map(({ name }, i) => [name, { main: [[{ node: nodes[i + 1]!.name, type: 'main', index: 0 }]] }]),
  );
  return Object.assign(
    { id: WORKFLOW_ID, name: 'n8n-tuned: faults', nodes },
    { active: false, connections, settings: {} },
  );
}

/** The credentials of that workflow: the token of its webhook, and the PostgreSQL of the ledger. */
export const credentials = (token: string, { ssl: _, ...address }: PostgresAddress): Imports['credentials'] => [
  { ...TOKEN, type: 'httpHeaderAuth', data: { name: 'x-load-target-token', value: token } },
  {
    ...POSTGRES,
    type: 'postgres',
    data: { ...address, maxConnections: CONNECTIONS, allowUnauthorizedCerts: false, ssl: 'disable', sshTunnel: false },
  },
];

function entry(place: number, name: string, event: 'begun' | 'done'): Node {
  return {
    ...placed(place, name, 'n8n-nodes-base.postgres', 2.5),
    parameters: {
      operation: 'executeQuery',
      query: `INSERT INTO ${TABLE} (id, execution, event) VALUES ($1, $2, '${event}')`,
      options: { queryReplacement: "={{ [$('Webhook').first().json.query.id, $execution.id] }}" },
    },
    credentials: { postgres: POSTGRES },
  };
}

const placed = (place: number, name: string, type: string, typeVersion: number) => ({
  id: `5f7d5b6e-8a4c-4f2c-9a0e-6f0b5c1d00${place}0`,
  name,
  type,
  typeVersion,
  position: [240 + place * 240, 320] as [number, number],
});
