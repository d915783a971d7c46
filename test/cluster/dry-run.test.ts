import { jest } from '@jest/globals';
import { execa } from 'execa';
import { valuesFiles } from '../chart/render.js';
import { installCrds } from './support/crds.js';
import { Release } from './support/release.js';

jest.setTimeout(120_000);

let release: Release;
beforeAll(async () => {
  await installCrds();
  release = await Release.create('dry-run');
});
afterAll(() => release?.delete());

// The namespace warns of pods that the standard `restricted` would refuse.
test.each(valuesFiles())('the API server takes what %s makes, without a warning', async (file) => {
  const input = await release.render({}, file);
  const args = ['--namespace', release.namespace.name, 'apply', '--dry-run=server', '-f', '-'];
  const { exitCode, stderr } = await execa('kubectl', args, { input, reject: false });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});
