import { queue } from '../render.js';
import { type Case, tests } from './cases.js';

const rescue = { enabled: true, apiKey: { existingSecret: 'n8n-api-key' } };

await tests('_rescue.tpl', [
  [
    'rescue-without-key',
    'rescue.apiKey.existingSecret',
    { rescue: { enabled: true } },
    ...['workflow:list', 'execution:list', 'execution:read', 'execution:retry'],
  ],
  ['rescue-unsupported', 'rescue.enabled=true', { rescue, image: { tag: '2.40.0' } }, '2.41.0'],
  [
    'rescue-without-input',
    'executions.recovery.keepInput=false',
    queue({ rescue, executions: { recovery: { keepInput: false } } }),
    'rescue.enabled=false',
  ],
  [
    'rescue-without-saving',
    'executions.data.saveOnError=none',
    queue({ rescue, executions: { data: { saveOnError: 'none' } } }),
    'rescue.enabled=false',
  ],
  [
    'rescue-without-saving',
    'executions.data.saveOnSuccess=none',
    { rescue, executions: { data: { saveOnSuccess: 'none' } } },
  ],
  ...[
    ['N8N_PUBLIC_API_DISABLED', 'true'],
    ['N8N_PUBLIC_API_DISABLED', '1'],
    ['N8N_PUBLIC_API_ENDPOINT', 'rest'],
  ].map(([name, value]): Case => [
    'rescue-without-api',
    `extraEnv ${name}=${value}`,
    { rescue, extraEnv: [{ name, value }] },
    'rescue.enabled=false',
  ]),
]);
