import { jest } from '@jest/globals';
import { Release } from './support/release.js';

jest.setTimeout(600_000);

let release: Release;
beforeAll(async () => {
  release = await Release.create('apply');
});
afterAll(() => release?.delete());

const values = { loadTargets: { enabled: true } };
/** Without the pods of `helm test`, which would run at once. */
const render = () => release.render(values, undefined, ['--skip-tests']);
const secret = async () => (await release.namespace.get('secret', 'n8n-tuned-generated')).data;

test('helm template | kubectl apply gives a working n8n', async () => {
  await release.namespace.apply(await render());
  await release.ready();
  await release.answers();
});

test('applied again, also when the Job is gone, it changes no secret', async () => {
  const before = await secret();
  await release.namespace.apply(await render());
  const [job] = (await release.namespace.names(['jobs'])).filter((name) => name.includes('make-secret'));
  await release.namespace.kubectl(['wait', job!, '--for=condition=Complete', '--timeout=60s']);
  expect(await secret()).toEqual(before);

  await release.namespace.kubectl(['delete', job!]);
  await release.namespace.apply(await render());
  await release.namespace.kubectl(['wait', job!, '--for=condition=Complete', '--timeout=60s']);
  expect(await secret()).toEqual(before);
  await release.answers();
});
