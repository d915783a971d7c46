import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The node as compiled, in the `WorkflowExecute` of the n8n-core that each installed runtime has. */

const root = join(import.meta.dirname, '../..');
const cache = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');
const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-in-core-'));

beforeAll(() => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.node.json'), '--outDir', join(folder, 'dist')]);
  cpSync(join(root, 'test/nodes/in-core/execute.cjs'), join(folder, 'execute.cjs'));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

interface Result {
  status: string;
  items?: Array<{ json: any; pairedItem: unknown }>;
  error?: string;
}

function inCoreOf(runtime: string, executions: object[]): Result[] {
  const modules = join(cache, 'runtimes', runtime, 'node_modules');
  const node = join(modules, 'node/bin/node');
  if (!existsSync(node)) throw new Error(`${runtime} is not installed in ${cache}: run "make setup" first`);
  const { stdout, stderr } = spawnSync(node, [join(folder, 'execute.cjs')], {
    cwd: folder,
    env: { NODE_PATH: modules, N8N_USER_FOLDER: folder, N8N_LOAD_TARGET_MAX_SECONDS: '2' },
    input: JSON.stringify(executions),
    encoding: 'utf8',
    timeout: 60_000,
  });
  const results = /^RESULTS (.*)$/m.exec(stdout)?.[1];
  if (!results) throw new Error(`${runtime} gave no results:\n${stdout}${stderr}`);
  return JSON.parse(results);
}

const target = (operation: string, parameters: object = {}) => ({ operation, ...parameters });

describe.each([
  ['n8n-2', '24.'],
  ['n8n-0', '18.'],
])('in the core of %s', (runtime, nodeVersion) => {
  const executions = {
    identify: { parameters: target('identify') },
    wait: { items: [{ ms: '5' }, { ms: 7 }], parameters: target('wait', { milliseconds: '={{ $json.ms }}' }) },
    count: { parameters: target('burnCpu', { mode: 'count', count: '={{ $json.n || 1000 }}' }) },
    time: { parameters: target('burnCpu', { mode: 'time', milliseconds: 20 }) },
    heap: { parameters: target('holdMemory', { megabytes: 8, milliseconds: 5, where: 'heap' }) },
    offHeap: { parameters: target('holdMemory', { megabytes: 8, milliseconds: 5, where: 'offHeap' }) },
    bad: { items: [{ ms: 1 }, { ms: 'soon' }], parameters: target('wait', { milliseconds: '={{ $json.ms }}' }) },
    continued: {
      items: [{ ms: 'soon' }, { ms: 1 }],
      parameters: target('wait', { milliseconds: '={{ $json.ms }}' }),
      continueOnFail: true,
    },
    twoNodes: { nodes: 2, parameters: target('wait', { milliseconds: 1001 }) },
    tooMuch: { parameters: target('holdMemory', { megabytes: 1025, milliseconds: 5, where: 'heap' }) },
    stopped: { parameters: target('wait', { milliseconds: 1900 }), cancelAfterMs: 20 },
  };
  let results: Record<keyof typeof executions, Result>;
  const jsonOf = (name: keyof typeof executions) => results[name].items?.map(({ json }) => json);
  const identity = expect.objectContaining({ nodeVersion: expect.stringMatching(`^${nodeVersion}`) });
  const tookMs = expect.any(Number);

  beforeAll(() => {
    const named = Object.entries(executions);
    const all = inCoreOf(
      runtime,
      named.map(([executionId, execution]) => ({ executionId, ...execution })),
    );
    results = Object.fromEntries(named.map(([name], i) => [name, all[i]])) as typeof results;
  }, 60_000);

  test('every operation gives its proof', () => {
    expect(jsonOf('identify')).toEqual([{ operation: 'identify', tookMs, identity }]);
    expect(jsonOf('count')).toEqual([{ operation: 'burnCpu', n: 1000, result: 499_500, tookMs, identity }]);
    expect(jsonOf('time')).toEqual([{ operation: 'burnCpu', ms: 20, result: expect.any(Number), tookMs, identity }]);
    expect(jsonOf('heap')).toEqual([{ operation: 'holdMemory', mb: 8, ms: 5, where: 'heap', tookMs, identity }]);
    expect(jsonOf('offHeap')).toEqual([{ operation: 'holdMemory', mb: 8, ms: 5, where: 'offHeap', tookMs, identity }]);
  });

  test('expressions are resolved for each item, strings of digits are numbers, items are paired', () => {
    expect(jsonOf('wait')).toEqual([
      { operation: 'wait', ms: 5, tookMs, identity },
      { operation: 'wait', ms: 7, tookMs, identity },
    ]);
    expect(results.wait.items?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  });

  test('a bad value fails the execution, or its item alone where the node goes on', () => {
    expect(results.bad.error).toMatch(/^Milliseconds is "soon": must be a number from 0 to 2000 ms/);
    expect(jsonOf('continued')).toEqual([
      { error: expect.stringMatching(/^Milliseconds is "soon"/) },
      { operation: 'wait', ms: 1, tookMs, identity },
    ]);
  });

  test('the ceilings hold, over the nodes of an execution too', () => {
    expect(results.twoNodes.error).toMatch(/^1001 ms asked, but this execution has used 1001 ms/);
    expect(results.tooMuch.error).toMatch(/^Megabytes is 1025: must be a whole number from 1 to 1024 MB/);
  });

  test('a stopped execution ends as canceled, where the core can tell the node without its result', () => {
    if (runtime === 'n8n-2') expect(results.stopped).toMatchObject({ status: 'canceled', items: [] });
    expect(results.stopped.error).toMatch(/has been canceled|execution was cancelled/);
  });
});
