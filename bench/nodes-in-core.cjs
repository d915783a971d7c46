/**
 * Measures the compiled Load Target in the n8n-core of one runtime (see nodes.mjs) and prints the figures as JSON. Each
 * figure is the best, median and worst of some executions of a workflow.
 */
const { performance, monitorEventLoopDelay } = require('node:perf_hooks');
const { execute } = require('./execute.cjs');

const MEBIBYTE = 1_048_576;
let executions = 0;

/** Runs a workflow of one Load Target and returns its proof. */
async function proofOf(operation, parameters) {
  const executionId = `bench ${++executions}`;
  const { items, error } = await execute({ executionId, parameters: { operation, ...parameters } });
  if (error) throw new Error(`${operation}: ${error}`);
  return items[0].json;
}

function figure(what, unit, asked, values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
  return { what, unit, asked, best: sorted[0], median, worst: sorted[sorted.length - 1] };
}

async function repeat(times, work) {
  const values = [];
  for (let i = 0; i < times; i++) values.push(await work());
  return values;
}

/** Mean duration of an execution in milliseconds, over 300 in a row. */
async function meanMs(execution) {
  const start = performance.now();
  for (let i = 0; i < 300; i++) await execute({ executionId: `bench ${++executions}`, ...execution });
  return (performance.now() - start) / 300;
}

/** The cost of Identify beyond a node that passes its items on. The two run in turn, so that a slow period affects both. */
async function overhead() {
  const identify = { parameters: { operation: 'identify' } };
  const empty = { type: 'test.empty', parameters: {} };
  await meanMs(identify);
  await meanMs(empty);
  const differences = await repeat(9, async () => (await meanMs(identify)) - (await meanMs(empty)));
  return figure('Identify, above an empty node', 'ms', undefined, differences);
}

async function wait(milliseconds) {
  const took = async () => (await proofOf('wait', { milliseconds })).tookMs;
  return figure('Wait', 'ms', milliseconds, await repeat(10, took));
}

/** Measures Burn CPU by the CPU time that the operating system counts, not by the node's clock. */
async function burn(milliseconds) {
  const used = async () => {
    const before = process.cpuUsage();
    await proofOf('burnCpu', { mode: 'time', milliseconds });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return figure('Burn CPU, CPU time', 'ms', milliseconds, await repeat(7, used));
}

/** Measures Block Event Loop by the delay of a timer in the same process. */
async function block(milliseconds) {
  const seen = async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await proofOf('blockEventLoop', { milliseconds });
    await new Promise((resolve) => setTimeout(resolve, 5));
    delay.disable();
    return delay.max / 1e6;
  };
  return figure('Block Event Loop, timer delay', 'ms', milliseconds, await repeat(7, seen));
}

/** Measures Hold Memory by the growth of the process while the node holds the memory. */
async function hold(where, megabytes) {
  const gained = async () => {
    global.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = process.memoryUsage();
    const { identity } = await proofOf('holdMemory', { where, megabytes, milliseconds: 1 });
    const bytes = where === 'heap' ? identity.heapUsedBytes - before.heapUsed : identity.rssBytes - before.rss;
    return bytes / MEBIBYTE;
  };
  const what = where === 'heap' ? 'Hold Memory, heap used' : 'Hold Memory, RSS';
  return figure(what, 'MiB', megabytes, await repeat(5, gained));
}

async function main() {
  const figures = [await overhead()];
  for (const ms of [1, 20, 1000]) figures.push(await wait(ms));
  for (const ms of [200, 2000]) figures.push(await burn(ms));
  for (const ms of [50, 500]) figures.push(await block(ms));
  // Off the heap first, because RSS later changes when V8 returns memory of a large heap.
  for (const mb of [64, 512]) figures.push(await hold('offHeap', mb));
  for (const mb of [64, 512]) figures.push(await hold('heap', mb));
  process.stdout.write(`FIGURES ${JSON.stringify(figures)}\n`, () => process.exit(0));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
