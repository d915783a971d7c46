import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chart, container, env, own, queue, render, type Values } from './render.js';

type Write = (...args: unknown[]) => Promise<unknown>;
interface Here {
  pause: (ms: number) => Promise<void>;
  now: () => number;
  warn: (text: string) => void;
}
const { isPassing, readAgain, settleAgain, writeAgain } = createRequire(import.meta.url)(
  join(chart, 'files/hooks/save-again.js'),
) as {
  isPassing: (error: unknown) => boolean;
  writeAgain: (store: object, longest: number, name: string, here: Here) => void;
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

describe('the end of an execution', () => {
  it.each([
    failure('25006', 'cannot execute UPDATE in a read-only transaction'),
    failure('58030'),
    failure('55P03'),
    failure('ENETUNREACH'),
    new Error('Timed out after 30000ms waiting for database connection recovery'),
    new Error('Cannot use a pool after calling end on the pool'),
    new Error('Client was closed and is not queryable'),
  ])('may be taken later after %p', (error) => expect(isPassing(error)).toBe(true));

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
    expect(warnings).toEqual(['n8n-tuned: the end of execution 7 is written again: no answer']);
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

  it.each([
    ['a stop of PostgreSQL', failure('57P01', 'terminating connection due to administrator command')],
    ['a lost connection', failure('08006')],
    ['no connection left', failure('53300', 'sorry, too many clients already')],
    ['a busy SQLite', failure('SQLITE_BUSY: database is locked')],
    ['a full disk, wrapped by TypeORM', Object.assign(new Error('x'), { driverError: failure('53100') })],
    ['an error of the driver', new Error('Connection terminated unexpectedly')],
    ['no connection of the pool', new Error('timeout exceeded when trying to connect')],
  ])('may be taken later: %s', (_, error) => expect(isPassing(error)).toBe(true));

  it.each([
    ['a missing table', failure('42P01')],
    ['a character that text cannot hold', failure('22P05')],
    ['a mistake in the code', new TypeError('x is undefined')],
    ['nothing', undefined],
  ])('would fail again: %s', (_, error) => expect(isPassing(error)).toBe(false));

  it('of a store that writes elsewhere is not touched', () => {
    expect(() => writeAgain({}, 1, UPDATE, here)).toThrow(TypeError);
  });
});

describe('executions.recovery.saveAgainSeconds', () => {
  const asked = (values: Values, component: 'main' | 'webhook' | 'worker') =>
    env(render(values), component).N8N_TUNED_SAVE_AGAIN_SECONDS;
  const once = { executions: { recovery: { saveAgainSeconds: 0 } } };

  it('reaches every process that executes or starts executions', () => {
    for (const component of ['main', 'webhook', 'worker'] as const) expect(asked(queue(), component)).toBe('60');
    expect(asked({}, 'main')).toBe('60');
  });

  it('is not for n8n 0.x, which keeps executions elsewhere', () =>
    expect(asked(own(1, '1Gi'), 'main')).toBeUndefined());

  it('gives workers the hooks, and nothing else of them', () => {
    const { env: variables, volumeMounts } = container(render(queue()), 'worker');
    expect(volumeMounts).toContainEqual({ name: 'hooks', mountPath: '/opt/n8n-tuned', readOnly: true });
    const own = (variables as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('N8N_TUNED_'));
    expect(own).toEqual(['N8N_TUNED_SAVE_AGAIN_SECONDS']);
  });

  it('0: workers have the hooks, of which the others still work', () => {
    for (const component of ['main', 'worker'] as const) expect(asked(queue(once), component)).toBeUndefined();
    expect(env(render(queue(once)), 'worker').EXTERNAL_HOOK_FILES).toBe('/opt/n8n-tuned/hooks.js');
  });
});
