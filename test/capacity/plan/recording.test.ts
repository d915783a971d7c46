import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORDING, type Recording } from '../../../capacity/src/model/recording.js';
import type { ValidateOptions } from '../../../capacity/src/plan/options.js';
import { busiestRate, readRecording, scaledTimes } from '../../../capacity/src/plan/recording.js';
import { soakPlan } from '../../../capacity/src/plan/soak.js';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';
import { seededRandom } from '../../../capacity/src/stats/random.js';
import { expectRefused } from './refused.js';

const folder = mkdtempSync(join(tmpdir(), 'recording-'));
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const of = (seconds: number, ...offsets: number[][]): Recording => ({
  kind: RECORDING,
  seconds,
  workflows: offsets.map((each, i) => ({ id: `${i}`, count: each.length, offsets: each })),
});
const json = (name: string, recording: unknown) => file(name, JSON.stringify(recording));

/** A calm hour in which a burst of 100 arrives within 2 s at half time. */
function burstInHour(): Recording {
  const random = seededRandom(3);
  const calm = Array.from({ length: 3600 }, () => 3600 * random.uniform());
  const burst = Array.from({ length: 100 }, () => 1800 + 2 * random.uniform());
  return of(
    3600,
    [...calm, ...burst].sort((a, b) => a - b),
  );
}
const within = (times: Float64Array, from: number, to: number) => times.filter((t) => t >= from && t < to).length;

describe('a factor', () => {
  test.each([0.5, 1, 1.5, 2, 3.25])('%d: so many arrivals, in order, within the time', (times) => {
    const recording = burstInHour();
    const scaled = scaledTimes(recording, times, 1);
    expect(scaled.length).toBeCloseTo(3700 * times, -1);
    expect([...scaled]).toEqual([...scaled].sort((a, b) => a - b));
    expect(scaled[0]).toBeGreaterThanOrEqual(0);
    expect(scaled.at(-1)).toBeLessThan(3600);
  });

  test('a burst becomes larger, not shorter, and stays where it was', () => {
    const scaled = scaledTimes(burstInHour(), 1.5, 1);
    const burst = within(scaled, 1799.5, 1802.5);
    expect(burst).toBeGreaterThan(140);
    expect(burst).toBeLessThan(170);
    expect(within(scaled, 1700, 1799)).toBeLessThan(200);
    expect(busiestRate(scaled)).toBeGreaterThan(1.3 * busiestRate(scaledTimes(burstInHour(), 1, 1)));
  });

  test('1 is the recording itself, and a seed gives the same times', () => {
    const recording = of(10, [1, 5], [2, 9]);
    expect([...scaledTimes(recording, 1, 7)]).toEqual([1, 2, 5, 9]);
    expect(scaledTimes(recording, 1.5, 7)).toEqual(scaledTimes(recording, 1.5, 7));
  });
});

test('the busiest 10 s', () => {
  expect(busiestRate(Float64Array.from([0, 20, 21, 22, 29.9, 40]))).toBe(0.4);
});

describe('a file', () => {
  test('of plain times, or as the command writes it', () => {
    const plain = readRecording(file('plain.txt', '# seconds\n0.5\n1\n\n7.25\n'), '--arrivals');
    expect(plain).toMatchObject({ seconds: 8, workflows: [{ offsets: [0.5, 1, 7.25] }] });
    expect(readRecording(json('whole.json', of(60, [1, 2])), '--arrivals')).toEqual(of(60, [1, 2]));
  });

  test.each<[string, string, string[]]>([
    ['unsorted', JSON.stringify(of(60, [2, 1])), ['follows 2', 'ascending']],
    ['negative', JSON.stringify(of(60, [-1, 1])), ['-1 is below 0']],
    ['after its end', JSON.stringify(of(60, [1, 60])), ['after its end', '60 s']],
    ['empty', JSON.stringify(of(60, [])), ['holds no arrivals']],
    ['blank', '', ['holds no arrivals']],
    ['too long', JSON.stringify(of(7200, [1])), ['7200 s', '3600 s']],
    ['too short', JSON.stringify(of(1, [0])), ['1 s', '5 s']],
    ['another JSON', '{"a": 1}', ['n8n-capacity arrivals']],
    ['no times', '1\ntwo\n', ['line 2']],
    [
      'not a number',
      JSON.stringify({ ...of(60), workflows: [{ id: 'a', count: 1, offsets: ['x'] }] }),
      ['not a recording'],
    ],
  ])('that is %s is refused', (name, content, parts) =>
    expectRefused(
      () => readRecording(file(`bad-${name}`, content), '--arrivals'),
      ['--arrivals', `bad-${name}`, ...parts],
    ),
  );

  test('that does not exist is refused, with what else is allowed', () =>
    expectRefused(() => readRecording(join(folder, 'none'), '--arrivals'), ['ENOENT', 'poisson', 'even']));
});

describe('a plan', () => {
  const minute = json(
    'minute.json',
    of(
      60,
      Array.from({ length: 120 }, (_, i) => i / 2),
    ),
  );
  const asked = (options: Partial<ValidateOptions>) =>
    planFromOptions({ warmup: '3s', drain: '30s', timeout: '60s', workload: ['webhook-ack'], ...options });

  test('replays a file once, as long as it is', () => {
    expect(asked({ arrivals: minute, times: '1.5' })).toMatchObject({
      rates: { kind: 'replay', rate: 3, times: 1.5 },
      arrivals: { kind: 'recorded', file: minute, times: 1.5, seed: 1 },
      stepSeconds: 60,
    });
  });

  test.each<[Partial<ValidateOptions>, string[]]>([
    [{ arrivals: minute, target: '20/s' }, ['--target', '--arrivals', '--times']],
    [{ arrivals: minute, stepDuration: '20s' }, ['--step-duration', '--arrivals']],
    [{ arrivals: minute, times: '0' }, ['--times', '"0"', '1.5']],
    [{ arrivals: minute, times: '1.5x' }, ['--times', '"1.5x"']],
    [{ arrivals: minute, times: '0.01' }, ['1 requests', '--times']],
    [{ arrivals: minute, workload: ['webhook-ack', 'webhook-wait'] }, ['one workload', '--workload webhook-ack']],
    [{ arrivals: minute, maxRate: '1/s' }, ['--max-rate', '1/s']],
    [{ arrivals: 'evn' }, ['--arrivals evn', 'even']],
    [{ times: '2' }, ['--times', '--arrivals']],
  ])('refuses %j', (options, parts) => expectRefused(() => asked(options), parts));

  test('of a soak takes no file', () =>
    expectRefused(
      () =>
        soakPlan({ ...{ rate: '10/s', duration: '2h', warmup: '3s', drain: '30s', timeout: '60s' }, arrivals: minute }),
      ['--arrivals', 'validate'],
    ));
});
