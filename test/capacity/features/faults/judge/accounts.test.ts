import fc from 'fast-check';
import { accountFor, classifyAnswer } from '../../../../../capacity/src/features/faults/judge/accounts.js';
import { OUTCOMES, type Outcome } from '../../../../../capacity/src/features/faults/record.js';
import { FAULT_AT, fine, SOUND, trialOf, type Story } from './trial.js';

/** The one request, in a trial where everything else was done. */
const outcome = (story: Omit<Story, 'id' | 'sent'>) => {
  const { outcomes } = accountFor(trialOf([{ id: 'it', sent: 1, ...story }]), FAULT_AT);
  const found = OUTCOMES.filter((each) => outcomes[each] > 0);
  expect(found).toHaveLength(1);
  return found[0];
};

const CASES: [string, Omit<Story, 'id' | 'sent'>, Outcome][] = [
  ['done, and a success', { begun: [1], done: [6], listed: 'success' }, 'done'],
  ['done, and no longer listed: successes are not saved', { begun: [1], done: [6] }, 'done'],
  ['done, though n8n lists an error', { begun: [1], done: [6], listed: 'error' }, 'done'],
  ['done, though n8n lists a crash', { begun: [1], done: [6], listed: 'crashed' }, 'done'],
  ['begun twice but done once', { begun: [1, 2], done: [7], listed: 'success' }, 'done'],
  ['done twice', { begun: [1, 2], done: [6, 7], listed: 'success' }, 'twice'],
  ['done twice, and still running', { begun: [1, 2], done: [6, 7], listed: 'running' }, 'stuck'],
  ['begun, then an error', { begun: [1], listed: 'error' }, 'failed'],
  ['never begun, then an error', { listed: 'error' }, 'failed'],
  ['ended by someone', { begun: [1], listed: 'canceled' }, 'failed'],
  ['begun, then a crash', { begun: [1], listed: 'crashed' }, 'crashed'],
  ['never begun, still new', { listed: 'new' }, 'stuck'],
  ['begun, still running', { begun: [1], listed: 'running' }, 'stuck'],
  ['done, still running: it is left behind', { begun: [1], done: [6], listed: 'running' }, 'stuck'],
  ['waiting for ever', { begun: [1], listed: 'waiting' }, 'stuck'],
  ['nothing is known of it', {}, 'vanished'],
  ['begun, and no longer listed', { begun: [1] }, 'vanished'],
  ['a success without the work', { listed: 'success' }, 'vanished'],
  ['a success without the end of the work', { begun: [1], listed: 'success' }, 'vanished'],
  ['a status that n8n does not have today', { begun: [1], listed: 'paused' }, 'vanished'],
];

test.each(CASES)('%s', (_, story, expected) => {
  expect(outcome(story)).toBe(expected);
});

test.each([
  [200, 'accepted'],
  [202, 'accepted'],
  [503, 'refused'],
  [500, 'rejected'],
  [404, 'rejected'],
  [0, 'unanswered'],
] as const)('HTTP %d is %s', (status, told) => expect(classifyAnswer({ status })).toBe(told));

test('the notice of an n8n that starts is no acceptance, although it is HTTP 200', () => {
  expect(classifyAnswer({ status: 200, starting: true })).toBe('rejected');
  const accounts = accountFor(trialOf([{ id: 'early', sent: 1, starting: true }, fine('accepted', 2)]), FAULT_AT);
  expect(accounts).toMatchObject({ told: { accepted: 1, rejected: 1 }, starting: 1, outcomes: { vanished: 0 } });
});

test('callers that were not told of it are counted apart, and named where their request was executed', () => {
  const stories: Story[] = [
    { ...fine('cut off', 1), status: 0, named: false },
    { id: 'never came', sent: 1, status: 0 },
    { ...fine('refused yet run', 1), status: 503 },
    { id: 'error', sent: 1, status: 500 },
    { id: 'orphan', sent: 1, status: 0, listed: 'running' },
    fine('accepted', 1),
  ];
  const accounts = accountFor(trialOf(stories), FAULT_AT);
  expect(accounts.told).toEqual({ accepted: 1, refused: 1, rejected: 1, unanswered: 3 });
  expect(accounts.outcomes).toMatchObject({ done: 1, stuck: 0, vanished: 0 });
  expect(accounts).toMatchObject({ untold: ['cut off', 'refused yet run'], orphans: 1 });
});

test('what was under way when the fault began is counted, what was done or sent later is not', () => {
  expect(accountFor(trialOf(SOUND), FAULT_AT).exposed).toBe(1);
  expect(accountFor(trialOf([fine('before', -20), fine('after', 1)]), FAULT_AT).exposed).toBe(0);
  expect(accountFor(trialOf([{ id: 'lost', sent: -20 }]), FAULT_AT).exposed).toBe(1);
});

test('work that was done although n8n lists a failure is named: a retry repeats it', () => {
  const stories = [{ ...fine('a', 1), listed: 'error' }, { ...fine('b', 1), listed: 'crashed' }, fine('c', 1)];
  expect(accountFor(trialOf(stories), FAULT_AT).misreported).toEqual(['a', 'b']);
});

test('whatever happened, each request is in exactly one place', () => {
  const times = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 3 });
  const story = fc.record({
    sent: fc.integer({ min: -30, max: 60 }),
    status: fc.constantFrom(0, 200, 404, 500, 503),
    begun: times,
    done: times,
    listed: fc.constantFrom(undefined, 'success', 'error', 'crashed', 'new', 'running', 'canceled', 'waiting', 'odd'),
    named: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(story, { maxLength: 20 }), (parts) => {
      const stories = parts.map(({ listed, ...part }, i): Story => ({
        id: `${i}`,
        ...part,
        ...(listed && { listed }),
      }));
      const { told, outcomes, ids } = accountFor(trialOf(stories), FAULT_AT);
      const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
      expect(sum(told)).toBe(stories.length);
      expect(sum(outcomes)).toBe(told.accepted);
      expect(Object.values(ids).flat()).toHaveLength(told.accepted - outcomes.done);
    }),
  );
});
