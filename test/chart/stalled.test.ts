import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chart, env, queue, render, type Values } from './render.js';

type Execution = { status: string; data?: { resultData: { error?: { message: string } } }; workflowData?: object };
interface Store {
  updateExistingExecution(id: string, execution: Execution, ...conditions: object[]): unknown;
}
const { markCrashed } = createRequire(import.meta.url)(join(chart, 'files/hooks/stalled.js')) as {
  markCrashed: (store: Store, message: string, unended?: object) => void;
};

describe('an execution whose worker died', () => {
  const [crashed, unchanged] = [
    { id: '7', execution: { status: 'crashed' }, conditions: [{ requireNotCanceled: true }] },
    (execution: Execution) => ({ id: '7', execution, conditions: [{ requireNotCanceled: true }] }),
  ];
  /** What the store is asked to write for an execution that ended in this way. */
  function written(execution: Execution) {
    const store = {
      calls: [] as unknown[],
      updateExistingExecution(id: string, given: Execution, ...conditions: object[]) {
        return this.calls.push({ id, execution: given, conditions });
      },
    };
    markCrashed(store, 'stalled');
    expect(store.updateExistingExecution('7', execution, { requireNotCanceled: true })).toBe(1);
    return store.calls[0];
  }
  const ended = (status: string, message?: string): Execution => ({
    status,
    data: { resultData: message === undefined ? {} : { error: { message } } },
    workflowData: {},
  });

  it('is marked as crashed, and its data is left alone', () => {
    expect(written(ended('error', 'stalled'))).toEqual(crashed);
  });

  it.each([ended('success'), ended('error', 'no such host'), { status: 'running' }])(
    'no other one: %j',
    (execution) => {
      expect(written(execution)).toEqual(unchanged(execution));
    },
  );

  it('only if it has not ended: a worker may be lost after it wrote that', () => {
    const asked: object[][] = [];
    const store = {
      updateExistingExecution: (_: string, __: Execution, ...conditions: object[]) => asked.push(conditions),
    };
    const unended = { in: ['new', 'running'] };
    markCrashed(store, 'stalled', unended);
    store.updateExistingExecution('7', ended('error', 'stalled'), {
      requireNotCanceled: true,
      requireNotFinished: true,
    });
    store.updateExistingExecution('7', ended('error', 'other'), { requireNotCanceled: true });
    expect(asked).toEqual([[{ requireNotFinished: true, requireStatus: unended }], [{ requireNotCanceled: true }]]);
  });

  const asked = (values: Values, component: 'main' | 'webhook' | 'worker') =>
    env(render(values), component).N8N_TUNED_KEEP_INPUT;

  it('by the processes that put executions into the queue', () => {
    expect([asked(queue(), 'main'), asked(queue(), 'webhook'), asked(queue(), 'worker')]).toEqual([
      'true',
      'true',
      undefined,
    ]);
    expect(asked({}, 'main')).toBeUndefined();
    expect(asked(queue({ executions: { recovery: { keepInput: false } } }), 'main')).toBeUndefined();
  });
});
