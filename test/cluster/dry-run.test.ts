import { jest } from '@jest/globals';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
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

test('another size for a volume of PostgreSQL is refused before anything changes', async () => {
  const values = { executions: { mode: 'queue' }, database: { type: 'postgresql' } };
  const render = (size: string) =>
    release.render({ ...values, postgresql: { persistence: { size } } }, undefined, ['--dry-run=server']);
  const set = parseAllDocuments(await render('8Gi'))
    .map((document) => document.toJS())
    .find((object) => object?.kind === 'StatefulSet' && object.metadata.name.endsWith('postgresql'));
  // As Helm marks what it has made.
  const annotations = {
    'meta.helm.sh/release-name': release.name,
    'meta.helm.sh/release-namespace': release.namespace.name,
  };
  const made = { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas: 0 } };
  const args = ['--namespace', release.namespace.name, 'apply', '-f', '-'];
  await execa('kubectl', args, { input: JSON.stringify(made) });
  await expect(render('8192Mi')).resolves.toContain('StatefulSet');
  await expect(render('9Gi')).rejects.toThrow('[claim-of-a-stateful-set]');
});
