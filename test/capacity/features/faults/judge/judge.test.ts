import { judgeFault, judgeFaults } from '../../../../../capacity/src/features/faults/judge/judge.js';
import type { FaultsRecord, FaultTrial } from '../../../../../capacity/src/features/faults/record.js';
import { FAULT_AT, fine, SOUND, trialOf, WORK_SECONDS, type Story } from './trial.js';

const RECORD = { workSeconds: WORK_SECONDS, faults: ['worker-kill', 'main-kill'] } as FaultsRecord;
const judged = (stories: Story[], parts?: Partial<FaultTrial>) => judgeFault(trialOf(stories, parts), RECORD);
const without = (trial: FaultTrial, ...keys: (keyof FaultTrial)[]): FaultTrial =>
  Object.fromEntries(Object.entries(trial).filter(([key]) => !keys.includes(key as keyof FaultTrial))) as FaultTrial;

test('everything done once is a PASS', () => {
  expect(judged(SOUND)).toMatchObject({ verdict: 'PASS', reasons: [], recoverySeconds: 0, change: '' });
});

test.each(['error', 'crashed'])('an accepted request that n8n lists as %s is accounted for', (listed) => {
  const row = judged([...SOUND, { id: 'x', sent: -1, begun: [-0.5], listed }]);
  expect(row).toMatchObject({ verdict: 'PASS', accountedSeconds: 59 });
  expect(row.change).not.toBe('');
});

test('what was accepted after the fault does not count for when all that it met was accounted for', () => {
  expect(judged([...SOUND, fine('much later', 80)])).toMatchObject({ accountedSeconds: WORK_SECONDS - 2 });
});

describe('with the rescue', () => {
  const beside = (stories: Story[]) => judgeFault(trialOf(stories), { ...RECORD, rescue: true });
  const crashed: Story = { id: 'x', sent: -1, begun: [-0.5], listed: 'crashed' };

  test('what crashed must have been done', () => {
    expect(beside([...SOUND, crashed])).toMatchObject({
      verdict: 'FAIL',
      reasons: [expect.stringContaining('1 crashed')],
    });
  });

  test('what a retry did passes, and is named', () => {
    const rescued = { ...crashed, done: [70], doneBy: 'retry' };
    expect(beside([...SOUND, rescued])).toMatchObject({
      verdict: 'PASS',
      accountedSeconds: 70,
      accounts: { rescued: ['x'], misreported: [], outcomes: { crashed: 0 } },
      change: '',
    });
    const { answer } = judgeFaults({ ...RECORD, rescue: true, faults: ['worker-kill'] }, [
      trialOf([...SOUND, rescued]),
    ]);
    expect(answer).toContain('by a retry');
  });

  test('work that had ended before the crash is repeated by the retry, and counted twice', () => {
    const repeated = trialOf([...SOUND, { ...crashed, done: [3] }]);
    const again = trialOf([{ ...crashed, done: [70], doneBy: 'retry' }]);
    const trial = {
      ...repeated,
      ledger: [...repeated.ledger!, ...again.ledger!.filter(({ event }) => event === 'done')],
    };
    expect(judgeFault(trial, { ...RECORD, rescue: true })).toMatchObject({
      verdict: 'PASS',
      accounts: { ids: { twice: ['x'] }, rescued: [] },
    });
  });
});

test('duplicates pass, and are named', () => {
  const row = judged([...SOUND, { id: 'x', sent: -1, begun: [0, 1], done: [5, 6], listed: 'success' }]);
  expect(row).toMatchObject({ verdict: 'PASS', accounts: { ids: { twice: ['x'] } } });
});

test.each([
  ['stuck', { listed: 'new' }],
  ['vanished', {}],
] as const)('one accepted request that is %s is a FAIL', (outcome, story) => {
  const row = judged([...SOUND, { id: 'x', sent: -1, ...story }]);
  expect(row).toMatchObject({ verdict: 'FAIL', accounts: { ids: { [outcome]: ['x'] } } });
  expect(row.accountedSeconds).toBeUndefined();
  expect(row.change).not.toBe('');
});

test('a request whose caller got no answer is no loss, whatever became of it', () => {
  expect(judged([...SOUND, { id: 'x', sent: -1, status: 0 }])).toMatchObject({
    verdict: 'PASS',
    accounts: { told: { unanswered: 1 } },
  });
});

test('an n8n that only answers that it starts has not recovered', () => {
  const starting = [1, 10, 46].map((sent): Story => ({ id: `starting${sent}`, sent, starting: true }));
  expect(judged([...SOUND.slice(0, 4), ...starting])).toMatchObject({ verdict: 'FAIL' });
  const good = [14, 15, 16, 17, 18].map((sent) => fine(`good${sent}`, sent));
  expect(judged([...SOUND, ...starting.slice(0, 2), ...good])).toMatchObject({ verdict: 'PASS', recoverySeconds: 14 });
});

test('a deployment that accepts nothing after the fault has not recovered', () => {
  const dead = [1, 10, 46].map((sent): Story => ({ id: `dead${sent}`, sent, status: 0 }));
  expect(judged([...SOUND.slice(0, 4), ...dead])).toMatchObject({
    verdict: 'FAIL',
    accounts: { outcomes: { stuck: 0 } },
  });
});

test('a load that ended soon after the fault does not show that a deployment never recovers, only what it lost', () => {
  const dead = [1, 10, 44].map((sent): Story => ({ id: `dead${sent}`, sent, status: 0 }));
  expect(judged([...SOUND.slice(0, 4), ...dead])).toMatchObject({
    verdict: 'INCONCLUSIVE',
    reasons: [expect.stringContaining('--after')],
  });
  const stuck: Story = { id: 'stuck', sent: -1, listed: 'running' };
  expect(judged([...SOUND.slice(0, 4), ...dead, stuck])).toMatchObject({ verdict: 'FAIL' });
});

test('it has recovered with the first of five requests after the last one that was not done', () => {
  const refused: Story = { id: 'refused', sent: 12, status: 503 };
  const good = [14, 15, 16, 17, 18].map((sent) => fine(`good${sent}`, sent));
  expect(judged([...SOUND, fine('between', 3), refused, ...good]).recoverySeconds).toBe(14);
  // One of many that came through by chance.
  const later: Story = { id: 'later', sent: 50, status: 503 };
  expect(judged([...SOUND, refused, ...good.slice(0, 1), later])).toMatchObject({ verdict: 'FAIL' });
});

/** Trials that say nothing, each of which would be a PASS if only stuck and vanished were counted. */
const DOUBTFUL: [string, FaultTrial][] = [
  ['a ledger that cannot be read', without(trialOf(SOUND), 'ledger')],
  ['executions that cannot be read', without(trialOf(SOUND), 'executions')],
  ['neither', without(trialOf(SOUND), 'ledger', 'executions')],
  ['k6 that failed', trialOf(SOUND, { generatorProblem: 'k6 ended with exit code 107' })],
  ['k6 that sent nothing', trialOf([], { planned: 5 })],
  ['k6 that sent less than it should', trialOf(SOUND, { planned: SOUND.length + 1 })],
  ['k6 that sent an id twice', trialOf([...SOUND, fine('after', 31)])],
  ['a fault that nothing shows', trialOf(SOUND, { injection: { from: FAULT_AT, to: FAULT_AT } })],
  ['a fault that was not tried', without(trialOf(SOUND), 'injection')],
  ['a skipped fault', trialOf([], { skipped: 'a small disk needs root' })],
  ['nothing accepted', trialOf(SOUND.map(({ id, sent }) => ({ id, sent, status: 503 })))],
  ['nothing under way when the fault began', trialOf(SOUND.filter(({ id }) => id !== 'across'))],
  ['answers without an execution', trialOf([...SOUND, { ...fine('x', 1), named: false }])],
  ['nothing before the fault that had the time to be done', trialOf([fine('across', -2), fine('after', 30)])],
  ['losses before the fault', trialOf([...SOUND, { id: 'x', sent: -20, listed: 'crashed' }])],
  ['a backlog before the fault', trialOf([...SOUND, { ...fine('x', -20), done: [4] }])],
  ['refusals before the fault', trialOf([...SOUND, { id: 'x', sent: -20, status: 503 }])],
  ['refusals just before the fault', trialOf([...SOUND, { id: 'x', sent: -1, status: 503 }])],
  [
    'no request after the fault',
    trialOf(SOUND.slice(0, 4), { injection: { from: FAULT_AT, to: FAULT_AT, evidence: 'it' } }),
  ],
  [
    'a fault that outlasts the load',
    trialOf(SOUND, { injection: { from: FAULT_AT, to: FAULT_AT + 60_000, evidence: 'it' } }),
  ],
];

const LATER = [40, 41, 42, 43, 44].map((at) => fine(`later${at}`, at));

/** An overload of 30 s, in which one request came whose story can be replaced. */
const overload = (story: Partial<Story> = {}): FaultTrial =>
  trialOf([...SOUND, { ...fine('meanwhile', 5), ...story }, ...LATER], {
    fault: 'overload',
    injection: { from: FAULT_AT, to: FAULT_AT + 30_000, evidence: 'k6 sent more' },
  });

test('an overload that was taken at once was none; one that waits or is refused was', () => {
  expect(judgeFault(overload(), RECORD).verdict).toBe('INCONCLUSIVE');
  expect(judgeFault(overload({ begun: [9], done: [14] }), RECORD).verdict).toBe('PASS');
  const refused = { status: 503, begun: [], done: [] };
  expect(judgeFault(overload(refused), RECORD).verdict).toBe('PASS');
});

test.each(DOUBTFUL)('%s is INCONCLUSIVE', (_, trial) => {
  const row = judgeFault(trial, RECORD);
  expect(row.verdict).toBe('INCONCLUSIVE');
  expect(row.reasons).not.toEqual([]);
});

test('entries of ids that nobody sent are not this load', () => {
  const trial = trialOf(SOUND);
  const ledger = [...trial.ledger!, { id: 'another', execution: '9', event: 'done' as const, at: FAULT_AT }];
  expect(judgeFault({ ...trial, ledger }, RECORD).verdict).toBe('INCONCLUSIVE');
});

describe('the whole run', () => {
  const pass = trialOf(SOUND);
  const fail = trialOf([...SOUND, { id: 'x', sent: -1 }], { fault: 'main-kill' });

  test('passes once every fault that was asked for has passed', () => {
    const [verdict, left] = [judgeFaults(RECORD, [pass]).verdict, judgeFaults(RECORD, [pass]).left];
    expect({ verdict, left }).toEqual({ verdict: 'INCONCLUSIVE', left: ['main-kill'] });
    expect(judgeFaults(RECORD, [pass, { ...pass, fault: 'main-kill' }]).verdict).toBe('PASS');
  });

  test('fails with its first loss, whatever else is open', () => {
    expect(judgeFaults({ ...RECORD, faults: ['main-kill', 'overload'] }, [fail]).verdict).toBe('FAIL');
  });

  test('a fault that the environment prevented counts as it went when it was tried again', () => {
    const prevented: FaultTrial = { ...pass, skipped: 'not tried: the database cannot be reached', environment: true };
    const one = { ...RECORD, faults: ['worker-kill' as const] };
    expect(judgeFaults(one, [prevented]).verdict).toBe('INCONCLUSIVE');
    expect(judgeFaults(one, [prevented, pass])).toMatchObject({ verdict: 'PASS', rows: [{ fault: 'worker-kill' }] });
  });

  test('without a trial it says nothing', () => {
    expect(judgeFaults(RECORD, []).verdict).toBe('INCONCLUSIVE');
  });

  test('does not call accounted for what was executed', () => {
    const crashed = trialOf([...SOUND, { id: 'x', sent: -1, listed: 'crashed' }]);
    const one = { ...RECORD, faults: ['worker-kill' as const] };
    expect(judgeFaults(one, [crashed]).answer).not.toBe(judgeFaults(one, [pass]).answer);
  });
});

test('lost data of Redis says nothing if no execution waited in it', () => {
  const lost = (stories: Story[]) => judged(stories, { fault: 'redis-data-loss' });
  expect(lost(SOUND)).toMatchObject({
    verdict: 'INCONCLUSIVE',
    reasons: ['no accepted request waited in the queue when its data was lost'],
  });
  const waited: Story = { id: 'waited', sent: -1, begun: [3], done: [8], listed: 'success' };
  expect(lost([...SOUND, waited]).verdict).toBe('PASS');
  expect(lost([...SOUND, { id: 'gone', sent: -1, listed: 'new' }])).toMatchObject({ verdict: 'FAIL' });
});

test('a deployment that does not come back fails, also where its database can no longer be read', () => {
  const injection = { from: FAULT_AT, to: FAULT_AT, evidence: 'x', notBack: 'worker-0 is not ready after 180 s' };
  const trial = trialOf(SOUND, { injection });
  const failed = { verdict: 'FAIL', reasons: [expect.stringContaining('did not come back: worker-0 is not ready')] };
  expect(judgeFault(trial, RECORD)).toMatchObject(failed);
  const unread = judgeFault(without(trial, 'ledger', 'executions'), RECORD);
  expect(unread).toMatchObject(failed);
  expect(unread).not.toHaveProperty('accounts');
});
