import { readGains } from '../../../capacity/src/workflow/check/gains.js';
import { ChartRefused } from '../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { DEPLOYED_N8N } from '../../support/versions.js';
import { circumstancesGiven } from '../../../capacity/src/plan/circumstances.js';

const quiet = terminalProgress(true);
/** The chart's n8n is a patch newer than the one that the costs were measured with. */
const deployed = { ...readGains().where, n8n: DEPLOYED_N8N };

test('the costs were measured with the chart’s defaults, which a check without options assumes', async () => {
  expect(await circumstancesGiven({}, quiet)).toBeUndefined();
  expect(await circumstancesGiven({ set: ['timezone=UTC'] }, quiet)).toMatchObject(deployed);
});

test.each([
  [{ n8n: '2.39.10' }, { n8n: '2.39.10', lazy: false }],
  [{ n8n: '2.34.0' }, { n8n: '2.34.0', engine: 'legacy', lazy: false, skips: false, cheaperIsolates: false }],
  [{ set: ['expressionEngine.lazyAcquire=false'] }, { lazy: false }],
  [{ set: ['expressionEngine.lazyCharacterTable=false'] }, { cheaperIsolates: false }],
  [{ set: ['executions.mode=queue', 'database.type=postgresql'] }, { mode: 'queue', database: 'postgresdb' }],
  [
    { set: ['expressionEngine.type=legacy', 'expressionEngine.acceptLessSafe=true'] },
    { engine: 'legacy', lazy: false, cheaperIsolates: false },
  ],
])('%j', async (given, differs) => {
  expect(await circumstancesGiven(given, quiet)).toMatchObject({ ...deployed, ...differs });
});

test('values that the chart refuses are refused', async () => {
  await expect(circumstancesGiven({ set: ['executions.mode=queue'] }, quiet)).rejects.toThrow(ChartRefused);
});
