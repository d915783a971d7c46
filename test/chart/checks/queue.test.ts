import { queue, type Values } from '../render.js';
import { tests } from './cases.js';

const withEnv = (variables: Record<string, string>): Values =>
  queue({ worker: { extraEnv: Object.entries(variables).map(([name, value]) => ({ name, value })) } });

await tests('_queue.tpl', [
  [
    'lock-too-short',
    'extraEnv QUEUE_WORKER_LOCK_DURATION=1000',
    withEnv({ QUEUE_WORKER_LOCK_DURATION: '1000' }),
    '10000 ms',
  ],
  [
    'lock-too-short',
    'extraEnv QUEUE_WORKER_LOCK_RENEW_TIME=50000',
    withEnv({ QUEUE_WORKER_LOCK_RENEW_TIME: '50000' }),
    '60000 ms',
  ],
  ['stalled-never-found', 'extraEnv QUEUE_WORKER_STALLED_INTERVAL=0', withEnv({ QUEUE_WORKER_STALLED_INTERVAL: '0' })],
  [
    'worker-pool',
    'extraEnv N8N_WORKER_POOL_NAME=gpu',
    withEnv({ N8N_WORKER_POOLS_ENABLED: 'true', N8N_WORKER_POOL_NAME: 'gpu' }),
  ],
]);
