import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '../../../../capacity/src/chart/objects.js';
import { withPathsOnHost, writeConfigMaps } from '../../../../capacity/src/provision/process/mounts.js';

const folder = mkdtempSync(join(tmpdir(), 'mounts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (data: Record<string, string>, mount: object, volume = 'files') => {
  const object: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'files' }, data };
  const volumeMounts = [{ name: volume, mountPath: '/files', ...mount }];
  const volumes = [{ name: volume, configMap: { name: 'files' } }];
  return writeConfigMaps({ name: 'n8n', volumeMounts }, volumes, [object], join(folder, 'pod'));
};

test('the files of a ConfigMap, whose paths are those of this machine', async () => {
  const mounts = await written({ 'a.js': 'text' }, { mountPath: '/files/' });
  const { A, EXTERNAL_HOOK_FILES, NODE_OPTIONS, OTHER } = withPathsOnHost(
    {
      A: '/files/a.js',
      EXTERNAL_HOOK_FILES: '/files/a.js:/files/b.js',
      NODE_OPTIONS: '--require=/files/a.js',
      OTHER: '/files/../etc/shadow',
    },
    mounts,
  );
  expect(readFileSync(A!, 'utf8')).toBe('text');
  expect(EXTERNAL_HOOK_FILES).toBe(`${A}:${A!.replace('a.js', 'b.js')}`);
  expect(NODE_OPTIONS).toBe(`--require=${A}`);
  expect(OTHER).toBe('/files/../etc/shadow');
});

test('files of hooks are split as n8n 2 and as n8n below it split them', async () => {
  const mounts = await written({ 'a.js': 'text' }, {});
  const moved = (value: string) =>
    withPathsOnHost({ EXTERNAL_HOOK_FILES: value, EXTERNAL_HOOK_FILES_SEPARATOR: ';' }, mounts).EXTERNAL_HOOK_FILES;
  const onHost = join(mounts[0]!.onHost, 'a.js');
  expect(moved('/files/a.js;/files/a.js')).toBe(`${onHost};${onHost}`);
  expect(moved('/files/a.js:/files/a.js')).toBe(`${onHost}:${onHost}`);
});

// The rules for names refuse them before; they would be the last step to a file elsewhere.
test.each<[string, () => Promise<unknown>]>([
  ['a key', () => written({ '../../../planted': 'x' }, {})],
  ['a volume', () => written({ planted: 'x' }, {}, '../../..')],
  ['a subPath', () => written({ a: 'x' }, { subPath: '../../../planted' })],
])('%s cannot lead out of the folder of the pod', async (_, write) => {
  await expect(write()).rejects.toThrow(/leaves the folder of the run/);
  expect(existsSync(join(folder, 'planted'))).toBe(false);
});
