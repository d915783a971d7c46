import type { Imports } from '../../../capacity/src/provision/n8n-import.js';

export const PARENT_PATH = '/webhook/recovery-parent';
const CHILD = '1951';
const TOKEN = { id: '2000000000000001', name: 'n8n-tuned load target' };

const node = (name: string, type: string, typeVersion: number, parameters: object, place: number) => ({
  id: `5f7d5b6e-8a4c-4f2c-9a0e-6f0b5c1d19${place}0`,
  position: [240 * place, 320] as [number, number],
  ...{ name, type, typeVersion, parameters },
});

/** Number and seconds of the waits of the child, in memory. Together they are longer than the interval of two checks. */
const [WAITS, WAIT] = [4, 40];

type Nodes = Array<ReturnType<typeof node> & object>;
const workflow = (id: string, name: string, nodes: Nodes) => ({
  ...{ id, name, active: false, nodes, settings: {} },
  connections: Object.fromEntries(
    nodes
      .slice(0, -1)
      .map((from, i) => [from.name, { main: [[{ node: nodes[i + 1]!.name, type: 'main', index: 0 }]] }]),
  ),
});

/** A workflow that answers at once and then waits for its sub-workflow, which takes more than two minutes. */
export const recoveryImports = (token: string): Imports => ({
  workflows: [
    workflow('1950', 'parent', [
      {
        ...node(
          ...(['Webhook', 'n8n-nodes-base.webhook', 2.1] as const),
          { authentication: 'headerAuth', path: PARENT_PATH.slice('/webhook/'.length), responseMode: 'onReceived' },
          1,
        ),
        ...{ webhookId: '5f7d5b6e-8a4c-4f2c-9a0e-6f0b5c1d1950', credentials: { httpHeaderAuth: TOKEN } },
      },
      node(
        ...(['Child', 'n8n-nodes-base.executeWorkflow', 1.2] as const),
        { workflowId: { __rl: true, mode: 'id', value: CHILD }, options: { waitForSubWorkflow: true } },
        2,
      ),
    ]),
    workflow(CHILD, 'child', [
      node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }, 1),
      ...Array.from({ length: WAITS }, (_, i) =>
        node(`Wait ${i}`, 'n8n-nodes-base.wait', 1.1, { resume: 'timeInterval', amount: WAIT, unit: 'seconds' }, i + 2),
      ),
    ]),
  ],
  credentials: [{ ...TOKEN, type: 'httpHeaderAuth', data: { name: 'x-load-target-token', value: token } }],
});
