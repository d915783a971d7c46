import { DEPLOYED_N8N } from '../../support/versions.js';
import { queue } from '../render.js';
import { tests } from './cases.js';

const own = { process: 'own' };
const limit = { concurrencyLimit: 5 };

await tests('_executions.tpl', [
  ['own-mode-removed', 'executions.process=own', { executions: own }, 'executions.mode=queue', DEPLOYED_N8N],
  ['own-mode-removed', 'executions.process=own', { image: { tag: '1.27.0' }, executions: own }, 'image.tag below 1.27'],
  ['own-mode-in-queue', 'executions.process=own', queue({ image: { tag: '0.221.2' }, executions: own })],
  ['concurrency-limit-in-queue', 'executions.concurrencyLimit=5', queue({ executions: limit }), 'worker.concurrency'],
  [
    'concurrency-limit-unsupported',
    'executions.concurrencyLimit=5',
    { image: { tag: '1.20.0' }, executions: limit },
    'image.tag to 1.48.0',
  ],
  [
    'timeout-above-maximum',
    'executions.timeoutSeconds=7200',
    { executions: { timeoutSeconds: 7200 } },
    'executions.maxTimeoutSeconds=3600',
  ],
]);
