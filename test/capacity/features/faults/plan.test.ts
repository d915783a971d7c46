import { UsageError } from '../../../../capacity/src/core/errors.js';
import { CATALOGUE } from '../../../../capacity/src/features/faults/catalogue.js';
import {
  estimateCapacity,
  FAULTS_DEFAULTS,
  faultsFor,
  faultsRequest,
  requireNamedExecutions,
  timetable,
  type FaultsOptions,
} from '../../../../capacity/src/features/faults/plan.js';
import { FAULTS } from '../../../../capacity/src/features/faults/record.js';
import type { Component } from '../../../../capacity/src/model/events.js';

const request = (options: Partial<FaultsOptions> = {}) => faultsRequest({ ...FAULTS_DEFAULTS, ...options });
const deployed = (...components: Component[]) => ({
  slots: 20,
  instances: components.map((component, i) => ({ name: `${component}-${i}`, component, limits: {} })),
});
const QUEUE = deployed('postgresql', 'redis', 'main', 'worker', 'worker', 'webhook', 'webhook');

test('faults are tried in the order of the list, whatever the order in which they are given', () => {
  const fault = ['redis-restart,worker-kill', 'worker-kill'];
  expect(request({ fault }).faults).toEqual(['worker-kill', 'redis-restart']);
});

test.each([
  [{ fault: ['worker-kil'] }, /worker-kil.*worker-kill/],
  [{ fault: [''] }, /--fault/],
  [{ rate: '0/s' }, /--rate/],
  [{ work: '0s' }, /--work/],
  [{ work: '2m' }, /--work/],
  [{ after: '1s' }, /--after/],
  [{ settle: '1s' }, /--settle/],
  [{ seed: '-1' }, /--seed/],
  [{ provisioner: 'existing' }, /--provisioner existing: .* process or kubernetes/],
  [{ env: ['A=b'] }, /--env A: only with --manifests or --chart/],
  [{ kubeContext: 'lab' }, /--kube-context: only with --provisioner kubernetes/],
] as [Partial<FaultsOptions>, RegExp][])('%j is refused', (options, message) => {
  expect(() => request(options)).toThrow(UsageError);
  expect(() => request(options)).toThrow(message);
});

test('the deployment may be one of another chart', () => {
  const { plan } = request({ manifests: 'n8n.yaml', env: ['QUEUE_WORKER_LOCK_DURATION=30000'] });
  expect(plan.foreign).toEqual({ manifests: 'n8n.yaml', overrides: { QUEUE_WORKER_LOCK_DURATION: '30000' } });
});

test('a deployment of local processes with everything can have every fault that needs no nodes', () => {
  expect(faultsFor(request(), QUEUE)).toEqual(FAULTS.filter((name) => name !== 'node-drain'));
  expect(() => faultsFor(request({ fault: ['node-drain'] }), QUEUE)).toThrow(
    /node-drain: only with --provisioner kubernetes/,
  );
});

test('a full disk is only for local processes', () => {
  const { provisioner } = request({ provisioner: 'kubernetes' });
  expect(faultsFor({ provisioner }, QUEUE)).toEqual(FAULTS.filter((name) => name !== 'disk-full'));
  expect(() => faultsFor({ provisioner, faults: ['disk-full'] }, QUEUE)).toThrow(/disk-full: only with/);
});

test('faults of components that are not there are left out, but refused where they were asked for', () => {
  const small = deployed('postgresql', 'main');
  expect(faultsFor(request(), small)).toEqual([
    'main-kill',
    'postgres-restart',
    'postgres-outage',
    'postgres-connections',
    'disk-full',
    'rolling-restart',
    'overload',
  ]);
  expect(() => faultsFor(request({ fault: ['worker-kill'] }), small)).toThrow(/worker-kill.*1 × worker/);
});

test('an overload needs a capacity: a given one, or a limit on the executions at once', () => {
  const unlimited = { instances: QUEUE.instances };
  expect(faultsFor(request(), unlimited)).toEqual(
    FAULTS.filter((name) => name !== 'overload' && name !== 'node-drain'),
  );
  expect(() => faultsFor(request({ fault: ['overload'] }), unlimited)).toThrow(/overload: .* --rate/);
  expect(faultsFor(request({ rate: '20/s' }), unlimited)).toContain('overload');
});

test('an n8n whose answers name no execution is refused', () => {
  for (const version of ['2.8.0', '2.41.1']) expect(() => requireNamedExecutions(version)).not.toThrow();
  for (const version of ['1.123.81', '2.7.5'])
    expect(() => requireNamedExecutions(version)).toThrow(new RegExp(`^n8n ${version}: .* use n8n 2\\.8 or newer`));
});

test('the last worker is not taken away', () => {
  const one = deployed('postgresql', 'redis', 'main', 'worker');
  expect(() => faultsFor(request({ fault: ['scale-in'] }), one)).toThrow(UsageError);
  expect(faultsFor(request(), one)).not.toContain('scale-in');
});

test('the capacity is the given one, else slots ÷ work', () => {
  expect(estimateCapacity(request({ rate: '9/s' }), { slots: 20 })).toBe(9);
  expect(estimateCapacity(request({ work: '4s' }), { slots: 20 })).toBe(5);
});

describe('the load', () => {
  const at = (fault: (typeof FAULTS)[number]) =>
    timetable(fault, { workSeconds: 5, afterSeconds: 60, capacity: 10, instances: 7 });

  test.each(FAULTS)('%s: goes on for as long as asked after the fault', (fault) => {
    const { beforeSeconds, parts } = at(fault);
    const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
    expect(seconds - beforeSeconds - CATALOGUE[fault].seconds(7)).toBe(60);
    expect(parts[0]!.rate).toBe(7);
  });

  test('only the overload is above the capacity, and only meanwhile', () => {
    expect(at('overload').parts.map(({ rate }) => rate)).toEqual([7, 30, 7]);
    // Also where the rate is far below what the slots take.
    const slow = { workSeconds: 5, afterSeconds: 60, capacity: 1, slots: 20, instances: 7 };
    expect(timetable('overload', slow).parts.map(({ rate }) => rate)).toEqual([0.7, 12, 0.7]);
    const others = FAULTS.filter((name) => name !== 'overload' && name !== 'redis-data-loss');
    for (const fault of others) expect(at(fault).parts).toHaveLength(1);
  });

  test('executions wait in Redis when its data is lost', () => {
    const { beforeSeconds, parts } = at('redis-data-loss');
    expect(parts.map(({ rate }) => rate)).toEqual([7, 30, 7]);
    expect(parts[0]!.seconds + parts[1]!.seconds).toBe(beforeSeconds);
    // Also where the rate is far below what the slots take.
    const slow = { workSeconds: 5, afterSeconds: 60, capacity: 1, slots: 20, instances: 7 };
    expect(timetable('redis-data-loss', slow).parts.map(({ rate }) => rate)).toEqual([0.7, 12, 0.7]);
    // Those that came before have the time to be done.
    expect(parts[1]!.seconds).toBeLessThan(10);
  });

  test('executions have the time to be done before the fault', () => {
    for (const fault of FAULTS) expect(at(fault).beforeSeconds).toBeGreaterThan(5 + 10);
  });
});
