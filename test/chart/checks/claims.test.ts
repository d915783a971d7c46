import { queue, render, type Values } from '../render.js';
import { clusterWith } from './api-server.js';
import { tests } from './cases.js';

// It compares with what is in the cluster. test/cluster/dry-run.test.ts asks a real one.
await tests(
  '_claims.tpl',
  [],
  ['claim-of-a-stateful-set', 'claim-shrinks', 'claim-unchangeable', 'database-made-already'],
);

const persistence = (size: string, more: Values = {}) => ({
  persistence: { size, storageClass: 'fast', annotations: { team: 'a' }, ...more },
});
const installed = queue({
  commonLabels: { team: 'a' },
  main: persistence('10Gi'),
  postgresql: persistence('10Gi'),
  redis: { persistence: { enabled: false } },
});
const upgraded = clusterWith(() => render(installed));

it.each<[string, string, Values]>([
  ['claim-shrinks', 'main.persistence.size=5Gi', { main: persistence('5Gi') }],
  ['claim-unchangeable', 'main.persistence.storageClass=slow', { main: persistence('10Gi', { storageClass: 'slow' }) }],
  [
    'claim-unchangeable',
    'main.persistence.accessModes=ReadWriteMany',
    { main: persistence('20Gi', { accessModes: ['ReadWriteMany'], annotations: {} }) },
  ],
  ['claim-of-a-stateful-set', 'postgresql.persistence.size', { postgresql: persistence('20Gi') }],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.storageClass',
    { postgresql: persistence('10240Mi', { storageClass: 'slow' }) },
  ],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.accessModes',
    { postgresql: persistence('10Gi', { accessModes: ['ReadWriteOncePod'] }) },
  ],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.annotations',
    { postgresql: persistence('10Gi', { annotations: { team: 'b' } }) },
  ],
  ['claim-of-a-stateful-set', 'commonLabels', { commonLabels: { team: 'b' } }],
  [
    'claim-of-a-stateful-set',
    'postgresql.persistence.enabled=false',
    { postgresql: { persistence: { enabled: false } } },
  ],
  ['database-made-already', 'postgresql.user', { postgresql: { ...persistence('10Gi'), user: 'other' } }],
  ['database-made-already', 'postgresql.database', { postgresql: { ...persistence('10Gi'), database: 'other' } }],
  [
    'database-made-already',
    'postgresql.existingSecret',
    { postgresql: { ...persistence('10Gi'), existingSecret: 'mine' } },
  ],
  ['claim-of-a-stateful-set', 'redis.persistence.enabled=true', { redis: { persistence: { enabled: true } } }],
])('%s: %s', async (code, value, more) => {
  expect(await upgraded({ ...installed, ...more })).toEqual([expect.objectContaining({ code, value })]);
});

it('takes another claim of a StatefulSet that the upgrade deletes', async () => {
  const elsewhere = { externalPostgresql: { host: 'pg', existingSecret: 's' }, postgresql: {} };
  expect(await upgraded({ ...installed, ...elsewhere })).toEqual([]);
});
