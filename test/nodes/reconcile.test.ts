import { compareWithJobs, commonFindings, hasFindings, type Findings } from '../../nodes/BullQueue/compare';
import { readExecutions, type Execution } from '../../nodes/BullQueue/executions';
import type { ReadJob } from '../../nodes/BullQueue/queue/snapshot';
import { ParameterError } from '../../nodes/shared/parameters';

/** Tests the comparison of n8n's executions with the jobs of the queue. */

const execution = (id: string, status: string, more: Partial<Execution> = {}): Execution => ({
  ...{ id, status, mode: 'webhook', workflowId: 'w1', startedAt: null },
  ...more,
});
const job = (executionId: unknown, more: Partial<ReadJob> = {}): ReadJob => ({
  ...{ queue: 'bull:jobs', id: `j${String(executionId)}`, state: 'active', data: { executionId }, timestamp: 0 },
  ...more,
});

/** The ids of the executions that were found, by kind. */
const findIds = (executions: Execution[], jobs: ReadJob[], manualHaveJobs = false) => {
  const { withoutJob, ended, notListed, ...counts } = compareWithJobs(executions, jobs, manualHaveJobs);
  return {
    withoutJob: withoutJob.map(({ id }) => id),
    ended: ended.map(({ execution: { id }, job: { id: jobId } }) => [id, jobId]),
    notListed: notListed.map(({ id }) => id),
    ...counts,
  };
};
const nothing = { withoutJob: [], ended: [], notListed: [], compared: 0, needNoJob: 0 };

describe('an execution in progress', () => {
  test.each(['new', 'running'])('%s, with its job in any state, fits', (status) => {
    for (const state of ['waiting', 'active', 'delayed', 'paused'] as const) {
      expect(findIds([execution('1', status)], [job('1', { state })])).toEqual({ ...nothing, compared: 1 });
    }
  });

  test.each(['new', 'running'])('%s without a job is found', (status) => {
    expect(findIds([execution('1', status), execution('2', status)], [job('2')])).toEqual({
      ...{ ...nothing, compared: 2, withoutJob: ['1'] },
    });
  });

  test('its job may be in the queue of a worker pool, and may hold a number as id', () => {
    expect(findIds([execution('7', 'running')], [job(7, { queue: 'bull:jobs-pool' })]).withoutJob).toEqual([]);
  });

  test.each(['webhook', 'trigger', 'error', 'retry', 'chat', undefined])('of mode %s needs a job', (mode) => {
    expect(findIds([execution('1', 'running', { mode })], [])).toMatchObject({ withoutJob: ['1'], needNoJob: 0 });
  });

  test.each(['integrated', 'cli', 'internal', 'manual', 'evaluation', 'a later one'])(
    'of mode %s needs none',
    (mode) => {
      expect(findIds([execution('1', 'running', { mode })], [])).toEqual({ ...nothing, needNoJob: 1 });
    },
  );

  test('that was started by hand needs a job if n8n hands those to workers', () => {
    expect(findIds([execution('1', 'new', { mode: 'manual' })], [], true)).toMatchObject({ withoutJob: ['1'] });
  });
});

describe('an execution that has ended', () => {
  test.each(['success', 'error', 'failed', 'crashed', 'canceled'])('%s, with a job, is found', (status) => {
    expect(findIds([execution('1', status)], [job('1')])).toEqual({ ...nothing, ended: [['1', 'j1']] });
  });

  test('without a job fits', () => expect(findIds([execution('1', 'success')], [])).toEqual(nothing));

  test('that is also given as running has ended, whichever comes first', () => {
    const [running, crashed] = [execution('1', 'running'), execution('1', 'crashed')];
    expect(findIds([running, crashed], [])).toEqual(nothing);
    expect(findIds([crashed, running], [job('1')])).toEqual({ ...nothing, ended: [['1', 'j1']] });
  });
});

test.each(['waiting', 'unknown', 'a later one'])('an execution with the status %s is never reported', (status) => {
  expect(findIds([execution('1', status)], [])).toEqual(nothing);
  expect(findIds([execution('1', status)], [job('1')])).toEqual(nothing);
});

test('a job whose execution was not given is found; one that is not of n8n is not', () => {
  expect(findIds([], [job('1'), job(undefined), job(null), job('x', { data: 'text' })])).toEqual({
    ...{ ...nothing, notListed: ['j1'] },
  });
});

describe('a finding counts if it lasts', () => {
  const ids = ({ withoutJob, ended, notListed }: Findings) => [
    withoutJob.map(({ id }) => id),
    ended.map(({ job: { id } }) => id),
    notListed.map(({ id }) => id),
  ];
  const first = compareWithJobs(
    [execution('1', 'new'), execution('2', 'new'), execution('3', 'error')],
    [job('3'), job('4')],
    false,
  );

  test('all that both readings have', () =>
    expect(ids(commonFindings(first, first))).toEqual([['1', '2'], ['j3'], ['j4']]));

  test('not an execution that was just being enqueued, nor a job that was just being removed', () => {
    const later = compareWithJobs(
      [execution('1', 'new'), execution('2', 'new'), execution('3', 'error')],
      [job('2')],
      false,
    );
    expect(ids(commonFindings(first, later))).toEqual([['1'], [], []]);
  });

  test('not what only the later reading has, nor a job of the same number in another queue', () => {
    const empty = compareWithJobs([], [], false);
    expect(hasFindings(commonFindings(empty, first))).toBe(false);
    expect(hasFindings(first)).toBe(true);
    const elsewhere = compareWithJobs([execution('3', 'error')], [job('3', { queue: 'bull:jobs-pool' })], false);
    expect(ids(commonFindings(first, elsewhere))).toEqual([[], [], []]);
  });
});

describe('the input items', () => {
  test('are read as n8n outputs them; the empty item of a node that found nothing is left out', () => {
    const item = { id: 5, status: 'new', mode: 'trigger', workflowId: 'w1', startedAt: null, retryOf: null };
    expect(readExecutions([item, {}, { id: '6', status: 'running' }])).toEqual([
      { id: '5', status: 'new', mode: 'trigger', workflowId: 'w1', startedAt: null },
      { id: '6', status: 'running', workflowId: null, startedAt: null },
    ]);
  });

  test.each([
    [{ status: 'new' }],
    [{ id: '', status: 'new' }],
    [{ id: '1' }],
    [{ id: '1', status: 5 }],
    [{ data: [] }],
  ])('%j is no execution', (item) => {
    expect(() => readExecutions([item])).toThrow(ParameterError);
    expect(() => readExecutions([{ id: '1', status: 'new' }, item])).toThrow(/item 1/);
  });
});
