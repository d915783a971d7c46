import { detectChange, readThresholds, watchedNumber, type Memory, type Thresholds } from '../../nodes/BullQueue/alarm';
import { BullQueueTrigger } from '../../nodes/BullQueue/BullQueueTrigger.node';
import { ParameterError } from '../../nodes/shared/parameters';
import { credential } from './queue/execution';

const thresholds: Thresholds = { watch: 'waiting', beginsAbove: 100, endsBelow: 20 };

/** The events of polls that read these numbers, one poll a minute. */
function pollEvents(values: number[], limits = thresholds, memory: Memory = {}): Array<unknown> {
  return values.map((value, minute) => {
    const changed = detectChange(value, limits, memory, minute * 60_000);
    Object.assign(memory, changed?.memory);
    return changed?.event.event;
  });
}

describe('a backlog', () => {
  test('begins once and ends once, however the number moves between the two thresholds', () => {
    const began = [undefined, undefined, 'began', undefined, undefined, undefined, undefined];
    expect(pollEvents([0, 100, 101, 20, 99, 5000, 101])).toEqual(began);
    expect(pollEvents([101, 20, 19, 19, 100, 101])).toEqual([
      'began',
      undefined,
      'ended',
      undefined,
      undefined,
      'began',
    ]);
  });

  test('ends with an empty queue, also where Ends Below is 0', () => {
    expect(pollEvents([1, 1, 0], { ...thresholds, beginsAbove: 0, endsBelow: 0 })).toEqual([
      'began',
      undefined,
      'ended',
    ]);
  });

  test('has a beginning and a length, also if n8n kept them as JSON', () => {
    const memory = JSON.parse(JSON.stringify(detectChange(200, thresholds, {}, 1_000)!.memory));
    expect(detectChange(3, thresholds, memory, 91_000)!.event).toEqual({
      event: 'ended',
      beganAt: '1970-01-01T00:00:01.000Z',
      lastedSeconds: 90,
    });
  });
});

test('the watched number is the waiting jobs, the unfinished jobs or the age in seconds', () => {
  const counts = { waiting: 3, active: 2, delayed: 9, paused: 4, completed: 0, failed: 0, added: 18, isPaused: true };
  expect(watchedNumber('waiting', counts, null)).toBe(7);
  expect(watchedNumber('unfinished', counts, null)).toBe(9);
  expect(watchedNumber('age', counts, 1500)).toBe(1.5);
  expect(watchedNumber('age', counts, null)).toBe(0);
});

describe('parameters', () => {
  const read = (parameters: object) => readThresholds((name) => ({ ...thresholds, ...parameters })[name as 'watch']);

  test.each([
    [{ watch: 'failed' }, 'Watch'],
    [{ beginsAbove: -1 }, 'Begins Above'],
    [{ endsBelow: 'few' }, 'Ends Below'],
    [{ beginsAbove: 5, endsBelow: 6 }, 'Ends Below'],
  ])('%j is refused', (parameters, parameter) => {
    expect(() => read(parameters)).toThrow(expect.objectContaining({ constructor: ParameterError, parameter }));
  });

  test('an unreachable Redis is an error of the node, and the memory does not change', async () => {
    const memory = {};
    const poll = new BullQueueTrigger().poll.call({
      getNodeParameter: (name: string) => ({ ...thresholds, queue: '' })[name],
      getCredentials: () => Promise.resolve(credential({ host: 'nowhere.invalid' })),
      getMode: () => 'trigger',
      getNode: () => ({ name: 'Bull Queue Trigger', type: 'n8n-nodes-tuned.bullQueueTrigger' }),
      getWorkflowStaticData: () => memory,
    } as never);
    await expect(poll).rejects.toMatchObject({ name: 'NodeOperationError' });
    expect(memory).toEqual({});
  });
});
