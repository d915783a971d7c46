import { join } from 'node:path';
import { chartFolder } from '../../../../capacity/src/core/paths.js';
import { replicasOf } from '../../../../capacity/src/provision/kubernetes/observer.js';
import type { PodObject, WorkloadObject } from '../../../../capacity/src/provision/kubernetes/api-objects.js';
import { listAutoscalers } from '../../../../capacity/src/chart/pods.js';
import { renderChart } from '../../../../capacity/src/chart/render.js';
import { helm } from '../../../support/tools.js';

const labels = (component: string) => ({ 'app.kubernetes.io/component': component });
const pod = (component: string, ready: boolean, deleted = false): PodObject => ({
  metadata: { name: 'pod', labels: labels(component), ...(deleted && { deletionTimestamp: '2026-11-20T10:00:00Z' }) },
  spec: { containers: [] },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});
const workload = (component: string, replicas?: number): WorkloadObject => ({
  metadata: { name: component, labels: labels(component) },
  spec: replicas === undefined ? {} : { replicas },
});

test('replicas are those that are asked for and those that take requests, of n8n alone', () => {
  const pods = [
    pod('worker', true),
    pod('worker', false),
    pod('worker', true, true),
    pod('main', true),
    pod('redis', true),
  ];
  expect(replicasOf([workload('main'), workload('worker', 3), workload('redis', 1)], pods)).toEqual([
    { component: 'main', wanted: 1, ready: 1 },
    { component: 'worker', wanted: 3, ready: 1 },
  ]);
});

const QUEUE = join(chartFolder, 'profiles', 'queue.yaml');
const scaled = (component: string, type: string) => [
  `${component}.autoscaling.type=${type}`,
  `${component}.autoscaling.minReplicas=1`,
  `${component}.autoscaling.maxReplicas=4`,
];

test.each([
  [[], []],
  [scaled('worker', 'hpa'), [{ component: 'worker', kind: 'HorizontalPodAutoscaler', minReplicas: 1, maxReplicas: 4 }]],
  [scaled('worker', 'keda'), [{ component: 'worker', kind: 'ScaledObject', minReplicas: 1, maxReplicas: 4 }]],
  [
    scaled('webhook', 'hpa'),
    [{ component: 'webhook', kind: 'HorizontalPodAutoscaler', minReplicas: 1, maxReplicas: 4 }],
  ],
])('autoscalers of the chart with %j', async (set, expected) => {
  const objects = await renderChart(helm, { files: [QUEUE], set });
  expect(listAutoscalers(objects)).toEqual(expected);
});
