import {
  CannotRecord,
  ChartRefused,
  EnvironmentFault,
  Interrupted,
  KnownError,
  messageOf,
  NotReady,
  UsageError,
} from '../../../capacity/src/core/errors.js';

test.each([
  [new UsageError('x')],
  [new ChartRefused('x')],
  [new NotReady('main-0', 'is not ready after 180 s')],
  [new EnvironmentFault('x')],
  [new CannotRecord('x')],
])('%s is an error that the user can act on, and has its own name', (error) => {
  expect(error).toBeInstanceOf(KnownError);
  expect(error.name).toBe(error.constructor.name);
});

test('Interrupted is not a KnownError', () => expect(new Interrupted('SIGINT')).not.toBeInstanceOf(KnownError));

test('errors carry the instance, reason, log or refusal that they report', () => {
  expect(new ChartRefused('main.heap is too large')).toMatchObject({ refusal: 'main.heap is too large' });
  expect(new NotReady('main-0', 'is not ready after 180 s', 'Killed')).toMatchObject({
    instance: 'main-0',
    reason: 'is not ready after 180 s',
    log: 'Killed',
    message: 'main-0 is not ready after 180 s. Killed',
  });
});

test.each([
  [new Error('failed'), 'failed'],
  ['failed', 'failed'],
  [undefined, 'undefined'],
])('messageOf returns the message of %j', (thrown, message) => expect(messageOf(thrown)).toBe(message));
