/**
 * Loads an installed node package as n8n does, with the n8n-core in NODE_PATH, and prints what n8n would show. Plain
 * CommonJS, because it runs in the Node of each runtime.
 *
 *   NODE_PATH=RUNTIME/node_modules RUNTIME/node_modules/node/bin/node load.cjs PACKAGE_FOLDER
 */
require('reflect-metadata');
const { ExecutionLifecycleHooks, PackageDirectoryLoader } = require('n8n-core');
const { LoggerProxy } = require('n8n-workflow');

const said = [];
const isOld = ExecutionLifecycleHooks === undefined;
if (isOld) {
  const say = (message) => said.push(message);
  LoggerProxy.init({ debug: say, error: say, info: say, log: (_, message) => say(message), verbose: say, warn: say });
}

async function main() {
  const loader = new PackageDirectoryLoader(process.argv[2]);
  await loader.loadAll();
  const { nodes, credentials } = loader.types;
  process.stdout.write(`LOADED ${JSON.stringify({ nodes, credentials, said })}\n`, () => process.exit(0));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
