import { asynchronousIn } from '../../../../capacity/src/plan/custom-workflow/sub-workflows.js';
import type { Workflow } from '../../../../capacity/src/workflow/file.js';

const starting = (workflowId: string, options?: object): Workflow => ({
  id: 'parent',
  name: 'parent',
  nodes: [
    {
      ...{ id: '1', name: 'Execute', type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2 },
      parameters: { workflowId: { value: workflowId }, ...(options && { options }) },
    },
  ],
  connections: {},
});

test.each<[string, Workflow, string[]]>([
  ['waited for', starting('child'), []],
  ['waited for in words', starting('child', { waitForSubWorkflow: true }), []],
  ['not waited for', starting('child', { waitForSubWorkflow: false }), ['child']],
  ['which an expression may not wait for', starting('child', { waitForSubWorkflow: '={{ $json.wait }}' }), ['child']],
  ['that only an expression knows', starting('={{ $json.id }}', { waitForSubWorkflow: false }), ['?']],
])('a sub-workflow %s', (_, workflow, ids) => {
  expect([...asynchronousIn([workflow])]).toEqual(ids);
});
