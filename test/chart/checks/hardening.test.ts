import { env, refusals, render, type Values } from '../render.js';
import { type Case, tests } from './cases.js';

const hardening = { enabled: true };
const variable = (name: string, value: string) => ({ hardening, extraEnv: [{ name, value }] });
/** All that the chart excludes from the default n8n with SQLite, and one more. */
const { NODES_EXCLUDE: OWN } = env(render({ hardening }), 'main');
const MORE = JSON.stringify([...JSON.parse(OWN as string), 'n8n-nodes-base.ssh']);
const without = (type: string) => JSON.stringify(JSON.parse(OWN as string).filter((one: string) => one !== type));

await tests('_hardening.tpl', [
  ['nodes-against-hardening', 'extraEnv NODES_EXCLUDE=[]', variable('NODES_EXCLUDE', '[]'), 'executeCommand'],
  ...JSON.parse(OWN as string).map((type: string): Case => [
    'nodes-against-hardening',
    `extraEnv NODES_EXCLUDE=${without(type)}`,
    variable('NODES_EXCLUDE', without(type)),
    `Add ${type}, or`,
  ]),
  // n8n takes a text that is no JSON for an empty list.
  [
    'nodes-against-hardening',
    'extraEnv NODES_EXCLUDE=n8n-nodes-base.executeCommand',
    variable('NODES_EXCLUDE', 'n8n-nodes-base.executeCommand'),
  ],
  [
    'nodes-against-hardening',
    'extraEnv NODES_EXCLUDE',
    {
      hardening,
      extraEnv: [{ name: 'NODES_EXCLUDE', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
    },
  ],
  [
    'allowed-node-not-excluded',
    'hardening.allowedNodes n8n-nodes-base.set',
    { hardening: { enabled: true, allowedNodes: ['n8n-nodes-base.set'] } },
    'n8n-nodes-base.git',
  ],
  [
    'allowed-node-not-excluded',
    'hardening.allowedNodes n8n-nodes-base.code',
    { hardening: { enabled: true, allowedNodes: ['n8n-nodes-base.code'] } },
  ],
  [
    'addresses-against-hardening',
    'extraEnv N8N_SSRF_BLOCKED_IP_RANGES=100.64.0.0/10',
    variable('N8N_SSRF_BLOCKED_IP_RANGES', '100.64.0.0/10'),
    'default,100.64.0.0/10',
  ],
  ...['0.0.0.0/1,128.0.0.0/1', '10.0.0.0/7', '::/0', '2000::/3', '10.0.0.0/8, 0.0.0.0/00'].map((blocks): Case => [
    'addresses-against-hardening',
    `extraEnv N8N_SSRF_ALLOWED_IP_RANGES=${blocks}`,
    variable('N8N_SSRF_ALLOWED_IP_RANGES', blocks),
  ]),
  ...['TRUE', '"true"', "'1'", ' true '].map((value): Case => [
    'runners-against-hardening',
    `extraEnv N8N_RUNNERS_INSECURE_MODE=${value}`,
    variable('N8N_RUNNERS_INSECURE_MODE', value),
  ]),
  [
    'git-against-hardening',
    "extraEnv N8N_GIT_NODE_ENABLE_HOOKS='true'",
    variable('N8N_GIT_NODE_ENABLE_HOOKS', "'true'"),
  ],
  [
    'unseen-against-hardening',
    'extraEnv N8N_GIT_NODE_ENABLE_HOOKS',
    {
      hardening,
      extraEnv: [{ name: 'N8N_GIT_NODE_ENABLE_HOOKS', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }],
    },
  ],
  [
    'unseen-against-hardening',
    'extraEnv N8N_SSRF_BLOCKED_IP_RANGES_FILE',
    variable('N8N_SSRF_BLOCKED_IP_RANGES_FILE', '/etc/blocks'),
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
  const extraEnv = [{ name: 'NODES_EXCLUDE', value: MORE }];
  expect(await refusals({ hardening, main: { extraEnv } })).toEqual([
    expect.objectContaining({ code: 'variable-of-the-chart', value: 'main.extraEnv NODES_EXCLUDE' }),
  ]);
});

it.each([
  ['more addresses are blocked', variable('N8N_SSRF_BLOCKED_IP_RANGES', '100.64.0.0/10, default')],
  ['more nodes are excluded', variable('NODES_EXCLUDE', MORE)],
  ['a module of npm is allowed', variable('NODE_FUNCTION_ALLOW_EXTERNAL', 'lodash')],
  ['there is no hardening', { extraEnv: [{ name: 'NODES_EXCLUDE', value: '[]' }] }],
])('nothing is refused where %s', (_, values) => {
  expect(render(values)).not.toEqual([]);
});

describe('what is excluded', () => {
  const excluded = (values: Values): string[] =>
    JSON.parse(env(render({ hardening, ...values }), 'main').NODES_EXCLUDE);
  const CODE = ['n8n-nodes-base.code', 'n8n-nodes-base.aiTransform', '@n8n/n8n-nodes-langchain.toolCode'];
  const AGENT = '@n8n/n8n-nodes-langchain.agent';

  it('nodes that run code or programs in the container, or read its files, in every n8n', () => {
    for (const tag of ['2.41.1', '2.0.0', '1.123.81', '0.221.2']) {
      expect(excluded({ image: { tag } })).toEqual(
        expect.arrayContaining([
          '@n8n/n8n-nodes-langchain.code',
          ...['executeCommand', 'localFileTrigger', 'readBinaryFile', 'readBinaryFiles', 'readWriteFile'].map(base),
          ...['writeBinaryFile', 'function', 'functionItem', 'git', 'editImage'].map(base),
        ]),
      );
    }
  });

  it('Code nodes where their code runs in the process of n8n: below 2.0, without a runner', () => {
    expect(excluded({ image: { tag: '1.123.81' } })).toEqual(expect.arrayContaining(CODE));
    const inRunner = excluded({ image: { tag: '1.123.81' }, taskRunners: { mode: 'external' } });
    for (const type of CODE) expect(inRunner).not.toContain(type);
    for (const type of CODE) expect(excluded({})).not.toContain(type);
    expect(inRunner).toContain(base('sort'));
    expect(excluded({})).not.toContain(base('sort'));
  });

  it('the agent where the database of n8n is a file', () => {
    expect(excluded({})).toContain(AGENT);
    expect(excluded({ database: { type: 'postgresql' } })).not.toContain(AGENT);
  });

  it('nodes through whose values a file can be named, until n8n guards them', () => {
    const guarded = ['snowflake', 'emailSend', 'gmail', 'sendInBlue'].map(base);
    for (const tag of ['0.221.2', '2.20.0'])
      expect(excluded({ image: { tag } })).toEqual(expect.arrayContaining(guarded));
    for (const tag of ['1.123.81', '2.41.1']) {
      for (const type of guarded) expect(excluded({ image: { tag } })).not.toContain(type);
    }
  });

  it('not what the values allow', () => {
    const allowedNodes = [base('editImage'), AGENT];
    const rest = excluded({ hardening: { enabled: true, allowedNodes } });
    expect([...rest, ...allowedNodes].sort()).toEqual(excluded({}).sort());
    expect(render(variable('NODES_EXCLUDE', JSON.stringify(excluded({}))))).not.toEqual([]);
  });
});

function base(name: string): string {
  return `n8n-nodes-base.${name}`;
}
