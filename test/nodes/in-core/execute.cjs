/**
 * Runs the compiled node in the `WorkflowExecute` of the n8n-core that NODE_PATH leads to, as n8n itself resolves
 * n8n-workflow for community nodes. Plain CommonJS, because it runs in the Node of each runtime (18 and 24). It stands
 * beside `dist/`, in a folder from which no other n8n-workflow is found.
 *
 *   NODE_PATH=RUNTIME/node_modules RUNTIME/node_modules/node/bin/node execute.cjs < executions.json
 *
 * An execution is `{ executionId, items, parameters, continueOnFail, cancelAfterMs, nodes }`: a source gives the items,
 * `nodes` (1 unless said) Load Targets in a row get the parameters. Its result is `{ status, items, error }` of the last.
 */
require('reflect-metadata');
const core = require('n8n-core');
const workflowPackage = require('n8n-workflow');

const { LoadTarget } = require('./dist/nodes/LoadTarget/LoadTarget.node.js');
const isOld = core.ExecutionLifecycleHooks === undefined;
const silent = { debug() {}, error() {}, info() {}, log() {}, verbose() {}, warn() {} };
if (isOld) {
  workflowPackage.LoggerProxy.init(silent);
  void core.BinaryDataManager.init({ mode: 'default', availableModes: 'default' });
}

const items = [];
const source = {
  description: {
    displayName: 'Source',
    name: 'source',
    group: ['input'],
    version: 1,
    description: '',
    defaults: { name: 'Source' },
    inputs: [],
    outputs: ['main'],
    properties: [],
  },
  execute: () => Promise.resolve([items.map((json) => ({ json }))]),
};
const types = { 'test.source': source, 'n8n-nodes-tuned.loadTarget': new LoadTarget() };
const nodeTypes = {
  getByName: (type) => types[type],
  getByNameAndVersion: (type) => types[type],
  getKnownTypes: () => types,
};

async function execute({ executionId, parameters, continueOnFail, cancelAfterMs, nodes: count = 1, ...given }) {
  items.splice(0, items.length, ...(given.items ?? [{}]));
  const targets = Array.from({ length: count }, (_, i) => ({
    ...{ id: `${i + 1}`, name: `Load Target ${i + 1}`, type: 'n8n-nodes-tuned.loadTarget', typeVersion: 1 },
    ...{ position: [0, 0], parameters, continueOnFail, onError: continueOnFail ? 'continueRegularOutput' : undefined },
  }));
  const first = { id: '0', name: 'Source', type: 'test.source', typeVersion: 1, position: [0, 0], parameters: {} };
  const nodes = [first, ...targets];
  const connections = {};
  targets.forEach(({ name }, i) => {
    connections[nodes[i].name] = { main: [[{ node: name, type: 'main', index: 0 }]] };
  });
  const definition = { id: '1', name: 'in core', nodes, connections, active: false, settings: {} };
  const workflow = new workflowPackage.Workflow({ ...definition, nodeTypes });

  const hooks = isOld
    ? new workflowPackage.WorkflowHooks({}, 'trigger', executionId, definition)
    : new core.ExecutionLifecycleHooks('trigger', executionId, definition);
  const url = 'http://localhost';
  const urls = { restApiUrl: url, instanceBaseUrl: url, webhookWaitingBaseUrl: url, formWaitingBaseUrl: url };
  const additionalData = { executionId, hooks, currentNodeExecutionIndex: 0, variables: {}, ...urls };
  const run = new core.WorkflowExecute(additionalData, 'trigger');
  const startNode = workflow.getNode('Source');
  const running = run.run.length > 1 ? run.run(workflow, startNode) : run.run({ workflow, startNode });
  if (cancelAfterMs !== undefined) setTimeout(() => running.cancel(), cancelAfterMs);

  const { data, status } = await running.catch((error) => ({
    status: 'canceled',
    data: { resultData: { error, runData: {} } },
  }));
  const last = data.resultData.runData[targets[count - 1].name]?.[0];
  return { status, items: last?.data?.main?.[0], error: data.resultData.error?.message };
}

async function main() {
  let input = '';
  for await (const chunk of process.stdin) input += chunk;
  const results = [];
  for (const execution of JSON.parse(input)) results.push(await execute(execution));
  process.stdout.write(`RESULTS ${JSON.stringify(results)}\n`, () => process.exit(0));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
