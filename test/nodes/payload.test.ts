import type { INodeExecutionData } from 'n8n-workflow';
import { findBudget } from '../../nodes/LoadTarget/ceilings/execution';
import { memory } from '../../nodes/LoadTarget/ceilings/process';
import { ceilings } from '../../nodes/LoadTarget/ceilings/ceiling';
import { reachedCeiling, refusedParameter, resetEnvironment, run } from './support/execution';

afterEach(resetEnvironment);

const payload = (given: object = {}) => ({
  ...{ operation: 'payload', items: 1, kilobytes: 10, format: 'json', seed: 1 },
  ...given,
});

/** Like n8n with binary data in memory. */
const prepareBinaryData = jest.fn(async (bytes: any, fileName?: string, mimeType?: string) => ({
  ...{ data: (bytes as Buffer).toString('base64'), fileName, mimeType: mimeType ?? '' },
}));
const helpers = { prepareBinaryData };
const jsonLength = ({ json }: INodeExecutionData) => JSON.stringify(json).length;

test('many items for each input item, paired with it', async () => {
  const parameters = [payload({ items: 2 }), payload({ items: '3', kilobytes: '2' })];
  const output = await run({ parameters });
  expect(output.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 1, 1, 1].map((item) => ({ item })));
  expect(output.map(jsonLength)).toEqual([10_240, 10_240, 2048, 2048, 2048]);
  expect(output.map(({ json }) => json.index)).toEqual([0, 1, 0, 1, 2]);
  expect(memory.taken).toBe(0);
});

test('the same seed gives the same items, another seed other items, without the process that made them', async () => {
  const itemsOf = (seed: number) => run({ parameters: [payload({ items: 2, seed })] });
  expect(await itemsOf(7)).toEqual(await itemsOf(7));
  expect((await itemsOf(7))[0]!.json.orders).not.toEqual((await itemsOf(8))[0]!.json.orders);
  expect(Object.keys((await itemsOf(7))[0]!.json)).toEqual(['index', 'seed', 'orders', 'padding']);
});

test('binary items are files in the property data', async () => {
  const parameters = [payload({ items: 2, kilobytes: 3, format: 'binary', seed: 4 })];
  const output = await run({ parameters, helpers });
  expect(output.map(({ json }) => json)).toEqual([
    { index: 0, seed: 4, bytes: 3072 },
    { index: 1, seed: 4, bytes: 3072 },
  ]);
  const files = output.map(({ binary }) => binary?.data);
  expect(files.map((file) => file?.fileName)).toEqual(['payload-4-0.bin', 'payload-4-1.bin']);
  expect(files.map((file) => Buffer.from(file?.data ?? '', 'base64').length)).toEqual([3072, 3072]);
  expect(files[0]?.data).not.toBe(files[1]?.data);
});

test.each([
  [{ items: 0 }, 'Items'],
  [{ items: 10_001 }, 'Items'],
  [{ items: 1.5 }, 'Items'],
  [{ kilobytes: 0 }, 'Kilobytes'],
  [{ kilobytes: 65_537 }, 'Kilobytes'],
  [{ format: 'xml' }, 'Format'],
  [{ seed: -1 }, 'Seed'],
  [{ seed: 'lucky' }, 'Seed'],
])('refuses %j', async (given, parameter) => {
  await expect(run({ parameters: [payload(given)] })).rejects.toMatchObject(refusedParameter(parameter));
});

test('refuses a payload above the ceiling before it makes any of it', async () => {
  const running = run({ parameters: [payload({ items: 65, kilobytes: 1024 })] });
  await expect(running).rejects.toMatchObject(reachedCeiling(ceilings.payloadMegabytes, { requested: 65, taken: 0 }));
});

describe('the ceilings', () => {
  test('of size and number are summed over the items and nodes of an execution', async () => {
    process.env.N8N_LOAD_TARGET_MAX_PAYLOAD_MEGABYTES = '1';
    const again = (given: object) => run({ parameters: [payload(given)], executionId: 'payloads' });
    await again({ items: 6, kilobytes: 100 });
    await expect(again({ items: 5, kilobytes: 100 })).rejects.toMatchObject(
      reachedCeiling(ceilings.payloadMegabytes, { requested: 500 / 1024, taken: expect.closeTo(600 / 1024) }),
    );
    await again({ items: 4, kilobytes: 100 });
    const many = [payload({ items: 9_000, kilobytes: 1 }), payload({ items: 1_001, kilobytes: 1 })];
    resetEnvironment();
    await expect(run({ parameters: many })).rejects.toMatchObject(
      reachedCeiling(ceilings.payloadItems, { requested: 1_001, taken: 9_000 }),
    );
  });

  test('of memory holds while items are made', async () => {
    process.env.N8N_LOAD_TARGET_MAX_MEGABYTES = '2';
    const parameters = [payload({ kilobytes: 1024 })];
    await expect(run({ parameters })).rejects.toMatchObject(
      reachedCeiling(ceilings.megabytes, { requested: 3, taken: 0 }),
    );
  });

  test('of time ends the work', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.001';
    const parameters = [payload({ items: 100, kilobytes: 500 })];
    await expect(run({ parameters })).rejects.toMatchObject(reachedCeiling(ceilings.seconds));
  });

  test('what was made before a failure is counted, the rest is returned', async () => {
    prepareBinaryData.mockResolvedValueOnce({ data: '', fileName: '', mimeType: '' });
    prepareBinaryData.mockRejectedValueOnce(new Error('no space left'));
    const parameters = [payload({ items: 8, kilobytes: 512, format: 'binary' })];
    await expect(run({ parameters, helpers, executionId: 'disk full' })).rejects.toThrow('no space left');
    const { payload: size, items } = findBudget('disk full');
    expect([size.taken, items.taken, memory.taken]).toEqual([0.5, 1, 0]);
  });
});

test('a stopped execution makes no further item', async () => {
  const execution = new AbortController();
  const executionId = 'stopped payload';
  const making = run({ parameters: [payload({ items: 5000 })], executionId, signal: execution.signal });
  setTimeout(() => execution.abort(), 5);
  expect(await making).toEqual([]);
  expect(findBudget(executionId).items.taken).toBeLessThan(5000);
});

test.each(['json', 'binary'])('other work runs while one large item is made (%s)', async (format) => {
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const [output] = await run({ parameters: [payload({ kilobytes: 32 * 1024, format })], helpers });
  clearImmediate(next);
  expect(output).toBeDefined();
  // One turn is that at the end of the item.
  expect(turns).toBeGreaterThan(3);
});
