import { queue } from '../render.js';
import { tests } from './cases.js';

const extraEnv = [{ name: 'A', value: 'x' }];

await tests('_pods.tpl', [
  ['no-effect', 'worker.extraEnv', { worker: { extraEnv } }, 'executions.mode=regular'],
  ['no-effect', 'webhook.extraEnv', queue({ webhook: { replicas: 0, extraEnv } }), 'webhook.replicas=0'],
  ['no-effect', 'serviceAccount.annotations', { serviceAccount: { create: false, annotations: { a: 'b' } } }],
  [
    'label-of-the-chart',
    'main.podLabels app.kubernetes.io/name',
    { main: { podLabels: { 'app.kubernetes.io/name': 'x' } } },
  ],
  ['name-of-the-chart', 'main.extraVolumes name=data', { main: { extraVolumes: [{ name: 'data', emptyDir: {} }] } }],
  [
    'name-of-the-chart',
    'main.extraContainers name=n8n',
    { main: { extraContainers: [{ name: 'n8n', image: 'x:1' }] } },
  ],
]);
