import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { renderRelease } from '../../../../capacity/src/provision/kubernetes/render-release.js';
import { requestFiles, withRequestFiles } from '../../../../capacity/src/provision/kubernetes/request-files.js';
import { helm } from '../../../support/tools.js';
import { buildPlan } from '../../support/index.js';

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'request-'));
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const planOf = (scriptEnv: Record<string, string>) => buildPlan({ scriptEnv });

test('headers and body have names in the pod that keep their types', async () => {
  const scriptEnv = { BODY_FILE: file('order.xml', '<a/>'), HEADERS_FILE: file('h.json', '{}'), METHOD: 'POST' };
  const read = (await requestFiles(planOf(scriptEnv)))!;
  expect(read.scriptEnv).toEqual({ BODY_FILE: '/request/body.xml', HEADERS_FILE: '/request/headers.json' });
  expect([...read.files].map(([name, content]) => [name, String(content)])).toEqual([
    ['body.xml', '<a/>'],
    ['headers.json', '{}'],
  ]);
});

test('nothing is read without any, nor for a k6 of this machine', async () => {
  expect(await requestFiles(planOf({}))).toBeUndefined();
});

test('more than a Secret holds is refused', async () => {
  const large = file('large.bin', Buffer.alloc(1_000_001));
  await expect(requestFiles(planOf({ BODY_FILE: large }))).rejects.toBeInstanceOf(UsageError);
});

test("the Secret is mounted where k6 runs: in the Job, and in the operator's pods", async () => {
  const rendered = await renderRelease(helm, { files: [], set: [] }, ['webhook-ack'], 2);
  const { loadTest, testRun } = withRequestFiles(rendered);
  const { containers, volumes } = loadTest.spec.template.spec;
  const mount = { name: 'request', mountPath: '/request', readOnly: true };
  const volume = { name: 'request', secret: { secretName: 'n8n-capacity-request' } };
  expect(containers[0]!.volumeMounts).toContainEqual(mount);
  expect(volumes).toContainEqual(volume);
  for (const pod of [testRun!.spec.runner, testRun!.spec.initializer!]) {
    expect(pod).toMatchObject({ volumes: expect.arrayContaining([volume]) });
    expect(pod.volumeMounts).toContainEqual(mount);
  }
});
