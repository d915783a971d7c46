import { renderChart } from '../../../capacity/src/chart/render.js';
import { podsOf } from '../../../capacity/src/chart/pods.js';
import { rescueSettings } from '../../../capacity/src/faults/rescue.js';
import { helm } from '../../support/tools.js';

const set = ['executions.mode=queue', 'database.type=postgresql'];

test('the rescue gets the settings of the values, without what only a cluster has', async () => {
  const enabled = ['rescue.enabled=true', 'rescue.apiKey.existingSecret=key', 'rescue.intervalSeconds=17'];
  const objects = await renderChart(helm, { files: [], set: [...set, ...enabled] });
  const settings = rescueSettings(objects);
  expect(settings).toMatchObject({ RESCUE_TAG: 'rescue', RESCUE_INTERVAL_SECONDS: '17', RESCUE_MAX_TRIES: '3' });
  expect(settings).not.toHaveProperty('N8N_API_KEY');
  // It is no part of what is measured.
  expect(podsOf(objects).map(({ name }) => name)).toEqual(
    podsOf(await renderChart(helm, { files: [], set })).map(({ name }) => name),
  );
});

test('values that do not enable it have none', async () => {
  expect(rescueSettings(await renderChart(helm, { files: [], set }))).toBeUndefined();
});
