import { comparable } from '../../../capacity/src/record/files.js';

test('two runs are the same whenever they began, and wherever their flags stood', () => {
  const plan = { stepSeconds: 10, configOrigin: { file: 'n8n-capacity.yaml', flags: ['target'] } };
  const run = comparable({ startedAt: '2026-11-20T10:15:00Z', plan });
  expect(run).toEqual(comparable({ startedAt: '2026-11-21T10:15:00Z', plan: { stepSeconds: 10, port: undefined } }));
  expect(run).not.toEqual(comparable({ startedAt: '2026-11-20T10:15:00Z', plan: { ...plan, stepSeconds: 20 } }));
});
