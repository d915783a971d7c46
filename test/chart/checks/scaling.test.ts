import { queue, failure, type Values } from '../render.js';
import { tests } from './cases.js';

const scaled = (component: string, autoscaling: Values, more: Values = {}): Values =>
  queue({ [component]: { autoscaling: { maxReplicas: 4, ...autoscaling }, ...more } });
const noCpu = { resources: { requests: { cpu: null }, limits: { cpu: null } } };

await tests('_scaling.tpl', [
  [
    'autoscaling-in-regular-mode',
    'worker.autoscaling.type=keda',
    { worker: { autoscaling: { type: 'keda' } } },
    'executions.mode=queue',
  ],
  [
    'min-above-max-replicas',
    'worker.autoscaling.minReplicas=5',
    scaled('worker', { type: 'hpa', minReplicas: 5 }),
    'worker.autoscaling.maxReplicas=4',
  ],
  [
    'hpa-from-zero',
    'worker.autoscaling.minReplicas=0',
    scaled('worker', { type: 'hpa', minReplicas: 0 }),
    'worker.autoscaling.type=keda',
  ],
  [
    'autoscaling-of-no-webhook-processors',
    'webhook.autoscaling.type=hpa',
    scaled('webhook', { type: 'hpa' }, { replicas: 0 }),
    'webhook.replicas',
  ],
  ['hpa-without-cpu-request', 'worker.resources.requests.cpu', scaled('worker', { type: 'hpa' }, noCpu)],
  [
    'hpa-without-cpu-request',
    'worker.extraContainers[0].resources.requests.cpu',
    scaled('worker', { type: 'hpa' }, { extraContainers: [{ name: 'x', image: 'x:1' }] }),
  ],
  [
    'hpa-without-cpu-request',
    'taskRunners.resources.requests.cpu',
    { ...scaled('worker', { type: 'hpa' }), taskRunners: { mode: 'external', ...noCpu } },
  ],
  [
    'no-effect',
    'worker.autoscaling.keda.listLength=3',
    scaled('worker', { type: 'hpa', keda: { listLength: 3 } }),
    'worker.autoscaling.type=keda',
  ],
]);

it('leaves KEDA of webhook processors to the schema', async () => {
  expect(await failure(scaled('webhook', { type: 'keda' }))).toContain("at '/webhook/autoscaling/type'");
});
