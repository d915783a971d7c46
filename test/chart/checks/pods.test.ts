import { queue } from '../render.js';
import { tests } from './cases.js';

const a = { name: 'a', emptyDir: {} };
const container = (name: string) => ({ name, image: 'x:1' });
const extraEnv = [{ name: 'A', value: 'x' }];

await tests('_pods.tpl', [
  ['no-effect', 'worker.extraEnv', { worker: { extraEnv } }, 'executions.mode=regular'],
  ['no-effect', 'webhook.extraEnv', queue({ webhook: { replicas: 0, extraEnv } }), 'webhook.replicas=0'],
  [
    'volume-twice',
    'taskRunners.extraVolumes name=data',
    { taskRunners: { mode: 'external', extraVolumes: [{ name: 'data', emptyDir: {} }] } },
  ],
  [
    'mount-without-volume',
    'taskRunners.extraVolumeMounts name=a',
    { taskRunners: { mode: 'external', extraVolumeMounts: [{ name: 'a', mountPath: '/a' }] } },
  ],
  ['volume-twice', 'main.extraVolumes name=data', { main: { extraVolumes: [{ name: 'data', emptyDir: {} }] } }],
  ['volume-twice', 'main.extraVolumes name=hooks', { main: { extraVolumes: [{ name: 'hooks', emptyDir: {} }] } }],
  [
    'volume-twice',
    'main.extraVolumes name=load-targets',
    { loadTargets: { enabled: true }, main: { extraVolumes: [{ name: 'load-targets', emptyDir: {} }] } },
  ],
  [
    'volume-twice',
    'main.extraVolumes name=ca-certificates',
    {
      caCertificates: { existingSecret: 'authorities' },
      main: { extraVolumes: [{ name: 'ca-certificates', emptyDir: {} }] },
    },
  ],
  ['volume-twice', 'main.extraVolumes name=a', { main: { extraVolumes: [a, a] } }, 'main.extraVolumes'],
  [
    'mount-path-twice',
    'main.extraVolumeMounts mountPath=/tmp/',
    { main: { extraVolumes: [a], extraVolumeMounts: [{ name: 'a', mountPath: '/tmp/' }] } },
  ],
  [
    'mount-path-twice',
    'main.extraVolumeMounts mountPath=/a',
    {
      main: {
        extraVolumes: [a],
        extraVolumeMounts: [
          { name: 'a', mountPath: '/a', subPath: 'x' },
          { name: 'a', mountPath: '/a' },
        ],
      },
    },
  ],
  [
    'mount-without-volume',
    'main.extraVolumeMounts name=a',
    { main: { extraVolumeMounts: [{ name: 'a', mountPath: '/a' }] } },
    'main.extraVolumes',
  ],
  [
    'mount-without-volume',
    'main.extraContainers name=b volumeMounts name=a',
    { main: { extraContainers: [{ name: 'b', image: 'x:1', volumeMounts: [{ name: 'a', mountPath: '/a' }] }] } },
  ],
  [
    'mount-path-twice',
    'taskRunners.extraVolumeMounts mountPath=/tmp',
    {
      taskRunners: {
        mode: 'external',
        extraVolumes: [a],
        extraVolumeMounts: [{ name: 'a', mountPath: '/tmp' }],
      },
    },
  ],
  ['container-twice', 'main.extraContainers name=n8n', { main: { extraContainers: [container('n8n')] } }, 'the chart'],
  [
    'container-twice',
    'main.extraContainers name=b',
    { main: { extraContainers: [container('b'), container('b')] } },
    'main.extraContainers',
  ],
  [
    'container-twice',
    'main.extraInitContainers name=b',
    { main: { extraContainers: [container('b')], extraInitContainers: [container('b')] } },
    'main.extraContainers',
  ],
]);
