/**
 * Makes isolates as one n8n does (see isolates.mjs): each is made, evaluates an expression and ends. Prints the CPU time and the
 * memory of one as JSON. Takes the folder of n8n's packages.
 */
const { createRequire } = require('node:module');
const { join } = require('node:path');

const WARM_UP = 10;
const ISOLATES = 40;
const MEBIBYTE = 1_048_576;
const modules = process.argv[2];
const { IsolatedVmBridge } = createRequire(join(modules, 'n8n-workflow/package.json'))('@n8n/expression-runtime');
const log = () => {};
const logger = { debug: log, info: log, warn: log, error: console.error };

async function make() {
  const bridge = new IsolatedVmBridge({ logger, memoryLimit: 128, timeout: 5000, compileCache: true });
  await bridge.initialize();
  const result = bridge.execute('return this.$json.a + 1', { $json: { a: 1 } }, { timezone: 'Europe/Berlin' });
  if (result !== 2) throw new Error(`1 + 1 is ${result}`);
  return bridge;
}

async function makeSome(times) {
  const bridges = [];
  for (let i = 0; i < times; i++) bridges.push(await make());
  return bridges;
}

async function measure() {
  for (const bridge of await makeSome(WARM_UP)) await bridge.dispose();
  const before = process.cpuUsage();
  for (let i = 0; i < ISOLATES; i++) await (await make()).dispose();
  const { user, system } = process.cpuUsage(before);
  const memory = process.memoryUsage.rss();
  const kept = await makeSome(ISOLATES);
  const mib = (process.memoryUsage.rss() - memory) / MEBIBYTE / kept.length;
  console.log(`FIGURES ${JSON.stringify({ cpuMs: (user + system) / 1000 / ISOLATES, mib })}`);
  process.exit();
}

measure();
