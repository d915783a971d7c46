import { jest } from '@jest/globals';
import { report, secondsOf } from './support/eventually.js';
import { Release } from './support/release.js';

jest.setTimeout(600_000);

let release: Release;
beforeAll(async () => {
  release = await Release.create('own');
});
afterAll(() => release?.delete());

const values = { loadTargets: { enabled: true } };

test('n8n 0.221.2 with a process for each execution', async () => {
  const seconds = await secondsOf(() => release.install(values, 'profiles/legacy-own.yaml'));
  const first = await release.answers();
  const second = await release.answers();
  expect([first.component, second.component]).toEqual(['own-child', 'own-child']);
  report(`profiles/legacy-own.yaml: ready after ${seconds} s`);
  expect(second.pid).not.toBe(first.pid);
});

test('the same n8n with executions in its own process', async () => {
  await release.upgrade({ ...values, executions: { process: 'main' } }, 'profiles/legacy-own.yaml');
  const first = await release.answers();
  const second = await release.answers();
  expect(first.component).toBe('main');
  expect(second.pid).toBe(first.pid);
});

test('helm test passes', async () => {
  expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
});
