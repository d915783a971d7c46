import { deriveCircumstances } from '../../../../capacity/src/workflow/check/circumstances.js';

const DEPLOYMENT = { mode: 'regular', database: 'sqlite', expressionEngine: {} } as const;
test.each([
  [{ cheaperIsolates: true }, true],
  [{}, false],
  [undefined, false],
])('deriveCircumstances finds isolates that the chart makes cheaper: %j', (expressionEngine, cheaperIsolates) =>
  expect(deriveCircumstances('2.41.1', { ...DEPLOYMENT, expressionEngine })).toMatchObject({ cheaperIsolates }),
);

const findEngine = (n8n: string, expressionEngine: object | undefined) => {
  const { engine, lazy, skips } = deriveCircumstances(n8n, { ...DEPLOYMENT, expressionEngine });
  return [engine, lazy, skips];
};

test.each<[string, object | undefined, unknown[]]>([
  // n8n's own defaults.
  ['0.221.2', {}, ['legacy', false, false]],
  ['1.123.51', {}, ['legacy', false, false]],
  ['1.123.81', {}, ['vm', false, false]],
  ['2.34.0', {}, ['legacy', false, false]],
  ['2.35.0', {}, ['vm', false, true]],
  ['2.41.1', {}, ['vm', false, true]],
  // As they are set.
  ['2.41.1', { type: 'legacy' }, ['legacy', false, true]],
  ['2.41.1', { type: 'quickjs' }, ['quickjs', false, true]],
  ['1.123.81', { type: 'legacy' }, ['legacy', false, false]],
  ['2.41.1', { lazyAcquire: 'true', webhookSkip: 'false' }, ['vm', true, false]],
  // Versions that do not read the variable.
  ['2.39.10', { lazyAcquire: 'true' }, ['vm', false, true]],
  ['2.10.0', { type: 'vm' }, ['legacy', false, false]],
  // Nothing is known.
  ['2.41.1', undefined, ['unknown', false, true]],
  ['unknown', {}, ['unknown', false, true]],
])('deriveCircumstances finds the expression engine of n8n %s with %j', (n8n, variables, expected) =>
  expect(findEngine(n8n, variables)).toEqual(expected),
);
