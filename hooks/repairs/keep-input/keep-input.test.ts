import { createRequire } from 'node:module';

type Execution = { status: string; data?: { resultData: { error?: { message: string } } }; workflowData?: object };
interface Store {
  updateExistingExecution(id: string, execution: Execution, ...conditions: object[]): unknown;
}
interface Runner {
  processError: (error: Error, startedAt: Date, mode: string, id: string) => Promise<void>;
}
const { markCrashed } = createRequire(import.meta.url)('./index.js') as {
  markCrashed: (runner: Runner, store: Store, isStalled: (error: Error) => boolean, unended?: object) => void;
};

class Stalled extends Error {}
const isStalled = (error: Error) => error instanceof Stalled;

/** What the store is asked to write when n8n ends execution 7 with an error, and writes this meanwhile. */
async function written(error: Error, execution: Execution, unended?: object) {
  const calls: unknown[] = [];
  const store: Store = {
    updateExistingExecution: (id, given, ...conditions) => calls.push({ id, execution: given, conditions }),
  };
  const runner: Runner = {
    processError: async () => void store.updateExistingExecution('7', execution, { requireNotCanceled: true }),
  };
  markCrashed(runner, store, isStalled, unended);
  await runner.processError(error, new Date(), 'webhook', '7');
  return calls;
}

const TEXT = 'This execution failed to be processed too many times';
const ended = (status: string, message?: string): Execution => ({
  status,
  data: { resultData: message === undefined ? {} : { error: { message } } },
  workflowData: {},
});
const conditions = [{ requireNotCanceled: true }];

describe('an execution whose worker died', () => {
  it('is marked as crashed, and its data is left alone', async () =>
    expect(await written(new Stalled(), ended('error', TEXT))).toEqual([
      { id: '7', execution: { status: 'crashed' }, conditions },
    ]));

  it('is known by the class of its error: one that fails with the same text keeps its data', async () => {
    const execution = ended('error', TEXT);
    expect(await written(new Error(TEXT), execution)).toEqual([{ id: '7', execution, conditions }]);
  });

  it('is marked only while n8n ends it, and no other one is', async () => {
    const calls: unknown[] = [];
    const store: Store = { updateExistingExecution: (id, execution) => calls.push([id, execution.status]) };
    const runner: Runner = {
      processError: async () => {
        store.updateExistingExecution('8', ended('error', TEXT));
        store.updateExistingExecution('7', { status: 'running' });
      },
    };
    markCrashed(runner, store, isStalled);
    await runner.processError(new Stalled(), new Date(), 'webhook', '7');
    store.updateExistingExecution('7', ended('error', TEXT));
    expect(calls).toEqual([
      ['8', 'error'],
      ['7', 'running'],
      ['7', 'error'],
    ]);
  });

  it('is not marked if it has ended: a worker may be lost after it wrote that', async () => {
    const unended = { in: ['new', 'running'] };
    expect(await written(new Stalled(), ended('error', TEXT), unended)).toEqual([
      { id: '7', execution: { status: 'crashed' }, conditions: [{ requireStatus: unended }] },
    ]);
  });

  it.each([
    [{}, { updateExistingExecution: () => 1 }],
    [{ processError: async () => {} }, {}],
  ])('is not kept by an n8n without these parts: the hook says so', (runner, store) =>
    expect(() => markCrashed(runner as Runner, store as Store, isStalled)).toThrow(TypeError),
  );
});
