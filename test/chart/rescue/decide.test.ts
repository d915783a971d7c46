import { at, decide, POLICY, type Listed } from './files.js';

/** What becomes of executions: fates by id. */
const fates = (executions: Listed[], now: number, policy = {}) =>
  Object.fromEntries(
    decide(executions, { ...POLICY, ...policy }, 1000 * now).map(({ id, fate, tries }) => [id, `${fate} ${tries}`]),
  );
const lost = (given: Partial<Listed> = {}): Listed => ({
  ...{ id: 1, workflowId: 'w', status: 'crashed', mode: 'webhook', startedAt: at(0), stoppedAt: at(100) },
  ...given,
});
const retry = (id: number, status: string, given: Partial<Listed> = {}): Listed =>
  lost({ id, status, mode: 'retry', retryOf: '1', startedAt: at(200), stoppedAt: at(300), ...given });

describe('a crashed execution', () => {
  it('is due a time after the crash, and twice as long after each crashed retry', () => {
    expect([fates([lost()], 159), fates([lost()], 160)]).toEqual([{ 1: 'pending 0' }, { 1: 'due 0' }]);
    const again = [lost(), retry(2, 'crashed')];
    expect([fates(again, 419), fates(again, 420)]).toEqual([{ 1: 'pending 1' }, { 1: 'due 1' }]);
  });

  it('is given up after the maximum number of retries', () => {
    expect(fates([lost(), ...[2, 3, 4].map((id) => retry(id, 'crashed'))], 1000)).toEqual({ 1: 'given_up 3' });
    expect(fates([lost(), retry(2, 'crashed')], 1000, { maxTries: 1 })).toEqual({ 1: 'given_up 1' });
  });

  it.each(['new', 'running', 'waiting'])('is left alone while a retry is %s', (status) => {
    expect(fates([lost(), retry(2, 'crashed'), retry(3, status)], 1000)).toEqual({ 1: 'running 2' });
  });

  it.each(['error', 'canceled'])('is left to people when a retry ends as %s', (status) => {
    expect(fates([lost(), retry(2, status)], 1000)).toEqual({ 1: 'failed 1' });
  });

  it('is rescued when n8n names the retry that succeeded', () => {
    expect(fates([lost({ retrySuccessId: '2' })], 1000)).toEqual({ 1: 'rescued 0' });
  });

  it.each(['integrated', 'manual', 'evaluation'])('is not rescued in the mode %s', (mode) => {
    expect(fates([lost({ mode })], 1000)).toEqual({});
  });

  it('is rescued when a retry of its retry succeeded, which n8n names there alone', () => {
    const byHand = [lost(), retry(2, 'crashed', { retrySuccessId: '3' }), retry(3, 'success', { retryOf: '2' })];
    expect(fates(byHand, 1000)).toEqual({ 1: 'rescued 2' });
    expect(fates(byHand.slice(0, 2), 1000)).toEqual({ 1: 'rescued 1' });
    expect(fates([lost(), retry(2, 'crashed'), retry(3, 'running', { retryOf: '2' })], 1000)).toEqual({
      1: 'running 2',
    });
  });

  it('is reported for an hour but not retried if it crashed long ago', () => {
    expect(fates([lost()], 1100)).toEqual({ 1: 'due 0' });
    expect(fates([lost()], 1101)).toEqual({ 1: 'expired 0' });
    expect(fates([lost({ retrySuccessId: '2' })], 1101)).toEqual({ 1: 'rescued 0' });
    expect([fates([lost()], 1100 + 3600), fates([lost()], 1101 + 3600)]).toEqual([{ 1: 'expired 0' }, {}]);
  });

  it('is due also if it began long ago and waited before it crashed', () => {
    expect(fates([lost({ startedAt: at(-90_000) })], 1000)).toEqual({ 1: 'due 0' });
  });

  it('counts from its end if it never began', () => {
    expect(fates([lost({ startedAt: null })], 1050)).toEqual({ 1: 'due 0' });
  });
});

test('the oldest executions come first, by number, and a retry of another execution does not count', () => {
  const executions = [lost({ id: 10 }), lost({ id: 9 }), retry(11, 'running', { retryOf: '9' })];
  expect(decide(executions, POLICY, 500_000).map(({ id, fate }) => [id, fate])).toEqual([
    ['9', 'running'],
    ['10', 'due'],
  ]);
});
