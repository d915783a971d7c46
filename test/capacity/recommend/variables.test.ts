import { changeText, inVariables } from '../../../capacity/src/recommend/variables.js';

test('a change of another chart names its variables', () => {
  expect(
    inVariables({
      value: 'database.poolSize',
      action: 'Raise database.poolSize, and postgresql.maxConnections if the chart asks for it',
      evidence: '4 of 4 are in use',
    }),
  ).toEqual({
    value: 'DB_POSTGRESDB_POOL_SIZE',
    action: "Raise DB_POSTGRESDB_POOL_SIZE, and PostgreSQL's max_connections",
    evidence: '4 of 4 are in use',
  });
});

test('what only this chart has is left out', () => {
  const action =
    'Raise main.resources.limits.memory to 3Gi, or set overload.requestMegabytes to what a request takes, so that fewer are under way (one of version 1 of the Webhook node takes more than one of version 2)';
  expect(
    inVariables({ value: 'main.resources.limits.memory', action, evidence: 'main-0 used 99 %', why: 'it grows' }),
  ).toEqual({
    value: 'the memory limit of main',
    action: 'Raise the memory limit of main to 3Gi',
    evidence: 'main-0 used 99 %',
    why: 'it grows',
  });
});

test('a change is one sentence', () => {
  const change = { action: 'Raise worker.replicas', evidence: 'w used 1 core', why: 'one process uses one core' };
  expect(changeText(change)).toBe('Raise worker.replicas: w used 1 core, and one process uses one core.');
  expect(changeText({ action: 'Raise worker.replicas' })).toBe('Raise worker.replicas.');
});

test('evidence that was said before it is not said again', () => {
  const change = { action: 'Raise worker.replicas', evidence: 'w used 1 core' };
  expect(changeText({ ...change, why: 'one process uses one core' }, 'Limited by CPU: w used 1 core')).toBe(
    'Raise worker.replicas: one process uses one core.',
  );
  expect(changeText(change, 'Limited by CPU: w used 1 core')).toBe('Raise worker.replicas.');
  expect(changeText(change, 'Limited by memory: w used 1 GiB')).toBe('Raise worker.replicas: w used 1 core.');
});
