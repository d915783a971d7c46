import { inVariables } from '../../../capacity/src/recommend/variables.js';

test('a change of another chart names its variables', () => {
  expect(
    inVariables({
      value: 'database.poolSize',
      text: 'Raise database.poolSize, and postgresql.maxConnections if the chart asks for it: 4 of 4 are in use.',
    }),
  ).toEqual({
    value: 'DB_POSTGRESDB_POOL_SIZE',
    text: "Raise DB_POSTGRESDB_POOL_SIZE, and PostgreSQL's max_connections: 4 of 4 are in use.",
  });
});

test('what only this chart has is left out', () => {
  const text =
    'Raise main.resources.limits.memory to 3Gi, or set overload.requestMegabytes to what a request takes, so that fewer are under way (one of version 1 of the Webhook node takes more than one of version 2): main-0 used 99 %.';
  expect(inVariables({ value: 'main.resources.limits.memory', text })).toEqual({
    value: 'the memory limit of main',
    text: 'Raise the memory limit of main to 3Gi: main-0 used 99 %.',
  });
});
