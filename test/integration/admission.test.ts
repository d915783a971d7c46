import { jest } from '@jest/globals';
import type { AdmissionLook } from '../../capacity/src/model/sample.js';
import { REFUSED } from '../../capacity/src/load/samples.js';
import { expectNothingLeft, LENIENT, runValidate, SHORT } from './cli.js';

// Each test is a few seconds of load, but a start of n8n takes minutes on a busy machine.
jest.setTimeout(600_000);

expectNothingLeft();

const OVERLOAD = ['--set', 'overload.maxRequests=2,overload.queue=1,overload.maxWaitSeconds=1'];

/** Drives n8n, which works on two requests at once, with six clients. Returns the samples of its admission queue. */
async function drive(...args: string[]) {
  const { steps, samples } = await runValidate(...OVERLOAD, '--clients', '6', ...SHORT, ...LENIENT, ...args);
  const looks = samples.flatMap((s) => s.instances.flatMap((i): AdmissionLook[] => (i.admission ? [i.admission] : [])));
  return { summary: steps[0]!.summary, executions: steps[0]!.executions, looks };
}

// n8n 2.41.1 notes an execution just before it sends the answer. At that moment it counts twice, or one more arrives.
// Older versions answer before they begin the execution. Requests that arrive in between are admitted as well.
describe.each([
  ['2.41.1', 3],
  ['1.123.81', 6],
  ['0.221.2', 6],
])('n8n %s', (version, most) => {
  const n8n = ['--set', `image.tag=${version}`];

  test('n8n works on at most overload.maxRequests requests at once and refuses the rest', async () => {
    const { summary, looks } = await drive(...n8n, '--workload', 'webhook-wait', '--query', 'seconds=1');
    expect(summary.answered).toBeGreaterThan(0);
    expect(Object.keys(summary.failures)).toEqual([REFUSED]);
    expect(looks.at(-1)!).toMatchObject({ limit: 2 });
    expect(looks.at(-1)!.refused).toBeGreaterThanOrEqual(summary.failures[REFUSED]!);
    expect(Math.max(...looks.map((look) => look.underWay))).toBe(2);
  });

  test('n8n counts executions that continue after their answer', async () => {
    const { summary, looks } = await drive(...n8n, '--workload', 'webhook-ack-wait', '--query', 'seconds=1');
    expect(summary.failures[REFUSED]).toBeGreaterThan(0);
    expect(Math.max(...looks.map((look) => look.underWay))).toBeLessThanOrEqual(most);
    // Each execution takes a second. Without the count n8n would answer hundreds.
    expect(summary.answered).toBeLessThanOrEqual(most * 12 + 4);
  });
});

test('while requests queue, a busy n8n works on about as many at once as it serves in a second', async () => {
  const values = ['--set', 'overload.maxRequests=120,overload.requestMegabytes=5,overload.queue=200'];
  const load = ['--workload', 'webhook-ack', '--clients', '240', '--step-duration', '30s', '--warmup', '1s'];
  const { steps, samples } = await runValidate(...values, ...load, '--no-overload', ...LENIENT);
  const looks = samples.flatMap((s) => s.instances.flatMap((i): AdmissionLook[] => (i.admission ? [i.admission] : [])));
  const full = looks.filter(({ waiting }) => waiting > 0);
  expect(Math.max(...full.map(({ underWay }) => underWay))).toBe(120);
  // The limit is at most halved at a time, after 10 s on a slow machine. With this many clients even the shortest time is
  // long.
  const served = steps[0]!.summary.answered / 30;
  expect(Math.min(...full.map(({ adaptive }) => adaptive!))).toBeLessThanOrEqual(Math.max(90, 2 * served));
});
