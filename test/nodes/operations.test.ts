import { memory } from '../../nodes/LoadTarget/ceilings/process';
import { LoadTarget } from '../../nodes/LoadTarget/LoadTarget.node';
import { operations } from '../../nodes/LoadTarget/operations';
import { ceilings } from '../../nodes/LoadTarget/ceilings/ceiling';
import { proofOf, reachedCeiling, refusedParameter, resetEnvironment, run } from './support/execution';

const identity = expect.objectContaining({ pid: process.pid, heapUsedBytes: expect.any(Number) });
const tookMs = expect.any(Number);

afterEach(resetEnvironment);

describe('Identify', () => {
  test('outputs the proof only, in the documented order', async () => {
    const proof = await proofOf({ operation: 'identify' });
    expect(proof).toEqual({ operation: 'identify', tookMs, identity });
    expect(Object.keys(proof)).toEqual(['operation', 'tookMs', 'identity']);
  });
});

describe('Wait', () => {
  test.each([0, 20, '20', 12.5])('takes at least %j ms and echoes them as a number', async (milliseconds) => {
    const proof = await proofOf({ operation: 'wait', milliseconds });
    expect(proof).toEqual({ operation: 'wait', ms: Number(milliseconds), tookMs, identity });
    expect(proof.tookMs).toBeGreaterThanOrEqual(Number(milliseconds));
  });

  test('does not block the process', async () => {
    const order: string[] = [];
    const waiting = proofOf({ operation: 'wait', milliseconds: 30 }).then(() => order.push('waited'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push('served');
    await waiting;
    expect(order).toEqual(['served', 'waited']);
  });

  test('ends when the execution is stopped', async () => {
    const execution = new AbortController();
    const waiting = run({ parameters: [{ operation: 'wait', milliseconds: 50_000 }], signal: execution.signal });
    setTimeout(() => execution.abort(), 5);
    expect(await waiting).toEqual([]);
  });

  test.each([-1, 60_001, NaN, 'soon', undefined])('refuses %j', async (milliseconds) => {
    await expect(proofOf({ operation: 'wait', milliseconds })).rejects.toMatchObject(refusedParameter('Milliseconds'));
  });

  test('refuses a time above a lowered ceiling', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.01';
    await expect(proofOf({ operation: 'wait', milliseconds: 11 })).rejects.toMatchObject(
      refusedParameter('Milliseconds'),
    );
  });
});

describe('Burn CPU', () => {
  test.each([
    [0, 0],
    [1, 0],
    [10, 45],
    ['1000', 499_500],
    [2_500_000, 3_124_998_750_000],
  ])('counts to %j and gives the sum below it', async (count, result) => {
    const proof = await proofOf({ operation: 'burnCpu', mode: 'count', count });
    expect(proof).toEqual({ operation: 'burnCpu', n: Number(count), result, tookMs, identity });
  });

  test('gives n itself if the sum is not an exact number', async () => {
    const n = 134_217_729;
    expect(await proofOf({ operation: 'burnCpu', mode: 'count', count: n })).toMatchObject({ n, result: n });
  });

  test('a count blocks the process', async () => {
    const served = jest.fn();
    const timer = setTimeout(served, 0);
    const burning = proofOf({ operation: 'burnCpu', mode: 'count', count: 20_000_000 });
    expect(served).not.toHaveBeenCalled();
    await burning;
    clearTimeout(timer);
  });

  test('a count that would outlast the ceiling fails there', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.02';
    await expect(proofOf({ operation: 'burnCpu', mode: 'count', count: Number.MAX_SAFE_INTEGER })).rejects.toThrow(
      /^Count 9007199254740991 had reached \d+ after \d+ ms$/,
    );
  });

  test('a time is burned in slices between which others are served', async () => {
    const served = jest.fn();
    const timer = setInterval(served, 1);
    const proof = await proofOf({ operation: 'burnCpu', mode: 'time', milliseconds: 60 });
    clearInterval(timer);
    expect(proof).toEqual({ operation: 'burnCpu', ms: 60, result: expect.any(Number), tookMs, identity });
    expect(proof.tookMs).toBeGreaterThanOrEqual(60);
    expect(proof.result).toBeGreaterThan(0);
    expect(served).toHaveBeenCalled();
  });

  test('a time ends when the execution is stopped', async () => {
    const execution = new AbortController();
    const parameters = [{ operation: 'burnCpu', mode: 'time', milliseconds: 50_000 }];
    const burning = run({ parameters, signal: execution.signal });
    setTimeout(() => execution.abort(), 5);
    expect(await burning).toEqual([]);
  });

  test.each([
    [{ mode: 'count', count: -5 }, 'Count'],
    [{ mode: 'count', count: 1.5 }, 'Count'],
    [{ mode: 'count', count: '5 million' }, 'Count'],
    [{ mode: 'count', count: 2 ** 53 }, 'Count'],
    [{ mode: 'time', milliseconds: 60_001 }, 'Milliseconds'],
    [{ mode: 'fast', count: 5 }, 'Mode'],
  ])('refuses %j', async (given, parameter) => {
    await expect(proofOf({ operation: 'burnCpu', ...given })).rejects.toMatchObject(refusedParameter(parameter));
  });
});

describe('Block Event Loop', () => {
  const block = (milliseconds: unknown) => ({ operation: 'blockEventLoop', milliseconds: milliseconds as number });

  test.each([0, 20, '12.5'])('blocks for at least %j ms', async (milliseconds) => {
    const proof = await proofOf(block(milliseconds));
    const ms = Number(milliseconds);
    expect(proof).toEqual({ operation: 'blockEventLoop', ms, blockedMs: expect.any(Number), tookMs, identity });
    expect(proof.blockedMs).toBeGreaterThanOrEqual(ms);
    expect(proof.tookMs).toBeGreaterThanOrEqual(proof.blockedMs);
  });

  test('serves nothing meanwhile', async () => {
    const served = jest.fn();
    const timer = setTimeout(served, 0);
    const start = performance.now();
    const blocking = proofOf(block(30));
    expect(performance.now() - start).toBeGreaterThanOrEqual(30);
    expect(served).not.toHaveBeenCalled();
    await blocking;
    clearTimeout(timer);
  });

  test.each([-1, 60_001, [20]])('refuses %j', async (milliseconds) => {
    await expect(proofOf(block(milliseconds))).rejects.toMatchObject(refusedParameter('Milliseconds'));
  });
});

describe('Hold Memory', () => {
  test('on the heap, is live when the proof is made, and released after it', async () => {
    const proof = await proofOf({ operation: 'holdMemory', megabytes: 256, milliseconds: 10, where: 'heap' });
    expect(proof).toEqual({ operation: 'holdMemory', mb: 256, ms: 10, where: 'heap', tookMs, identity });
    expect(proof.tookMs).toBeGreaterThanOrEqual(10);
    // This process uses well under 256 MiB without them.
    expect(proof.identity.heapUsedBytes).toBeGreaterThan(256 * 2 ** 20);
    expect(memory.taken).toBe(0);
  });

  test('off the heap, allocates Buffers with every byte written', async () => {
    const alloc = jest.spyOn(Buffer, 'alloc');
    const proof = await proofOf({ operation: 'holdMemory', megabytes: 3, milliseconds: 0, where: 'offHeap' });
    const megabytes = alloc.mock.calls.filter(([size, fill]) => size === 2 ** 20 && fill === 1);
    alloc.mockRestore();
    expect(proof).toMatchObject({ mb: 3, ms: 0, where: 'offHeap' });
    expect(megabytes).toHaveLength(3);
  });

  const hold = (megabytes: unknown, milliseconds: unknown = 0, where: unknown = 'heap') => ({
    operation: 'holdMemory',
    megabytes: megabytes as number,
    milliseconds: milliseconds as number,
    where: where as string,
  });

  test('the ceiling is summed over the executions of the process', async () => {
    process.env.N8N_LOAD_TARGET_MAX_MEGABYTES = '10';
    const first = run({ parameters: [hold(6, 50)], executionId: 'memory 1' });
    const second = run({ parameters: [hold(5, 0)], executionId: 'memory 2' });
    await expect(second).rejects.toMatchObject(reachedCeiling(ceilings.megabytes, { requested: 5, taken: 6 }));
    await first;
    expect(memory.taken).toBe(0);
    await run({ parameters: [hold(10), hold(10)] });
  });

  test('is released when the execution is stopped', async () => {
    const execution = new AbortController();
    const holding = run({ parameters: [hold(2, 50_000)], signal: execution.signal });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(memory.taken).toBe(2);
    execution.abort();
    expect(await holding).toEqual([]);
    expect(memory.taken).toBe(0);
  });

  test('is released when the allocation fails', async () => {
    const alloc = jest.spyOn(Buffer, 'alloc').mockImplementation(() => {
      throw new RangeError('Array buffer allocation failed');
    });
    await expect(proofOf(hold(2, 0, 'offHeap'))).rejects.toThrow('Array buffer allocation failed');
    alloc.mockRestore();
    expect(memory.taken).toBe(0);
  });

  test('a hold of the whole ceiling is allowed, and includes the allocation', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '1';
    const proof = await proofOf(hold(4, 1000));
    expect(proof.tookMs).toBeGreaterThanOrEqual(1000);
  });

  test('an allocation that outlasts the ceiling fails there', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.001';
    await expect(proofOf(hold(1000))).rejects.toMatchObject(reachedCeiling(ceilings.seconds));
    expect(memory.taken).toBe(0);
  });

  test.each([
    [hold(0), 'Megabytes'],
    [hold(1025), 'Megabytes'],
    [hold(0.5), 'Megabytes'],
    [hold('64MB'), 'Megabytes'],
    [hold(1, -1), 'Milliseconds'],
    [hold(1, 1e6), 'Milliseconds'],
    [hold(1, 1, 'disk'), 'Where'],
  ])('refuses %j', async (given, parameter) => {
    await expect(proofOf(given)).rejects.toMatchObject(refusedParameter(parameter));
  });
});

test('an operation that does not exist is refused', async () => {
  await expect(proofOf({ operation: 'explode' })).rejects.toMatchObject(refusedParameter('Operation'));
});

test('the description offers exactly the operations that there are', () => {
  const { properties, icon, inputs } = new LoadTarget().description;
  const options = properties[0]?.options?.map((option) => 'value' in option && option.value);
  expect([...(options ?? [])].sort()).toEqual(Object.keys(operations).sort());
  // Old versions of n8n-core can read only these.
  expect(icon).toBe('file:loadTarget.svg');
  expect(inputs).toEqual(['main']);
});
