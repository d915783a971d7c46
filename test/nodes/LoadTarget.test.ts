import { findBudget } from '../../nodes/LoadTarget/ceilings/execution';
import { ceilings } from '../../nodes/LoadTarget/ceilings/ceiling';
import { reachedCeiling, refusedParameter, resetEnvironment, run } from './support/execution';

const wait = (milliseconds: unknown) => ({ operation: 'wait', milliseconds: milliseconds as number });
const count = (n: number) => ({ operation: 'burnCpu', mode: 'count', count: n });

afterEach(resetEnvironment);

test('makes one output item for each input item, paired with it, with its own parameters', async () => {
  const output = await run({ parameters: [wait(1), count(3), { operation: 'identify' }] });
  expect(output.map(({ json, pairedItem }) => [json.operation, pairedItem])).toEqual([
    ['wait', { item: 0 }],
    ['burnCpu', { item: 1 }],
    ['identify', { item: 2 }],
  ]);
});

test('does no work without items', async () => {
  expect(await run({ parameters: [] })).toEqual([]);
});

test('an error names the item', async () => {
  await expect(run({ parameters: [wait(0), wait(-1)] })).rejects.toMatchObject({
    name: 'NodeOperationError',
    context: { itemIndex: 1 },
    ...refusedParameter('Milliseconds'),
  });
});

test('refuses a bad value of a later item before any work', async () => {
  const executionId = 'before any work';
  const execution = new AbortController();
  const parameters = [wait(50_000), wait('bad')];
  await expect(run({ parameters, executionId, signal: execution.signal })).rejects.toMatchObject(
    refusedParameter('Milliseconds'),
  );
  expect(findBudget(executionId).time).toMatchObject({ free: 60_000, idle: true });
});

test('continueOnFail: turns bad items into error items in their place, and runs the others', async () => {
  const output = await run({ parameters: [wait(-1), count(3), wait(70_000)], continueOnFail: true });
  expect(output).toEqual([
    { json: { error: expect.stringContaining('-1') }, pairedItem: { item: 0 } },
    { json: expect.objectContaining({ operation: 'burnCpu', result: 3 }), pairedItem: { item: 1 } },
    { json: { error: expect.stringContaining('70000') }, pairedItem: { item: 2 } },
  ]);
});

test('a stopped execution starts no further item and outputs the items that are done', async () => {
  const execution = new AbortController();
  const running = run({ parameters: [count(3), wait(50_000), count(3)], signal: execution.signal });
  setTimeout(() => execution.abort(), 5);
  expect((await running).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
});

test('an execution that was stopped before does nothing', async () => {
  const execution = new AbortController();
  execution.abort();
  expect(await run({ parameters: [count(3)], continueOnFail: true, signal: execution.signal })).toEqual([]);
});

test('an execution that is stopped while its items are read does nothing', async () => {
  const execution = new AbortController();
  const stopping = {
    ...count(3),
    // Takes longer than a slice, so that the run pauses after the hundredth item.
    get operation() {
      const end = Date.now() + 20;
      while (Date.now() < end);
      execution.abort();
      return 'burnCpu';
    },
  };
  const parameters = [stopping, ...Array.from({ length: 150 }, () => count(3))];
  expect(await run({ parameters, signal: execution.signal })).toEqual([]);
});

test('takes at most ten thousand items an execution', async () => {
  const executionId = 'many items';
  const identify = { operation: 'identify' };
  await run({ parameters: Array.from({ length: 10 }, () => identify), executionId });
  const more = Array.from({ length: 9_991 }, () => identify);
  await expect(run({ parameters: more, executionId })).rejects.toMatchObject(
    reachedCeiling(ceilings.inputItems, { requested: 9_991, taken: 10 }),
  );
});

describe('the time ceiling', () => {
  test('counts time beyond the requested time', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.05';
    const parameters = Array.from({ length: 2000 }, () => wait(0.01));
    await expect(run({ parameters })).rejects.toMatchObject(reachedCeiling(ceilings.seconds));
  });

  test('is summed over the items of a run', async () => {
    await expect(run({ parameters: [wait(40_000), wait(20_001)] })).rejects.toMatchObject(
      reachedCeiling(ceilings.seconds, { requested: 20_001, taken: 40_000 }),
    );
  });

  test('is summed over the nodes of an execution', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.05';
    const again = () => run({ parameters: [wait(30)], executionId: 'two nodes' });
    await again();
    await expect(again()).rejects.toMatchObject(
      reachedCeiling(ceilings.seconds, { requested: 30, taken: expect.any(Number) }),
    );
    await run({ parameters: [wait(30)], executionId: 'another' });
  });

  test('counts the time of a count', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '10';
    const executionId = 'counts';
    await run({ parameters: [count(20_000_000)], executionId });
    await expect(run({ parameters: [wait(10_000)], executionId })).rejects.toMatchObject(
      reachedCeiling(ceilings.seconds, { requested: 10_000, taken: expect.any(Number) }),
    );
  });

  test('counts the time that a failed or stopped item took, not the time that it requested', async () => {
    const execution = new AbortController();
    const executionId = 'stopped early';
    const waiting = run({ parameters: [wait(50_000)], executionId, signal: execution.signal });
    setTimeout(() => execution.abort(), 5);
    await waiting;
    expect(findBudget(executionId).time.free).toBeGreaterThan(50_000);
  });
});
