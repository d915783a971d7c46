import { renderChart } from '../../../capacity/src/chart/render.js';
import { listLocalPods } from '../../../capacity/src/chart/pods.js';
import { findRescuePod } from '../../../capacity/src/chart/rescue.js';
import { helm } from '../../support/tools.js';

const set = ['executions.mode=queue', 'database.type=postgresql'];

test('findRescuePod returns the settings in the values, without those that only a cluster has', async () => {
  const enabled = ['rescue.enabled=true', 'rescue.apiKey.existingSecret=own', 'rescue.intervalSeconds=17'];
  const objects = await renderChart(helm, { files: [], set: [...set, ...enabled] });
  const { environment, apiKey } = findRescuePod(objects)!;
  expect(environment).toMatchObject({ RESCUE_TAG: 'rescue', RESCUE_INTERVAL_SECONDS: '17', RESCUE_MAX_TRIES: '3' });
  expect(environment).not.toHaveProperty('N8N_API_KEY');
  expect(apiKey).toEqual({ name: 'own', key: 'api-key' });
  // The rescue is not measured.
  expect(listLocalPods(objects).map(({ name }) => name)).toEqual(
    listLocalPods(await renderChart(helm, { files: [], set })).map(({ name }) => name),
  );
});

test('findRescuePod returns undefined if the values do not enable the rescue', async () => {
  expect(findRescuePod(await renderChart(helm, { files: [], set }))).toBeUndefined();
});
