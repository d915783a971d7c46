import { requireOwnServices } from '../../../capacity/src/chart/own-services.js';
import { renderChart } from '../../../capacity/src/chart/render.js';
import { helm } from '../../support/tools.js';

const render = (...set: string[]) => renderChart(helm, { files: [], set });
const QUEUE = ['executions.mode=queue', 'database.type=postgresql'];

test('requireOwnServices accepts the database and the queue of the release', async () => {
  for (const objects of [await render(), await render(...QUEUE), await render(...QUEUE, 'fullnameOverride=n8n')])
    expect(() => requireOwnServices(objects)).not.toThrow();
});

test.each([
  ['a queue without a password', ['externalRedis.host=redis.prod.svc'], /QUEUE_BULL_REDIS_HOST to redis\.prod\.svc/],
  [
    'a database whose host is in a Secret',
    ['externalPostgresql.hostFile=/run/db/host', 'externalPostgresql.passwordFile=/run/db/password'],
    /DB_POSTGRESDB_HOST/,
  ],
])('requireOwnServices refuses %s', async (_, set, message) => {
  const objects = await render(...QUEUE, ...set);
  expect(() => requireOwnServices(objects)).toThrow(message);
});
