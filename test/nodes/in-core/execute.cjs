/**
 * Runs the compiled nodes in the `WorkflowExecute` of the n8n-core in NODE_PATH, with n8n-workflow resolved as n8n does for
 * community nodes. Plain CommonJS, because it runs in the Node of each runtime (18 and 24). Copy it beside `dist/`, to a
 * folder from which no other n8n-workflow is found.
 *
 *   NODE_PATH=RUNTIME/node_modules RUNTIME/node_modules/node/bin/node execute.cjs < executions.json
 *
 * An execution is `{ executionId, mode, items, source, between, type, parameters, credential, continueOnFail,
 * cancelAfterMs, nodes }`. The mode is `trigger` by default. A node of the type `source` outputs the items, and a node of
 * the type `between` follows if it is given. Then follow `nodes` nodes in a row (default 1) of the type `type` (default Load
 * Target). They get the parameters, and the data of a credential of type bullQueueApi. The result is
 * `{ status, items, error }` of the last node. Exports `execute`.
 */
require('reflect-metadata');
const core = require('n8n-core');
const workflowPackage = require('n8n-workflow');

const { BullQueue } = require('./dist/nodes/BullQueue/BullQueue.node.js');
const { LoadTarget } = require('./dist/nodes/LoadTarget/LoadTarget.node.js');
const isOld = core.ExecutionLifecycleHooks === undefined;
const silent = { debug() {}, error() {}, info() {}, log() {}, verbose() {}, warn() {} };
if (isOld) {
  workflowPackage.LoggerProxy.init(silent);
  void core.BinaryDataManager.init({ mode: 'default', availableModes: 'default' });
}

const items = [];
const description = (name, inputs) => ({
  ...{ displayName: name, name, group: ['input'], version: 1, description: '', defaults: { name } },
  ...{ inputs, outputs: ['main'], properties: [] },
});
const source = {
  description: description('source', []),
  execute: () => Promise.resolve([items.map((json) => ({ json }))]),
};
const types = {
  'test.source': source,
  // The items are given as the output of a Webhook node.
  'n8n-nodes-base.webhook': source,
  'test.empty': {
    description: description('empty', ['main']),
    execute() {
      return Promise.resolve([this.getInputData()]);
    },
  },
  // Outputs items without the data of its input, as many nodes of n8n do.
  'test.forgetful': {
    description: description('forgetful', ['main']),
    execute() {
      return Promise.resolve([this.getInputData().map(() => ({ json: {} }))]);
    },
  },
  'n8n-nodes-tuned.loadTarget': new LoadTarget(),
  'n8n-nodes-tuned.bullQueue': new BullQueue(),
  // The type that n8n gives to the node if it is connected as a tool.
  'n8n-nodes-tuned.bullQueueTool': new BullQueue(),
};
const nodeTypes = {
  getByName: (type) => types[type],
  getByNameAndVersion: (type) => types[type],
  getKnownTypes: () => types,
};

async function execute({
  executionId,
  parameters,
  credential,
  continueOnFail,
  cancelAfterMs,
  nodes: count = 1,
  ...given
}) {
  items.splice(0, items.length, ...(given.items ?? [{}]));
  const type = given.type ?? 'n8n-nodes-tuned.loadTarget';
  const targets = Array.from({ length: count }, (_, i) => ({
    ...{ id: `${i + 1}`, name: `Node ${i + 1}`, type, typeVersion: 1, position: [0, 0], parameters },
    ...{ continueOnFail, onError: continueOnFail ? 'continueRegularOutput' : undefined },
    ...(credential && { credentials: { bullQueueApi: { id: '1', name: 'queue' } } }),
  }));
  const plain = (name, nodeType, i) => ({
    ...{ id: `before ${i}`, name, type: nodeType, typeVersion: 1, position: [0, 0], parameters: {} },
  });
  const before = given.between ? [plain('Between', given.between, 1)] : [];
  const nodes = [plain('Source', given.source ?? 'test.source', 0), ...before, ...targets];
  const connections = {};
  nodes.slice(1).forEach(({ name }, i) => {
    connections[nodes[i].name] = { main: [[{ node: name, type: 'main', index: 0 }]] };
  });
  const definition = { id: '1', name: 'in core', nodes, connections, active: false, settings: {} };
  const workflow = new workflowPackage.Workflow({ ...definition, nodeTypes });

  const hooks = isOld
    ? new workflowPackage.WorkflowHooks({}, 'trigger', executionId, definition)
    : new core.ExecutionLifecycleHooks('trigger', executionId, definition);
  const url = 'http://localhost';
  const urls = { restApiUrl: url, instanceBaseUrl: url, webhookWaitingBaseUrl: url, formWaitingBaseUrl: url };
  const credentialsHelper = { getDecrypted: () => Promise.resolve(credential), isCredentialUsableByNode: () => true };
  const additionalData = {
    executionId,
    hooks,
    credentialsHelper,
    currentNodeExecutionIndex: 0,
    variables: {},
    ...urls,
  };
  const run = new core.WorkflowExecute(additionalData, given.mode ?? 'trigger');
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

module.exports = { execute };
if (require.main === module) {
  main().catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
