import { foreignSettings, variablesGiven } from '../../../capacity/src/plan/overrides.js';

test('variables of n8n, whose values may hold anything', () =>
  expect(variablesGiven(['N8N_LOG_LEVEL=warn', 'NODE_OPTIONS=--a=1 --b', 'X='])).toEqual({
    N8N_LOG_LEVEL: 'warn',
    NODE_OPTIONS: '--a=1 --b',
    X: '',
  }));

test.each([
  ['N8N_LOG_LEVEL', /write a variable of n8n and its value/],
  ['worker.replicas=2', /write a variable of n8n and its value/],
  ['N8N_PATH=/n8n/', /N8N_PATH: cannot be set/],
  ['N8N_METRICS=false', /N8N_METRICS: cannot be set/],
  ['N8N_PORT_FILE=/port', /N8N_PORT_FILE: cannot be set/],
  ['N8N_PATH_FILE=/path', /N8N_PATH_FILE: cannot be set/],
])('refuses --env %s', (assignment, message) => expect(() => variablesGiven([assignment])).toThrow(message));

test('every variable that is refused is told', () =>
  expect(() => variablesGiven(['N8N_PATH=/n8n/', 'N8N_LOG_LEVEL=warn', 'N8N_METRICS=false'])).toThrow(
    /2 problems:[^]*N8N_PATH[^]*N8N_METRICS/,
  ));

describe('the dimensions of a sweep of another chart', () => {
  it('are parts of its deployment, variables, and the version of n8n', () =>
    expect(foreignSettings({ workers: 2, poolSize: 4, N8N_LOG_LEVEL: 'warn', n8n: '2.41.1' }, {})).toEqual({
      n8n: '2.41.1',
      overrides: { workers: 2, DB_POSTGRESDB_POOL_SIZE: 4, N8N_LOG_LEVEL: 'warn' },
      values: {},
    }));

  it('are values of that chart, too, where it is a chart', () =>
    expect(foreignSettings({ 'worker.count': 2 }, { chart: 'their/n8n' })).toEqual({
      overrides: {},
      values: { 'worker.count': 2 },
    }));

  it('are names of Secrets, but no secrets', () => {
    const settings = (name: string) => foreignSettings({ [name]: 'hunter2' }, { chart: 'their/n8n' }).values;
    expect(settings('redis.existingSecret')).toEqual({ 'redis.existingSecret': 'hunter2' });
    expect(settings('existingSecretPasswordKey')).toEqual({ existingSecretPasswordKey: 'hunter2' });
    expect(() => settings('existingSecretPassword')).toThrow(/holds a secret/);
  });

  it.each([
    [{ 'worker.count': 2 }, /does not fit manifests/],
    [{ worker: 2 }, /did you mean "workers"/],
    [{ workers: 0 }, /whole number from 1 on/],
    [{ concurrency: 'ten' }, /whole number from 1 on/],
    [{ N8N_ENDPOINT_WEBHOOK: 'hooks' }, /cannot be set/],
    [{ SMTP_PASSWORD: 'hunter2' }, /holds a secret/],
  ])('are refused: %j', (configuration, message) =>
    expect(() => foreignSettings(configuration as Record<string, string | number>, {})).toThrow(message),
  );
});
