import { createRequire } from 'node:module';

type Write = (...args: unknown[]) => Promise<unknown>;
interface Here {
  pause: (ms: number) => Promise<void>;
  now: () => number;
  warn: (text: string) => void;
}
const { readAgain, settleAgain } = createRequire(import.meta.url)('./index.js') as {
  readAgain: (store: { findSingleExecution: Write }, longest: number, here: Here) => void;
  settleAgain: (
    runner: {
      enqueueExecution: Write;
      processError: Write;
      activeExecutions: { has: (id: unknown) => boolean; finalizeExecution: (id: unknown, run: unknown) => void };
    },
    store: { findSingleExecution: Write },
    longest: number,
    here: Here,
  ) => void;
};

const failure = (code: string, message = '') => Object.assign(new Error(message), { code });
let time = 0;
const here = { pause: (ms: number) => Promise.resolve(void (time += ms)), now: () => time, warn: () => {} };

describe('while the database is away', () => {
  const down = (times: number) => {
    let calls = 0;
    return {
      findSingleExecution: (...args: unknown[]) =>
        ++calls <= times ? Promise.reject(failure('57P03')) : Promise.resolve(args),
      calls: () => calls,
    };
  };
  it('a worker reads the execution of a job again, and does not fail the job', async () => {
    const store = down(4);
    readAgain(store, 60_000, here);
    expect(await store.findSingleExecution('7')).toEqual(['7']);
    expect(store.calls()).toBe(5);
  });

  it('who put an execution into the queue notes its failure when the database is back, and at the latest after the time', async () => {
    for (const [times, asked] of [
      [4, 5],
      [Infinity, 16],
    ]) {
      const store = down(times!);
      const settled: unknown[][] = [];
      const runner = {
        processError: (...args: unknown[]) => Promise.resolve(void settled.push(args)),
        enqueueExecution: () => Promise.resolve(),
        activeExecutions: { has: () => true, finalizeExecution: () => {} },
      };
      settleAgain(runner, store, 60_000, here);
      const args = [new Error('job failed'), new Date(), 'webhook', '7', {}];
      await runner.processError(...args);
      expect(settled).toEqual([args]);
      expect(store.calls()).toBe(asked);
    }
  });

  describe('who put an execution into the queue', () => {
    const DATA = { includeData: true, unflattenData: true };
    /** Who asks: the runner in the course of `enqueueExecution`, or somebody else. */
    const readBy = async (times: number, { by = 'runner', options = DATA, parent = {} } = {}) => {
      const store = down(times);
      const answered: unknown[] = [];
      const ask = () => store.findSingleExecution('mine', options).catch(() => 'failed');
      const active = {
        has: (one: unknown) => one === 'mine',
        finalizeExecution: (...of: unknown[]) => answered.push(of),
        activeExecutions: { mine: { executionData: { executionData: parent } } },
      };
      const runner = {
        processError: () => Promise.resolve(),
        enqueueExecution: async (): Promise<unknown> => (await new Promise(setImmediate), ask()),
        activeExecutions: active,
      };
      settleAgain(runner, store, 60_000, here);
      const enqueue = runner.enqueueExecution as (id: string) => Promise<unknown>;
      const result = await (by === 'runner' ? enqueue('mine') : by === 'another' ? enqueue('other') : ask());
      return { result, calls: store.calls(), answered };
    };

    it('reads it again when its job is done, so that its caller is answered', async () => {
      expect(await readBy(4)).toEqual({ result: ['mine', DATA], calls: 5, answered: [] });
    });
    it('tells its caller that it failed when the database stays away: n8n takes no result for a success', async () => {
      const failed = {
        finished: false,
        status: 'error',
        data: { resultData: { error: expect.any(Error), runData: {} } },
      };
      expect(await readBy(Infinity)).toEqual({
        result: 'failed',
        calls: 16,
        answered: [['mine', expect.objectContaining(failed)]],
      });
    });
    it('has no result where another execution would go on with it', async () => {
      const parent = { parentExecution: { executionId: '1', shouldResume: true } };
      expect((await readBy(Infinity, { parent })).answered).toEqual([['mine', undefined]]);
      const sent = { parentExecution: { executionId: '1', shouldResume: false } };
      expect((await readBy(Infinity, { parent: sent })).answered).toEqual([['mine', expect.any(Object)]]);
    });
    it.each([{ by: 'the editor' }, { by: 'another' }, { options: { includeData: false, unflattenData: true } }])(
      'reads what %j asks for once, and ends nothing',
      async (asked) => expect(await readBy(Infinity, asked)).toEqual({ result: 'failed', calls: 1, answered: [] }),
    );
  });
});
