import type { Component } from '../../../capacity/src/model/events.js';
import { Sampler } from '../../../capacity/src/observe/sampler.js';
import { EventLog, type InstanceLook, type N8nMetrics, type Sources } from '../../../capacity/src/model/deployment.js';

const WORKFLOW = 'w';

/** Two webhook processors and a worker; each look shows the next counts of the processors, from the process of that name. */
function buildSources(looks: [name: string, incarnation: string, count: number | undefined][][]): Sources {
  const metrics = (count: number): N8nMetrics => ({
    counting: true,
    succeeded: new Map([
      [WORKFLOW, count],
      ['another', 99],
    ]),
    failed: new Map([[WORKFLOW, 1]]),
  });
  return {
    observer: {
      look: async () => ({
        instances: looks.shift()!.map(([name, incarnation, count]) => ({
          name,
          component: name.split('-')[0] as Component,
          incarnation,
          ...(count !== undefined && { metrics: metrics(count) }),
        })),
        events: [],
      }),
    },
  };
}

test('counts executions in total and by the instance that started them, across restarts', async () => {
  const sampler = new Sampler(
    buildSources([
      [
        ['webhook-0', '1', 10],
        ['webhook-1', '2', 20],
        ['worker-2', '3', 7],
      ],
      [
        ['webhook-0', '4', 5],
        ['webhook-1', '2', 30],
        ['worker-2', '3', 8],
      ],
      [
        ['webhook-0', '4', 6],
        ['webhook-1', '2', undefined],
        ['worker-2', '3', 9],
      ],
    ]),
    new EventLog(),
    { workflowIds: new Set([WORKFLOW]), asynchronousIds: new Set() },
    () => {},
  );
  const counts = async () => {
    const { executions, instances } = await sampler.sample();
    return { executions, byInstance: instances.map((i) => i.executions) };
  };
  expect(await counts()).toEqual({ executions: { succeeded: 30, failed: 2 }, byInstance: [11, 21, undefined] });
  expect(await counts()).toEqual({ executions: { succeeded: 45, failed: 3 }, byInstance: [17, 31, undefined] });
  expect(await counts()).toEqual({ executions: undefined, byInstance: [18, undefined, undefined] });
});

test('a pod that is still starting counts 0; the count is unknown if a started pod does not answer', async () => {
  const metrics = { counting: true, succeeded: new Map([[WORKFLOW, 4]]), failed: new Map() };
  const looks = [{ starting: true }, {}].map((more) => [
    { name: 'webhook-0', component: 'webhook' as const, incarnation: '1', metrics },
    { name: 'webhook-1', component: 'webhook' as const, incarnation: '', ...more },
  ]);
  const sources = { observer: { look: async () => ({ instances: looks.shift()!, events: [] }) } };
  const sampler = new Sampler(
    sources,
    new EventLog(),
    { workflowIds: new Set([WORKFLOW]), asynchronousIds: new Set() },
    () => {},
  );
  expect((await sampler.sample()).executions).toEqual({ succeeded: 4, failed: 0 });
  expect((await sampler.sample()).executions).toBeUndefined();
});

test('before any instance is known, the count is undefined, not 0', async () => {
  const looks: [string, string, number | undefined][][] = [[], [['worker-0', '1', 5]], [['webhook-0', '2', 5]]];
  const sampler = new Sampler(
    buildSources(looks),
    new EventLog(),
    { workflowIds: new Set([WORKFLOW]), asynchronousIds: new Set() },
    () => {},
  );
  const count = async () => (await sampler.sample()).executions;
  expect([await count(), await count(), await count()]).toEqual([undefined, undefined, { succeeded: 5, failed: 1 }]);
});

describe('asynchronous sub-workflows', () => {
  const of = (component: Component, started: number, failed: number) => ({
    name: `${component}-0`,
    component,
    incarnation: '1',
    metrics: {
      counting: true,
      started: new Map([['child', started]]),
      succeeded: new Map([[WORKFLOW, 3]]),
      failed: new Map([['child', failed]]),
    },
  });
  const asynchronousOf = async (ids: string[], instances: InstanceLook[]) => {
    const sources = { observer: { look: async () => ({ instances, events: [] }) } };
    const counted = { workflowIds: new Set([WORKFLOW]), asynchronousIds: new Set(ids) };
    const { executions } = await new Sampler(sources, new EventLog(), counted, () => {}).sample();
    return executions?.asynchronous;
  };

  test('are counted where they run, and are not executions of the workflow', async () => {
    expect(await asynchronousOf(['child'], [of('main', 2, 1), of('worker', 5, 0)])).toEqual({
      ...{ started: 7, succeeded: 0, failed: 1 },
    });
  });

  test('are unknown if a process does not answer, or their ids are not known', async () => {
    const silent = { ...of('worker', 5, 0), metrics: undefined };
    expect(await asynchronousOf(['child'], [of('main', 2, 1), silent])).toBeUndefined();
    expect(await asynchronousOf(['child', '?'], [of('main', 2, 1)])).toBeUndefined();
  });
});
