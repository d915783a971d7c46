import { machineUse } from '../../../capacity/src/observe/machine-use.js';
import { isDisturbed, collectTries } from '../../../capacity/src/judge/tried.js';
import { judgeStep } from '../../../capacity/src/judge/step.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import type { InstanceEvent } from '../../../capacity/src/model/events.js';
import type { Sample } from '../../../capacity/src/model/sample.js';
import type { MachineUse } from '../../../capacity/src/model/step.js';
import { buildGoodStep, buildPlan } from '../support/index.js';

/** One sample a second of a machine with two cores: cores that the deployment and others use in each second. */
function seconds(use: { own: number; others: number }[]): Sample[] {
  let [busySeconds, ownSeconds] = [500, 100];
  const look = (i: number): Sample => ({
    at: i * 1000,
    instances: [],
    host: { cores: 2, totalSeconds: 900 + 2 * i, busySeconds, ownSeconds },
  });
  return [
    look(0),
    ...use.map(({ own, others }, i) => {
      busySeconds += own + others;
      ownSeconds += own;
      return look(i + 1);
    }),
  ];
}

const times = <T>(n: number, item: T): T[] => Array.from({ length: n }, () => item);

describe('machineUse', () => {
  test.each<[string, { own: number; others: number }[], Partial<MachineUse>]>([
    [
      'a machine of its own',
      times(10, { own: 1.5, others: 0.02 }),
      { busyCores: 1.52, otherCores: 0.02, takenCores: 0 },
    ],
    ['a compile that takes a core', times(10, { own: 1, others: 1 }), { busyCores: 2, otherCores: 1, takenCores: 1 }],
    [
      'others that use what is idle',
      times(10, { own: 0.5, others: 1 }),
      { busyCores: 1.5, otherCores: 1, takenCores: 0 },
    ],
    [
      'a compile of four seconds of ten',
      [...times(6, { own: 1.2, others: 0 }), ...times(4, { own: 0.9, others: 1.1 })],
      { otherCores: 0.44, takenCores: 0.44 },
    ],
    [
      'a tick that is counted late',
      [
        { own: 1.9, others: 0.2 },
        { own: 1.9, others: -0.2 },
      ],
      { otherCores: 0 },
    ],
  ])('%s', (_, use, expected) => {
    const found = machineUse(seconds(use), 0, 60_000)!;
    for (const [key, value] of Object.entries(expected)) expect(found[key as keyof MachineUse]).toBeCloseTo(value, 6);
  });

  test('is unknown where the machine was not seen twice in that time', () => {
    expect(machineUse([{ at: 5, instances: [] }], 0, 10)).toBeUndefined();
    expect(machineUse(seconds(times(3, { own: 1, others: 0 })), 2500, 3400)).toBeUndefined();
  });
});

describe('a step while other processes take the cores', () => {
  const taken: MachineUse = { cores: 2, busyCores: 1.98, otherCores: 0.6, takenCores: 0.5 };
  const slow = { latency: { p50: 1.5, p95: 2, p99: 3, max: 4 }, slow: { p95: 300, p99: 200 } };
  const judged = (changes: Parameters<typeof buildGoodStep>[0]) => {
    const step = buildGoodStep(changes);
    return { step, judged: judgeStep(step, buildPlan().slo) };
  };

  test('that fails says nothing about the deployment, and is no try of the search', () => {
    const step = judged({ summary: slow, machine: taken });
    expect(step.judged).toMatchObject({ verdict: 'INCONCLUSIVE', reasons: [{ code: 'other-processes' }] });
    for (const fact of ['0.50', '2 cores', '99 %']) expect(step.judged.reasons[0]!.text).toContain(fact);
    expect(isDisturbed(step)).toBe(true);
    expect(collectTries([step], buildPlan())).toEqual([]);
  });

  test('that holds, holds', () => {
    expect(judged({ machine: taken }).judged.verdict).toBe('PASS');
  });

  test.each<[string, MachineUse | undefined]>([
    ['others used cores that were idle', { ...taken, takenCores: 0 }],
    ['others took less than a tenth of the cores', { ...taken, takenCores: 0.19 }],
    ['the machine was not seen', undefined],
  ])('fails where %s', (_, machine) => {
    expect(judged({ summary: slow, ...(machine && { machine }) }).judged.verdict).toBe('FAIL');
  });

  test('a step in which an instance died fails', () => {
    const event: InstanceEvent = { at: 1, instance: 'main-0', component: 'main', kind: 'died', detail: 'x' };
    expect(judged({ machine: taken, events: [event] }).judged.verdict).toBe('FAIL');
  });

  test('does not end a search below what held: 20/s held, 40/s was disturbed, 40/s again held', () => {
    const steps = [
      buildGoodStep({ index: 0, rate: 20 }),
      buildGoodStep({ index: 1, rate: 40, summary: slow, machine: taken }),
      buildGoodStep({ index: 2, rate: 40 }),
    ];
    expect(judgeSteps(buildPlan(), steps).loads[0]).toMatchObject({ capacity: 40 });
    expect(judgeSteps(buildPlan(), steps).loads[0]!.broken).toBeUndefined();
  });
});
