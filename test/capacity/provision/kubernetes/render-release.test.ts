import { isRescue } from '../../../../capacity/src/chart/objects.js';
import { renderChart } from '../../../../capacity/src/chart/render.js';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { renderRelease } from '../../../../capacity/src/provision/kubernetes/render-release.js';
import { helm } from '../../../support/tools.js';

const render = (...set: string[]) => renderRelease(helm, { files: [], set }, ['webhook-ack']);
const logLevels = async (...set: string[]) =>
  (await render(...set)).objects
    .flatMap((o) => o.spec?.template?.spec.containers ?? [])
    .flatMap(({ env = [] }) => env)
    .flatMap(({ name, value }) => (name === 'N8N_LOG_LEVEL' ? [value] : []));

test.each([
  ['an Ingress', 'extraManifests[0].kind=Ingress', /Ingress own/],
  ['a route of a mesh', 'extraManifests[0].kind=VirtualService', /VirtualService own/],
  ['an object of another namespace', 'extraManifests[0].metadata.namespace=prod', /ConfigMap own/],
])('%s of the user acts beside production, and is refused', async (_, set, message) => {
  const manifest = ['apiVersion=v1', 'kind=ConfigMap', 'metadata.name=own'].map((part) => `extraManifests[0].${part}`);
  await expect(render(...manifest, set)).rejects.toThrow(message);
  await expect(render(...manifest, set)).rejects.toThrow(UsageError);
  await expect(render(...manifest)).resolves.toBeDefined();
});

test('the line that shows a task runner is logged, whatever level is given', async () => {
  expect(new Set(await logLevels('logging.level=warn'))).toEqual(new Set(['info']));
  expect(new Set(await logLevels('logging.level=debug'))).toEqual(new Set(['debug']));
});

test('an external queue is refused', async () => {
  const queue = ['executions.mode=queue', 'database.type=postgresql', 'externalRedis.host=redis.prod.svc'];
  await expect(render(...queue)).rejects.toThrow(/QUEUE_BULL_REDIS_HOST/);
});

test('the rescue is left out of the installation, because its API key does not exist yet', async () => {
  const set = ['executions.mode=queue', 'database.type=postgresql', 'rescue.enabled=true'];
  const { objects, values } = await render(...set, 'rescue.apiKey.existingSecret=own');
  expect(objects.filter(isRescue)).toHaveLength(1);
  expect((await renderChart(helm, values)).filter(isRescue)).toEqual([]);
});
