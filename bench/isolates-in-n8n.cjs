/**
 * Creates isolates as n8n does (see isolates.mjs): each is created, evaluates an expression and is disposed of. Prints as JSON the CPU
 * time of one isolate, the CPU time of one that calls replaceSpecialChars(), and the memory of one. Argument: folder of n8n's packages.
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

/** Code that an isolate evaluates, and the expected result. */
const SUM = ['return this.$json.a + 1', 2];
const SPECIAL = ['return extend("Straße", "replaceSpecialChars", [])', 'Strasse'];

async function make([code, expected] = SUM) {
  const bridge = new IsolatedVmBridge({ logger, memoryLimit: 128, timeout: 5000, compileCache: true });
  await bridge.initialize();
  const result = bridge.execute(code, { $json: { a: 1 } }, { timezone: 'Europe/Berlin' });
  if (result !== expected) throw new Error(`${code}: ${result}`);
  return bridge;
}

/** Measures the CPU time of an isolate, in milliseconds. */
async function cpuOf(expression) {
  const before = process.cpuUsage();
  for (let i = 0; i < ISOLATES; i++) await (await make(expression)).dispose();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / ISOLATES;
}

async function makeSome(times) {
  const bridges = [];
  for (let i = 0; i < times; i++) bridges.push(await make());
  return bridges;
}

async function measure() {
  for (const bridge of await makeSome(WARM_UP)) await bridge.dispose();
  const [cpuMs, specialMs] = [await cpuOf(SUM), await cpuOf(SPECIAL)];
  const memory = process.memoryUsage.rss();
  const kept = await makeSome(ISOLATES);
  const mib = (process.memoryUsage.rss() - memory) / MEBIBYTE / kept.length;
  console.log(`FIGURES ${JSON.stringify({ cpuMs, specialMs, mib })}`);
  process.exit();
}

measure();
