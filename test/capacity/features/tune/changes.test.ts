import type { Setting } from '../../../../capacity/src/features/tune/record.js';
import { selectChanges, type Situation } from '../../../../capacity/src/features/tune/changes.js';
import { groupOf } from '../../../../capacity/src/features/tune/schedule.js';
import { trialValues } from '../../../../capacity/src/features/tune/trial-values.js';

const setting = (over: Partial<Setting>): Setting => ({
  id: 'pool',
  title: 'the pool has another size',
  value: 'expressionEngine.poolSize',
  candidates: [1, 20, 30],
  with: {},
  modes: ['regular', 'queue'],
  n8n: '>=2.35.0',
  trades: 'nothing',
  source: 'read',
  ...over,
});
const situation: Situation = { n8n: '2.41.1', mode: 'regular', database: 'sqlite', values: {}, accept: [] };
const variable = setting({ id: 'threads', value: undefined, env: 'UV_THREADPOOL_SIZE', candidates: ['8'] });

test('a change for each candidate, at most two', () => {
  const { changes, leftOut } = selectChanges([setting({})], situation);
  expect(changes.map(({ id, values }) => [id, values])).toEqual([
    ['pool=1', { 'expressionEngine.poolSize': 1 }],
    ['pool=20', { 'expressionEngine.poolSize': 20 }],
  ]);
  expect(leftOut).toEqual([]);
});

test.each<[string, Setting, Partial<Situation>]>([
  ['another mode', setting({ modes: ['queue'] }), {}],
  ['another database', setting({ database: 'postgresql' }), {}],
  ['another n8n', setting({}), { n8n: '2.34.0' }],
  ['costs durability, which is not accepted', setting({ trades: 'durability' }), {}],
  ['what the values say already', setting({ candidates: [20] }), { values: { expressionEngine: { poolSize: 20 } } }],
  ['a variable that the values set', variable, { values: { extraEnv: [{ name: 'UV_THREADPOOL_SIZE', value: '4' }] } }],
  [
    'a variable that the values set for main',
    variable,
    { values: { main: { extraEnv: [{ name: 'UV_THREADPOOL_SIZE', value: '4' }] } } },
  ],
  ['what cannot be set', setting({ cannot: 'no variable exists' }), {}],
])('left out: %s', (_, one, over) => {
  const { changes, leftOut } = selectChanges([one], { ...situation, ...over });
  expect(changes).toEqual([]);
  expect(leftOut.map((l) => l.setting)).toEqual([one.id]);
});

test('a candidate that the values have already is no change, and the others are', () => {
  const values = { expressionEngine: { poolSize: 20 } };
  const { changes } = selectChanges([setting({ candidates: [1, 20, 50] })], { ...situation, values });
  expect(changes.map(({ id }) => id)).toEqual(['pool=1', 'pool=50']);
});

test.each([
  ['more', 6, [20]],
  ['more', 30, []],
  ['less', 6, [3, 4]],
  ['less', 3, []],
  ['more', '2GB', []],
] as const)('candidates that are %s than %s', (side, now, expected) => {
  const candidates = typeof now === 'string' ? ['256MB', '512MB'] : [3, 4, 20];
  const values = { expressionEngine: { poolSize: now } };
  const { changes, leftOut } = selectChanges([setting({ candidates, side })], { ...situation, values });
  expect(changes.map(({ to }) => to)).toEqual(expected);
  expect(leftOut).toHaveLength(expected.length > 0 ? 0 : 1);
});

test.each<[string, Partial<Setting>, unknown, (string | number | boolean)[]]>([
  ['is tried first', {}, 5, [10, 1]],
  ['is not tried if the values have it', {}, 10, [1, 20]],
  ['is not tried on the other side', { side: 'more' }, 15, [20, 30]],
  ['is not tried if data would have to move', { oneWay: true }, 5, [1, 20]],
])("the chart's default %s", (_, over, now, expected) => {
  const [values, defaults] = [now, 10].map((poolSize) => ({ expressionEngine: { poolSize } }));
  const { changes } = selectChanges([setting(over)], { ...situation, values: values!, defaults });
  expect(changes.map(({ to }) => to)).toEqual(expected);
  expect(changes.filter(({ title }) => title !== setting({}).title).map(({ to }) => to)).toEqual(
    expected.filter((to) => to === 10),
  );
});

test('a default that the chart computes is no candidate', () => {
  const [values, defaults] = [5, null].map((poolSize) => ({ expressionEngine: { poolSize } }));
  expect(selectChanges([setting({})], { ...situation, values: values!, defaults }).changes).toHaveLength(2);
});

test('what costs durability is tried where that is accepted, and PostgreSQL is known by its two names', () => {
  const one = setting({ trades: 'durability', database: 'postgresql' });
  expect(selectChanges([one], { ...situation, database: 'postgresdb', accept: ['durability'] }).changes).toHaveLength(
    2,
  );
});

test('a trial repeats the variables of the user, which helm would replace', () => {
  const { changes } = selectChanges([setting({ with: { 'a.b': true } }), variable], situation);
  const given = { extraEnv: [{ name: 'TZ', value: 'UTC' }] };
  expect(trialValues([changes[0]!, changes[2]!], given)).toEqual({
    a: { b: true },
    expressionEngine: { poolSize: 1 },
    extraEnv: [
      { name: 'TZ', value: 'UTC' },
      { name: 'UV_THREADPOOL_SIZE', value: '8' },
    ],
  });
  expect(trialValues([], given)).toEqual({});
});

describe('the deployment of another chart', () => {
  const variableOfOthers = setting({ id: 'lazy', value: undefined, other: 'N8N_LAZY', candidates: ['true'] });
  const other = { ...situation, other: { N8N_LOG_LEVEL: 'warn' } };

  it('has variables and parts, and no values of ours', () => {
    const { changes, leftOut } = selectChanges([setting({}), variable, variableOfOthers], other);
    expect(changes.map(({ id, values, env, overrides }) => [id, values, env, overrides])).toEqual([
      ['threads=8', {}, undefined, { UV_THREADPOOL_SIZE: '8' }],
      ['lazy=true', {}, undefined, { N8N_LAZY: 'true' }],
    ]);
    expect(leftOut).toEqual([]);
  });

  it('is not told to set what it sets', () => {
    const set = { ...situation, other: { N8N_LAZY: 'true', UV_THREADPOOL_SIZE: '16' } };
    const { changes, leftOut } = selectChanges([variable, variableOfOthers], set);
    expect(changes).toEqual([]);
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('UV_THREADPOOL_SIZE'),
      'N8N_LAZY is true already',
    ]);
  });

  it('is alone in having them', () => expect(selectChanges([variableOfOthers], situation).changes).toEqual([]));
});

test('what the chart refuses beside another value is of that value’s group', () => {
  const [legacy] = selectChanges(
    [setting({ value: 'expressionEngine.type', excludes: 'expressionEngine.poolSize' })],
    situation,
  ).changes;
  expect(groupOf(legacy!)).toBe('expressionEngine.poolSize');
  expect(groupOf(selectChanges([setting({})], situation).changes[0]!)).toBe('expressionEngine.poolSize');
});
