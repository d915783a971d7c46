import fc from 'fast-check';
import { percentile } from '../../../capacity/src/stats/intervals.js';
import { Requests } from '../../../capacity/src/load/requests.js';
import { isNeverStarted, REFUSED, type RequestSample } from '../../../capacity/src/load/samples.js';

const FROM = 1_800_000_000_000;
const SLO = { p95: 2, errors: 0.01 };

const request = fc
  .record({
    second: fc.integer({ min: 0, max: 30 }),
    ms: fc.integer({ min: 0, max: 5000 }),
    correct: fc.boolean(),
    measured: fc.boolean(),
  })
  .map(({ second, ms, correct, measured }) => ({
    measured,
    sample: {
      workload: 'w',
      sentAt: FROM + second * 1000,
      endedAt: FROM + second * 1000 + ms,
      correct,
      ...(!correct && { failure: 'HTTP 500' }),
    } satisfies RequestSample,
  }));

test('a streamed summary equals one of requests in memory', () => {
  fc.assert(
    fc.property(fc.array(request, { maxLength: 3000 }), (all) => {
      const requests = new Requests({ w: 1 }, SLO);
      for (const { sample, measured } of all) requests.add(sample, measured);
      const summary = requests.summary(FROM);
      const measured = all.filter((r) => r.measured).map((r) => r.sample);
      const overheads = (of: RequestSample[]) =>
        of
          .filter((s) => s.correct)
          .map((s) => Math.max(0, (s.endedAt - s.sentAt) / 1000 - 1))
          .sort((a, b) => a - b);
      const sorted = overheads(measured);
      expect(summary).toMatchObject({
        offered: measured.length,
        answered: sorted.length,
        failed: measured.length - sorted.length,
        slow: { p95: sorted.filter((overhead) => overhead > SLO.p95).length },
        latency: sorted.length === 0 ? null : { p95: percentile(sorted, 0.95), max: sorted.at(-1) },
      });
      const seconds = [...new Set(measured.map((s) => (s.sentAt - FROM) / 1000))].sort((a, b) => a - b);
      expect(summary.seconds).toEqual(
        seconds.map((at) => {
          const inIt = measured.filter((s) => s.sentAt === FROM + at * 1000);
          const answered = overheads(inIt);
          const p50 = answered.length > 0 && { p50: percentile(answered, 0.5) };
          const slow = answered.filter((overhead) => overhead > SLO.p95).length;
          const failed = inIt.length - answered.length;
          return {
            at,
            sent: inIt.length,
            answered: answered.length,
            failed,
            ...p50,
            ...(slow > 0 && { slow: { p95: slow } }),
          };
        }),
      );
      expect([...requests.acceptedTimes()]).toEqual(
        all
          .filter((r) => r.sample.correct)
          .map((r) => r.sample.sentAt)
          .sort((a, b) => a - b),
      );
    }),
  );
});

test('requests that ended after the step are ignored', () => {
  const requests = new Requests({}, SLO, FROM + 1000);
  const sample = { workload: 'w', sentAt: FROM, endedAt: FROM + 1000, correct: true };
  requests.add(sample, true);
  requests.add({ ...sample, endedAt: FROM + 1001, correct: false, failure: 'no answer (k6 1000)' }, true);
  expect(requests.summary(FROM)).toMatchObject({ answered: 1, failed: 0 });
});

test('Requests summarises eleven hours at 50 requests a second', () => {
  const requests = new Requests({}, SLO);
  const count = 2_000_000;
  for (let i = 0; i < count; i++) {
    const sentAt = FROM + i * 20;
    requests.add({ workload: 'w', sentAt, endedAt: sentAt + (i % 100), correct: true }, true);
  }
  const { answered, seconds, latency } = requests.summary(FROM);
  expect({ answered, seconds: seconds.length, p50: latency!.p50 }).toEqual({
    answered: count,
    seconds: 40_000,
    p50: 0.049,
  });
});

test('each workload of a mix is counted separately, without its own service time', () => {
  const requests = new Requests({ quick: 0, slow: 5 }, SLO);
  const add = (workload: string, seconds: number, failure?: string) =>
    requests.add(
      {
        workload,
        sentAt: FROM,
        endedAt: FROM + 1000 * seconds,
        correct: failure === undefined,
        ...(failure && { failure }),
      },
      true,
    );
  add('quick', 1);
  add('quick', 3);
  add('slow', 6);
  add('slow', 9);
  add('slow', 9, 'HTTP 500');
  expect(requests.summary(FROM).parts).toEqual({
    quick: { answered: 2, failed: 0, slow: { p95: 1 } },
    slow: { answered: 2, failed: 1, slow: { p95: 1 } },
  });
  expect(new Requests({ quick: 0 }, SLO).summary(FROM)).not.toHaveProperty('parts');
});

test.each([
  ['HTTP 500', false],
  ['no answer (time-out)', false],
  ['no answer (connection reset)', false],
  ['no answer (k6 error 1000)', false],
  ['no answer (connection refused)', true],
  ['no answer (time-out while connecting)', true],
  ['no answer (k6 error 1110)', true],
  ['no answer (k6 error 1213)', true],
  [REFUSED, true],
])('isNeverStarted of a request that failed with %s is %s', (failure, never) => {
  expect(isNeverStarted(failure)).toBe(never);
  const requests = new Requests({ w: 0 }, SLO);
  requests.add({ workload: 'w', sentAt: FROM, endedAt: FROM, correct: false, failure }, false);
  expect(requests.unproved).toBe(never ? 0 : 1);
});
