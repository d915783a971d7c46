import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Account } from '../../nodes/LoadTarget/ceilings/account';
import { ceilings } from '../../nodes/LoadTarget/ceilings/ceiling';
import { findBudget } from '../../nodes/LoadTarget/ceilings/execution';
import { disk, memory } from '../../nodes/LoadTarget/ceilings/process';
import { operations } from '../../nodes/LoadTarget/operations';
import { ensureTemporaryFolder } from '../../nodes/LoadTarget/temporaryFolder';
import { ParameterError } from '../../nodes/shared/parameters';
import { resetEnvironment, run } from './support/execution';

/** No execution exceeds a ceiling, whatever its parameters, expressions and number of items. */

const LOWERED = { SECONDS: 0.05, MEGABYTES: 3, PAYLOAD_MEGABYTES: 0.25, DISK_MEGABYTES: 0.125, REQUESTS: 7 };

beforeEach(() => {
  for (const [name, value] of Object.entries(LOWERED)) process.env[`N8N_LOAD_TARGET_MAX_${name}`] = `${value}`;
});
afterEach(resetEnvironment);
afterAll(() => rmSync(ensureTemporaryFolder(), { recursive: true }));

/** Numbers near the ceilings and bounds, also as text, and sometimes any value that an expression can give. */
const number = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 0, max: 300 }).map((tenths) => tenths / 10),
  fc.constantFrom(64, 128, 255, 256, 257, 1e6, 2 ** 53, -1, NaN, Infinity),
);
const value = fc.oneof(
  { weight: 12, arbitrary: number },
  { weight: 3, arbitrary: number.map(String) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const choice = (...names: string[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.jsonValue() });
const parameters = fc.record({
  operation: choice(...Object.keys(operations)),
  mode: choice('count', 'time'),
  where: choice('heap', 'offHeap'),
  format: choice('json', 'binary'),
  transformMode: choice('generate', 'read', 'write'),
  url: choice('http://localhost/', 'http://192.0.2.1/'),
  ...{ milliseconds: value, count: value, megabytes: value, items: value, kilobytes: value, files: value },
  ...{ seed: fc.oneof(fc.integer({ min: 0, max: 3 }), value), requests: value, timeout: value },
}) as fc.Arbitrary<IDataObject>;

/** Number of requests that were sent. */
let sent = 0;
const helpers = {
  httpRequest: async () => {
    sent += 1;
    return { statusCode: 200, headers: {}, body: Readable.from(['answer']) };
  },
  prepareBinaryData: async (bytes: any) => ({ data: (bytes as Buffer).toString('base64'), mimeType: '' }),
};

const megabytesOnDisk = () =>
  readdirSync(ensureTemporaryFolder(), { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(ensureTemporaryFolder(), path), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() ? found.size : 0), 0) /
  2 ** 20;

const isPayload = ({ json }: INodeExecutionData) => 'index' in json;
const megabytesOf = ({ json, binary }: INodeExecutionData) =>
  (binary ? (json.bytes as number) : JSON.stringify(json).length) / 2 ** 20;

let executions = 0;

test('holds for the items of two nodes in a row', async () => {
  const reached = new Set<string>();
  // Measures the disk whenever something is reserved or used.
  let mostOnDisk = 0;
  for (const method of ['reserve', 'spend'] as const) {
    const original = Reflect.get(Account.prototype, method) as (amount: number) => never;
    jest.spyOn(Account.prototype, method).mockImplementation(function (this: Account, amount: number) {
      mostOnDisk = Math.max(mostOnDisk, megabytesOnDisk());
      const result = original.call(this, amount);
      expect(memory.taken).toBeLessThanOrEqual(LOWERED.MEGABYTES);
      expect(disk.taken).toBeLessThanOrEqual(LOWERED.DISK_MEGABYTES);
      return result;
    });
  }

  const nodes = fc.tuple(fc.array(parameters, { maxLength: 12 }), fc.array(parameters, { maxLength: 12 }));
  const property = fc.asyncProperty(nodes, async (items) => {
    sent = 0;
    const executionId = `property ${++executions}`;
    const output: INodeExecutionData[] = [];
    for (const each of items)
      output.push(...(await run({ parameters: each, executionId, continueOnFail: true, helpers })));

    const proofs = output.filter(({ json }) => 'operation' in json);
    const payloads = output.filter(isPayload);
    const ms = proofs.reduce((sum, { json }) => sum + ((json.ms as number | undefined) ?? 0), 0);
    expect(ms).toBeLessThanOrEqual(LOWERED.SECONDS * 1000);
    expect(payloads.reduce((sum, item) => sum + megabytesOf(item), 0)).toBeLessThanOrEqual(LOWERED.PAYLOAD_MEGABYTES);
    expect(sent).toBeLessThanOrEqual(LOWERED.REQUESTS);
    expect(mostOnDisk).toBeLessThanOrEqual(LOWERED.DISK_MEGABYTES);

    const budget = findBudget(executionId);
    expect([memory.taken, memory.idle, budget.idle]).toEqual([0, true, true]);
    expect(disk.taken).toBe(megabytesOnDisk());
    // 1e-6: sums of fractions are not exact.
    expect(budget.time.taken).toBeLessThanOrEqual(LOWERED.SECONDS * 1000 + 1e-6);

    for (const { json } of [...proofs, ...payloads]) reached.add((json.operation as string | undefined) ?? 'payload');
    for (const { json } of output) {
      const ceiling = /the ceiling is \S+ (\w+( of \w+)?)/.exec((json.error as string | undefined) ?? '')?.[1];
      if (ceiling !== undefined) reached.add(ceiling);
    }
  });
  await fc.assert(property, { numRuns: 150, endOnFailure: true });

  // Every operation ran, and every ceiling was reached.
  const names = Object.keys(operations);
  expect([...reached]).toEqual(
    expect.arrayContaining([...names, 's', 'MB', 'MB of payload', 'MB of files', 'requests']),
  );
}, 60_000);

test('holds for ten thousand items of payload', () => {
  delete process.env.N8N_LOAD_TARGET_MAX_PAYLOAD_MEGABYTES;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 11_000 }), { maxLength: 8 }), (numbers) => {
      const budget = findBudget(undefined);
      let reserved = 0;
      for (const items of numbers) {
        try {
          const given = { items, kilobytes: 1, format: 'json', seed: 1 } as Record<string, unknown>;
          budget.reserve(operations.payload.costs(operations.payload.read((name) => given[name])));
          reserved += items;
        } catch (error) {
          const expected =
            error instanceof ParameterError ? { parameter: 'Items' } : { ceiling: ceilings.payloadItems };
          expect(error).toMatchObject(expected);
        }
      }
      expect(reserved).toBeLessThanOrEqual(10_000);
    }),
  );
});
