import { jest } from '@jest/globals';
import { createRequire } from 'node:module';

interface Hook {
  name: string;
  isOn: (env: object) => boolean;
  load?: () => void;
  bind: (context: object, env: object) => void | Promise<void>;
  otherwise: string;
}
const require = createRequire(import.meta.url);
const { readyHooks } = require('./bind.js') as {
  readyHooks: (hooks: Hook[], env?: object) => ((context?: object) => Promise<void>)[];
};
const { statuses } = require('./status.js') as { statuses: () => Map<string, { isActive: boolean; reason?: string }> };

const hook = (name: string, bind: Hook['bind'], more: Partial<Hook> = {}): Hook => ({
  name,
  isOn: () => true,
  bind,
  otherwise: 'Nothing is done.',
  ...more,
});
const changed = () => {
  throw new TypeError('there is no store');
};

let lines: string[];
beforeEach(() => {
  statuses().clear();
  lines = [];
  for (const method of ['log', 'warn'] as const)
    jest.spyOn(console, method).mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => jest.restoreAllMocks());

test('a hook that finds n8n changed does nothing, and n8n starts with the others', async () => {
  const bound: string[] = [];
  const [ready] = readyHooks([
    hook('first', () => void bound.push('first')),
    hook('second', changed),
    hook('third', () => Promise.reject(new Error('no server'))),
    hook('fourth', () => void bound.push('fourth')),
  ]);
  await ready!({});
  expect(bound).toEqual(['first', 'fourth']);
  expect([...statuses()]).toEqual([
    ['first', { isActive: true }],
    ['second', { isActive: false, reason: 'there is no store' }],
    ['third', { isActive: false, reason: 'no server' }],
    ['fourth', { isActive: true }],
  ]);
  expect(lines.at(-1)).toBe('n8n-tuned: hooks in n8n unknown: active: first, fourth; inactive: second, third');
});

test('what fails while n8n loads the file is not bound', async () => {
  const bind = jest.fn<() => void>();
  const [ready] = readyHooks([hook('early', bind, { load: changed })]);
  await ready!({});
  expect(bind).not.toHaveBeenCalled();
  expect(statuses().get('early')).toEqual({ isActive: false, reason: 'there is no store' });
});

test('a hook that is switched off neither loads nor binds nor shows itself', async () => {
  const [load, bind] = [jest.fn<() => void>(), jest.fn<() => void>()];
  const [ready] = readyHooks([hook('off', bind, { load, isOn: () => false })]);
  await ready!({});
  expect([load.mock.calls, bind.mock.calls, statuses().size, lines]).toEqual([[], [], 0, []]);
});

describe('the hooks of the chart', () => {
  const SWITCHES = [
    'COLLECT_IN_TIME',
    'DRAIN_CONNECTIONS',
    'FIND_LOST_QUEUE',
    'IGNORE_UPGRADES',
    'KEEP_INPUT',
    'PRIVATE_METRICS',
    'REFUSE_LITERAL_PARAMETERS',
    'REFUSE_WHILE_STARTING',
  ];
  const env = Object.fromEntries([
    ...SWITCHES.map((name) => [`N8N_TUNED_${name}`, 'true']),
    ['N8N_TUNED_MAX_REQUESTS', '5'],
    ['N8N_TUNED_SAVE_AGAIN_SECONDS', '60'],
    ['N8N_TUNED_READINESS_PATH', '/healthz/routes'],
    ['EXECUTIONS_MODE', 'queue'],
    ['N8N_METRICS', 'true'],
  ]);

  it.each([undefined, {}, { server: {} }, { app: {} }])(
    'do not end an n8n whose ready hook gets %j: those that need more are inactive',
    async (context) => {
      const before = { ...process.env };
      Object.assign(process.env, env);
      try {
        const { n8n, worker } = require('../hooks.js') as Record<
          'n8n' | 'worker',
          { ready: ((c?: object) => Promise<void>)[] }
        >;
        for (const ready of [...n8n.ready, ...worker.ready]) await ready(context);
      } finally {
        process.env = before;
      }
      const inactive = [...statuses()].filter(([, { isActive }]) => !isActive).map(([name]) => name);
      expect(inactive.sort()).toEqual(
        [
          'drain-connections',
          'find-lost-queue',
          'hide-metrics',
          'ignore-upgrades',
          'keep-input',
          'limit-requests',
          'read-again',
          'refuse-literal-parameters',
          'save-again',
          'wait-for-routes',
        ].sort(),
      );
      delete require.cache[require.resolve('../hooks.js')];
    },
  );
});
