import { N8N, queue, render, type Values } from '../render.js';
import { tests } from './cases.js';

const external = (taskRunners: Values = {}, more: Values = {}): Values =>
  queue({ taskRunners: { mode: 'external', ...taskRunners }, ...more });
const limits = (memory: string | null) => ({ resources: { requests: { memory: '128Mi' }, limits: { memory } } });
const heap = (runner: number) => ({ main: { heap: { runner } } });

const allowMoment = [{ name: 'NODE_FUNCTION_ALLOW_EXTERNAL', value: 'moment' }];
const onTheWrongSide = 'modules-on-the-wrong-side';

/** A runner of the launcher's configuration. */
const runner = (type: string, port?: string): Values => ({
  'runner-type': type,
  ...(port && { 'health-check-server-port': port }),
});

await tests('_runners.tpl', [
  [onTheWrongSide, 'extraEnv NODE_FUNCTION_ALLOW_EXTERNAL', external({}, { extraEnv: allowMoment }), 'env-overrides'],
  [onTheWrongSide, 'taskRunners.extraEnv NODE_FUNCTION_ALLOW_EXTERNAL', external({ extraEnv: allowMoment })],
  [
    'variable-twice',
    'taskRunners.extraEnv N8N_RUNNERS_TASK_TIMEOUT',
    external({ extraEnv: [{ name: 'N8N_RUNNERS_TASK_TIMEOUT', value: '5' }] }),
  ],
  [
    'runners-config-without-type',
    'taskRunners.config',
    external({ types: ['javascript', 'python'], config: { 'task-runners': [runner('javascript', '5681')] } }),
    'runner-type python',
  ],
  [
    'runners-config-ports',
    'taskRunners.config python health-check-server-port',
    external({
      types: ['javascript', 'python'],
      config: { 'task-runners': [runner('javascript', '5681'), runner('python', '5681')] },
    }),
    'the runner of javascript uses port 5681',
  ],
  [
    'runners-config-ports',
    'taskRunners.config javascript health-check-server-port',
    external({
      types: ['javascript', 'python'],
      config: { 'task-runners': [runner('javascript'), runner('python', '5682')] },
    }),
    'it is missing',
  ],
  [
    'runners-config-ports',
    'taskRunners.config javascript health-check-server-port',
    external({ brokerPort: 5690, config: { 'task-runners': [runner('javascript', '5690')] } }),
    'task broker',
  ],
  ['runners-config-without-runners', 'taskRunners.config', external({ config: { runners: [] } }), 'task-runners'],
  [
    onTheWrongSide,
    'taskRunners.extraEnv NODE_FUNCTION_ALLOW_EXTERNAL',
    external({
      extraEnv: allowMoment,
      config: { 'task-runners': [{ 'runner-type': 'javascript', 'allowed-env': ['PATH'] }] },
    }),
    'allowed-env',
  ],
  [
    onTheWrongSide,
    'taskRunners.extraEnv NODE_FUNCTION_ALLOW_EXTERNAL',
    external({
      extraEnv: allowMoment,
      config: {
        'task-runners': [
          {
            'runner-type': 'javascript',
            'allowed-env': ['NODE_FUNCTION_ALLOW_EXTERNAL'],
            'env-overrides': { NODE_FUNCTION_ALLOW_EXTERNAL: '' },
          },
        ],
      },
    }),
    'env-overrides',
  ],
  [
    'external-runners-unsupported',
    'taskRunners.mode=external',
    external({}, { image: { tag: '1.110.0' } }),
    'taskRunners.mode=internal',
    '1.111.0',
  ],
  ['runners-of-another-version', 'taskRunners.image.tag=2.40.0', external({ image: { tag: '2.40.0' } }), N8N],
  ['broker-port-taken', 'taskRunners.brokerPort=5678', external({ brokerPort: 5678 })],
  ['broker-port-taken', 'taskRunners.brokerPort=5678', { taskRunners: { brokerPort: 5678 } }],
  ['limit-too-small', 'taskRunners.resources.limits.memory=160Mi', external(limits('160Mi')), 'Raise it to 192Mi'],
  [
    'limit-too-small',
    'taskRunners.resources.limits.memory=512Mi',
    external({}, heap(400)),
    'heap of 400 MiB',
    'Raise it to 528Mi',
  ],
  ['heap-without-limit', 'taskRunners.resources.limits.memory', external(limits(null)), 'heap.enabled=false'],
  ['no-effect', 'main.heap.runner=100', external({ types: ['python'] }, heap(100)), 'taskRunners.types'],
  ['no-effect', 'main.heap.runner', external({}, { ...heap(100), heap: { enabled: false } })],
  ['heap-below-start', 'main.heap.runner=32', external({}, heap(32)), 'Set 64'],
]);

it('passes on a list of modules that the configuration names', () => {
  const config = { 'task-runners': [{ 'runner-type': 'javascript', 'allowed-env': ['NODE_FUNCTION_ALLOW_EXTERNAL'] }] };
  expect(() => render(external({ extraEnv: allowMoment, config }))).not.toThrow();
});

it('accepts the limits that refusals ask for', () => {
  expect(() => render(external(limits('192Mi')))).not.toThrow();
  expect(() => render(external(limits('528Mi'), heap(400)))).not.toThrow();
});
