import { createRequire } from 'node:module';

type Write = (...args: unknown[]) => Promise<unknown>;
interface Here {
  pause: (ms: number) => Promise<void>;
  now: () => number;
  warn: (text: string) => void;
}
const { writeAgain } = createRequire(import.meta.url)('./index.js') as {
  writeAgain: (store: object, longest: number, name: string, here: Here) => void;
};

const UPDATE = 'updateExistingExecution';
const failure = (code: string, message = '') => Object.assign(new Error(message), { code });

/** What a store that fails so often with an error does in the end, how often it was asked, and after how many milliseconds. */
async function written(failures: number, error: Error, name = UPDATE) {
  let [calls, time] = [0, 0];
  const write: Write = (...args) => (++calls <= failures ? Promise.reject(error) : Promise.resolve(args));
  const store = { [name]: write };
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  writeAgain(store, 60_000, name, { pause: (ms) => Promise.resolve(void (time += ms)), now: () => time, warn });
  const result = await store[name]!('7', { status: 'success' }).catch((e: unknown) => e);
  return { result, calls, time, warnings };
}

const here = { pause: () => Promise.resolve(), now: () => 0, warn: () => {} };

describe('the end of an execution', () => {
  it('is alone written again, and nothing cancels it meanwhile', async () => {
    const asked: unknown[] = [];
    let isDown = true;
    const store = {
      updateExistingExecution: (_: unknown, update: { status?: string }) => {
        asked.push(update.status);
        return isDown ? Promise.reject(failure('57P03')) : Promise.resolve(true);
      },
    };
    let paused = () => {};
    const pause = () => new Promise<void>((resolve) => (paused = resolve));
    writeAgain(store, 60_000, UPDATE, { pause, now: () => 0, warn: () => {} });
    // The results of a node, which n8n writes while it goes on.
    await expect(store.updateExistingExecution('7', { status: 'running' })).rejects.toThrow();
    const end = store.updateExistingExecution('7', { status: 'success' });
    await new Promise(setImmediate);
    expect(await store.updateExistingExecution('7', { status: 'canceled' })).toBe(false);
    isDown = false;
    paused();
    expect(await end).toBe(true);
    expect(asked).toEqual(['running', 'success', 'success']);
    expect(await store.updateExistingExecution('7', { status: 'canceled' })).toBe(true);
  });

  it('of one that is put aside may be cancelled meanwhile: it would go on later', async () => {
    const taken: unknown[] = [];
    const store = {
      updateExistingExecution: (_: unknown, { status }: { status?: string }) => {
        if (status === 'waiting') return Promise.reject(failure('57P03'));
        return Promise.resolve(taken.push(status) > 0);
      },
    };
    writeAgain(store, 60_000, UPDATE, { pause: () => new Promise<void>(() => {}), now: () => 0, warn: () => {} });
    void store.updateExistingExecution('7', { status: 'waiting' });
    await new Promise(setImmediate);
    expect(await store.updateExistingExecution('7', { status: 'canceled' })).toBe(true);
    expect(taken).toEqual(['canceled']);
  });

  it('is written once where the database takes it', async () => {
    expect(await written(0, failure(''))).toEqual({
      result: ['7', { status: 'success' }],
      calls: 1,
      time: 0,
      warnings: [],
    });
  });

  it('is written again, after longer and longer pauses, until the database takes it', async () => {
    const { result, calls, time, warnings } = await written(8, failure('ECONNREFUSED', 'no answer'));
    expect(warnings).toEqual(['the end of execution 7 is written again: no answer']);
    expect(result).toEqual(['7', { status: 'success' }]);
    expect(calls).toBe(9);
    // 0.25 + 0.5 + 1 + 2 + 4 + 5 + 5 + 5
    expect(time).toBe(22_750);
  });

  it('is deleted again where it is not saved', async () => {
    expect(await written(2, failure('57P03'), 'deleteInFlightExecution')).toMatchObject({ calls: 3 });
  });

  it('is given up after the time, with the error', async () => {
    const error = failure('53100');
    const { result, time } = await written(Infinity, error);
    expect(result).toBe(error);
    expect(time).toBeGreaterThan(50_000);
    expect(time).toBeLessThanOrEqual(60_000);
  });

  it('is not written again after an error that would come again', async () => {
    const error = failure('23505', 'duplicate key');
    expect(await written(1, error)).toEqual({ result: error, calls: 1, time: 0, warnings: [] });
  });

  it('of a store that writes elsewhere is not touched', () => {
    expect(() => writeAgain({}, 1, UPDATE, here)).toThrow(TypeError);
  });
});
