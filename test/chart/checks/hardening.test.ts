import { refusals, render } from '../render.js';
import { tests } from './cases.js';

const hardening = { enabled: true };
const variable = (name: string, value: string) => ({ hardening, extraEnv: [{ name, value }] });
const BOTH = '["n8n-nodes-base.executeCommand","n8n-nodes-base.localFileTrigger","n8n-nodes-base.ssh"]';

await tests('_hardening.tpl', [
  ['nodes-against-hardening', 'extraEnv NODES_EXCLUDE=[]', variable('NODES_EXCLUDE', '[]'), 'executeCommand'],
  [
    'addresses-against-hardening',
    'extraEnv N8N_SSRF_BLOCKED_IP_RANGES=100.64.0.0/10',
    variable('N8N_SSRF_BLOCKED_IP_RANGES', '100.64.0.0/10'),
    'default,100.64.0.0/10',
  ],
  [
    'runners-against-hardening',
    'extraEnv N8N_RUNNERS_INSECURE_MODE=true',
    variable('N8N_RUNNERS_INSECURE_MODE', 'true'),
    'taskRunners.mode=external',
  ],
  [
    'module-against-hardening',
    'extraEnv NODE_FUNCTION_ALLOW_EXTERNAL *',
    variable('NODE_FUNCTION_ALLOW_EXTERNAL', '*'),
  ],
  [
    'module-against-hardening',
    'codeNodes.builtin fs',
    { codeNodes: { builtin: ['crypto', 'fs'] }, hardening },
    "n8n's files",
  ],
  [
    'module-against-hardening',
    'extraEnv NODE_FUNCTION_ALLOW_BUILTIN https',
    { extraEnv: [{ name: 'NODE_FUNCTION_ALLOW_BUILTIN', value: 'url, node:https' }], hardening },
    'private networks',
  ],
  [
    'module-against-hardening',
    'extraEnv NODE_FUNCTION_ALLOW_BUILTIN *',
    { main: { extraEnv: [{ name: 'NODE_FUNCTION_ALLOW_BUILTIN', value: '*' }] }, hardening },
  ],
  [
    'addresses-against-hardening',
    'extraEnv N8N_SSRF_ALLOWED_IP_RANGES=10.0.0.0/8,0.0.0.0/0',
    {
      hardening: { enabled: true },
      extraEnv: [{ name: 'N8N_SSRF_ALLOWED_IP_RANGES', value: '10.0.0.0/8,0.0.0.0/0' }],
    },
  ],
  [
    'git-against-hardening',
    'extraEnv N8N_GIT_NODE_ENABLE_HOOKS=true',
    { hardening: { enabled: true }, extraEnv: [{ name: 'N8N_GIT_NODE_ENABLE_HOOKS', value: 'true' }] },
  ],
]);

it('nodes are excluded in all of n8n or not at all', async () => {
  const extraEnv = [{ name: 'NODES_EXCLUDE', value: BOTH }];
  expect(await refusals({ hardening, main: { extraEnv } })).toEqual([
    expect.objectContaining({ code: 'variable-of-the-chart', value: 'main.extraEnv NODES_EXCLUDE' }),
  ]);
});

it.each([
  ['more addresses are blocked', variable('N8N_SSRF_BLOCKED_IP_RANGES', '100.64.0.0/10, default')],
  ['more nodes are excluded', variable('NODES_EXCLUDE', BOTH)],
  ['a module of npm is allowed', variable('NODE_FUNCTION_ALLOW_EXTERNAL', 'lodash')],
  ['there is no hardening', { extraEnv: [{ name: 'NODES_EXCLUDE', value: '[]' }] }],
])('nothing is refused where %s', (_, values) => {
  expect(render(values)).not.toEqual([]);
});
