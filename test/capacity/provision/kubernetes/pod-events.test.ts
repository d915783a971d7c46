import { hopelessness, waitingFor } from '../../../../capacity/src/provision/kubernetes/pod-waits.js';
import type { ContainerStatus } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../../../capacity/src/provision/kubernetes/api-objects.js';
import { PodEvents, withProbe } from '../../../../capacity/src/provision/kubernetes/pod-events.js';

const NOW = Date.parse('2026-11-20T10:00:00Z');

type Changes = { status?: Partial<PodObject['status']>; deleted?: boolean; ready?: boolean; name?: string };

const running: ContainerStatus = {
  ...{ name: 'n8n', image: 'n8n', imageID: '' },
  ...{ restartCount: 0, ready: true, state: { running: {} } },
};

function pod(
  container: Partial<ContainerStatus> = {},
  { status, deleted, ready = true, name }: Changes = {},
): PodObject {
  return {
    metadata: {
      name: name ?? 'n8n-tuned-main-x',
      labels: { 'app.kubernetes.io/component': 'main' },
      ...(deleted && { deletionTimestamp: '2026-11-20T10:00:00Z' }),
    },
    spec: { nodeName: 'a', containers: [{ name: 'n8n' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ ...running, ...container }],
      ...status,
    },
  };
}
function withRunner(runner: Partial<ContainerStatus> = {}): PodObject {
  const { spec, ...others } = pod(
    {},
    { status: { initContainerStatuses: [{ ...running, name: 'runner', ...runner }] } },
  );
  return { ...others, spec: { ...spec, initContainers: [{ name: 'runner', restartPolicy: 'Always' }] } };
}
const workload = (replicas: number) => ({
  metadata: { name: 'n8n-tuned-worker', labels: { 'app.kubernetes.io/component': 'worker' } },
  spec: { replicas },
  status: {},
});
const ended = (exitCode: number, reason = 'Error') => ({ terminated: { exitCode, reason } });
const backOff = { waiting: { reason: 'CrashLoopBackOff' } };

/** What each look after the first has shown, as `kind reason`. */
function seen(...looks: PodObject[][]): string[][] {
  const events = new PodEvents();
  events.observe([withRunner()], [], 0);
  return looks.map((pods) => events.observe(pods, [], 1).map((e) => [e.kind, e.reason].filter(Boolean).join(' ')));
}

test.each<[string, PodObject[][], string[][]]>([
  ['nothing has changed', [[pod()], [pod()]], [[], []]],
  [
    'OOMKilled, and started again between two looks',
    [
      [pod({ restartCount: 1, lastState: ended(137, 'OOMKilled') })],
      [pod({ restartCount: 1, lastState: ended(137, 'OOMKilled') })],
    ],
    [['died OOMKilled', 'restarted'], []],
  ],
  [
    'seen while it is down, then backing off, then running: one death, one restart',
    [
      [pod({ state: ended(134), ready: false }, { ready: false })],
      [pod({ state: backOff, lastState: ended(134) }, { ready: false })],
      [pod({ restartCount: 1, lastState: ended(134) })],
    ],
    [['died V8HeapLimit'], [], ['restarted']],
  ],
  [
    'two deaths, each told once',
    [
      [pod({ restartCount: 1, state: ended(1), lastState: ended(1) }, { ready: false })],
      [pod({ restartCount: 2, lastState: ended(137, 'OOMKilled') })],
    ],
    [['died Crash', 'restarted'], ['restarted']],
  ],
  ['its readiness probe fails', [[pod({}, { ready: false })], [pod({}, { ready: false })]], [['unready'], []]],
  [
    'evicted by its node',
    [
      [
        pod(
          { state: ended(137) },
          { ready: false, status: { phase: 'Failed', reason: 'Evicted', message: 'low on memory' } },
        ),
      ],
    ],
    [['evicted']],
  ],
  [
    'evicted because it wrote more than its own limit: that is a death',
    [
      [
        pod(
          { state: ended(137) },
          {
            ready: false,
            status: {
              ...{ phase: 'Failed', reason: 'Evicted' },
              message: 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
            },
          },
        ),
      ],
    ],
    [['died']],
  ],
  [
    'its node does not answer',
    [[pod({}, { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }] } })]],
    [['evicted']],
  ],
  [
    'a task runner in a container of its own, which Kubernetes keeps among the init containers',
    [[withRunner({ restartCount: 1, lastState: ended(137, 'OOMKilled') })], [withRunner({ restartCount: 1 })]],
    [['runner-died OOMKilled', 'restarted'], []],
  ],
  ['deleted by somebody', [[pod({}, { deleted: true })], []], [['evicted'], []]],
  ['gone between two looks', [[pod({}, { name: 'n8n-tuned-main-y' })]], [['evicted']]],
])('%s', (_, looks, expected) => {
  expect(seen(...looks)).toEqual(expected);
});

test('a pod that is replaced keeps its name where a StatefulSet made it', () => {
  const events = new PodEvents();
  const redis = (uid: string, of: Parameters<typeof pod>[1] = {}) => {
    const { metadata, ...others } = pod({}, { name: 'n8n-tuned-redis-0', ...of });
    return { ...others, metadata: { ...metadata, uid } };
  };
  const kinds = (...pods: PodObject[]) => events.observe(pods, [], 1).map(({ kind }) => kind);
  kinds(redis('a'));
  expect(kinds(redis('a', { deleted: true }))).toEqual(['evicted']);
  expect(kinds(redis('b', { ready: false }))).toEqual([]);
  expect(kinds(redis('b'))).toEqual([]);
  // The next drain takes it again, this time between two looks.
  expect(kinds(redis('c', { ready: false }))).toEqual(['evicted']);
});

test('a node that does not answer twice is told twice', () => {
  const events = new PodEvents();
  const silent = pod({}, { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }] } });
  const kinds = [pod(), silent, silent, pod(), silent].map((each) => events.observe([each], [], 1).map((e) => e.kind));
  expect(kinds).toEqual([[], ['evicted'], [], [], ['evicted']]);
});

test('a pod that this run deletes itself is no event', () => {
  const events = new PodEvents();
  events.observe([pod({ state: backOff, lastState: ended(134), restartCount: 1 }, { ready: false })], [], 0);
  events.forget([pod().metadata.name]);
  expect(events.observe([pod({}, { deleted: true, ready: false })], [], 1)).toEqual([]);
  expect(events.observe([pod({}, { name: 'n8n-tuned-main-y' })], [], 2)).toEqual([]);
});

test('an autoscaler that moves is told with what it did', () => {
  const events = new PodEvents();
  expect(events.observe([], [workload(2)], 0)).toEqual([]);
  expect(events.observe([], [workload(2)], 1)).toEqual([]);
  expect(events.observe([], [workload(3)], 2)).toEqual([
    { at: 2, instance: 'n8n-tuned-worker', component: 'worker', kind: 'scaled', detail: 'from 2 to 3 replicas' },
  ]);
});

test('what the kubelet says of a probe is the reason of a death', () => {
  const death = {
    at: 1,
    instance: 'p',
    component: 'main',
    kind: 'died',
    reason: 'Crash',
    detail: 'exit code 137',
  } as const;
  const killing = (name: string, message: string) => ({ reason: 'Killing', message, involvedObject: { name } });
  const message = 'Container n8n failed liveness probe, will be restarted';
  expect(withProbe(death, [killing('p', message)])).toMatchObject({ reason: 'LivenessProbe', detail: message });
  expect(withProbe(death, [killing('q', message), killing('p', 'Stopping container n8n')])).toEqual(death);
});

describe('an install', () => {
  const waiting = (reason: string, message?: string) =>
    pod({ ready: false, state: { waiting: { reason, ...(message && { message }) } } }, { ready: false });

  const unscheduled = (seconds: number, reason = 'Unschedulable') => {
    const lastTransitionTime = new Date(NOW - seconds * 1000).toISOString();
    const condition = { type: 'PodScheduled', status: 'False', reason, message: '0/1 nodes', lastTransitionTime };
    return pod({}, { ready: false, name: 'w', status: { conditions: [condition] } });
  };
  const ofEnvironment = (object: PodObject, ...reasons: string[]) => {
    const events = reasons.map((reason) => ({ reason, involvedObject: { name: 'w' } }));
    return hopelessness([pod(), object], events, NOW)?.ofEnvironment;
  };

  test('an image or a node that is missing is not its own doing', () => {
    expect(ofEnvironment(waiting('ErrImagePull'))).toBe(true);
    expect(ofEnvironment(unscheduled(60))).toBe(true);
    expect(ofEnvironment(unscheduled(10))).toBeUndefined();
    expect(ofEnvironment(unscheduled(60), 'FailedScheduling', 'TriggeredScaleUp')).toBeUndefined();
    expect(ofEnvironment(waiting('CreateContainerConfigError'))).toBe(false);
  });

  test.each<[string, PodObject, string | undefined]>([
    ['an image that cannot be pulled', waiting('ImagePullBackOff', 'no such image'), 'ImagePullBackOff: no such image'],
    ['a pod without a node', unscheduled(60), '0/1 nodes'],
    ['a pod whose node is to be found', unscheduled(60, 'SchedulingGated'), undefined],
    ['a container that is being made', waiting('ContainerCreating'), undefined],
    [
      'one that ends again and again',
      pod({ restartCount: 3, state: backOff, lastState: ended(137, 'OOMKilled') }, { ready: false }),
      'OOMKilled, exit code 137',
    ],
    ['one that came up at the second attempt', pod({ restartCount: 3, lastState: ended(1) }), undefined],
  ])('%s', (_, object, expected) => {
    const found = hopelessness([object], [], NOW)?.text;
    if (expected) expect(found).toContain(expected);
    else expect(found).toBeUndefined();
  });

  test('says what it waits for', () => {
    const unscheduled = pod(
      {},
      {
        ready: false,
        name: 'w',
        status: { conditions: [{ type: 'PodScheduled', status: 'False', message: 'no node is large enough' }] },
      },
    );
    const done = pod({}, { ready: false, status: { phase: 'Succeeded' } });
    expect(waitingFor([pod(), waiting('PodInitializing'), unscheduled, done])).toBe(
      '1 of 3 pods ready; n8n-tuned-main-x PodInitializing; w no node is large enough',
    );
  });
});
