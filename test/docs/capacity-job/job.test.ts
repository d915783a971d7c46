import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { jest } from '@jest/globals';
import { render } from '../../chart/render.js';
import { isAllowed, jobContainer, deploys, findJob, loads, root } from './manifests.js';

/** The Jobs of docs/capacity-job.md: the tool accepts their command lines, and `restricted` admits their pods. */

jest.setTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), 'capacity-job-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { version } = JSON.parse(readFileSync(join(root, 'capacity/package.json'), 'utf8')) as { version: string };

/** Runs the tool with the arguments of a Job as a dry run. */
const dryRun = (
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const bin = join(root, 'capacity/bin/n8n-capacity.js');
    const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 150_000 };
    execFile(process.execPath, [bin, ...args, '--dry-run', '--json'], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });

describe.each([
  ['loads an n8n', loads],
  ['deploys one', deploys],
])('the Job that %s', (_, objects) => {
  const spec = findJob(objects).spec!.template.spec!;
  const container = jobContainer(objects);

  test('runs the image of this version once, with resources', () => {
    expect(container.image).toBe(`ghcr.io/n8n-tuned/n8n-capacity:${version}`);
    expect(findJob(objects).spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: expect.any(Number) });
    expect(spec.restartPolicy).toBe('Never');
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  });

  test('meets the pod security standard "restricted", with a read-only root', () => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounted = container.volumeMounts!.map(({ name, mountPath }) => [name, mountPath]);
    expect(mounted).toEqual([
      ['work', '/work'],
      ['tmp', '/tmp'],
    ]);
    expect(spec.volumes).toEqual([
      { name: 'work', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ]);
  });

  test('has no secret in its arguments or in plain text', () => {
    for (const { name, value } of container.env ?? []) expect([name, value]).toEqual([name, undefined]);
    expect(container.args!.join(' ')).not.toMatch(/key|token|password|:\/\/[^/]*@/i);
    expect(container.command).toBeUndefined();
  });
});

test('the Job that loads has no token of the cluster, and its key comes from the Secret that the page makes', () => {
  const spec = findJob(loads).spec!.template.spec!;
  expect(loads.map(({ kind }) => kind)).toEqual(['Job']);
  expect(spec).toMatchObject({ automountServiceAccountToken: false });
  expect(spec.serviceAccountName).toBeUndefined();
  expect(jobContainer(loads).env).toEqual([
    { name: 'N8N_API_KEY', valueFrom: { secretKeyRef: { name: 'n8n-capacity', key: 'api-key' } } },
  ]);
  const page = readFileSync(join(root, 'docs/capacity-job.md'), 'utf8');
  expect(page).toContain('kubectl create secret generic n8n-capacity --from-literal=api-key=');
});

test('its URL is that of the Service of main', () => {
  const url = new URL(
    jobContainer(loads)
      .args!.find((arg) => arg.startsWith('--url='))!
      .slice('--url='.length),
  );
  const services = render({}).filter(({ kind }) => kind === 'Service');
  const service = services.find(({ metadata }) => metadata.name === url.hostname);
  expect(service?.spec.ports).toContainEqual(expect.objectContaining({ port: Number(url.port) }));
});

test('its command line is accepted by the tool', async () => {
  const seen = new Set<string>();
  const n8n = createServer((request, response) => {
    seen.add(`${request.headers['x-n8n-api-key'] as string} ${new URL(request.url!, 'http://n8n').pathname}`);
    response.setHeader('content-type', 'application/json').end('{"data":[],"nextCursor":null}');
  });
  await new Promise<void>((listening) => n8n.listen(0, '127.0.0.1', listening));
  const { port } = n8n.address() as AddressInfo;
  const args = jobContainer(loads).args!.map((arg) => arg.replace(/^--url=.*/, `--url=http://127.0.0.1:${port}`));
  const { code, stderr, stdout } = await dryRun(args, { N8N_API_KEY: 'of-the-secret' });
  n8n.close();
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ deployment: { provisioner: 'existing' } });
  expect([...seen]).toContain('of-the-secret /api/v1/workflows');
});

test('the Job that deploys uses the account that the role is bound to', () => {
  const [account, role, binding, job] = deploys;
  expect(deploys.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Job']);
  expect(binding.roleRef).toEqual({
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    name: role.metadata.name,
  });
  const { name, namespace } = account.metadata;
  expect(binding.subjects).toEqual([{ kind: 'ServiceAccount', name, namespace }]);
  expect(job.metadata.namespace).toBe(namespace);
  expect(job.spec.template.spec.serviceAccountName).toBe(name);
});

/** A kubectl whose cluster has one large node, and whose user may do what this role allows. */
function stubKubectl(bin: string): void {
  mkdirSync(bin);
  const node = {
    metadata: { name: 'node' },
    spec: {},
    status: { allocatable: { cpu: '64', memory: '256Gi' }, conditions: [{ type: 'Ready', status: 'True' }] },
  };
  const script = `#!/bin/sh
echo "$*" >>'${join(folder, 'asked')}'
case "$*" in
  'version --client'*) echo 'Client Version: v1.35.4' ;;
  'get --raw /version'*) echo '{"gitVersion":"v1.35.4"}' ;;
  'auth can-i '*) echo yes ;;
  'get nodes '*) echo '${JSON.stringify({ items: [node] })}' ;;
  'get configmap '* | 'get crd '*) ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
`;
  writeFileSync(join(bin, 'kubectl'), script, { mode: 0o755 });
}

test('its command line is accepted by the tool, and the role passes the checks that the tool makes first', async () => {
  const bin = join(folder, 'bin');
  stubKubectl(bin);
  const { code, stderr, stdout } = await dryRun(jobContainer(deploys).args!, {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ deployment: { provisioner: 'kubernetes' } });
  const checked = [
    ...readFileSync(join(folder, 'asked'), 'utf8').matchAll(/^auth can-i (\S+) (\S+)(?: --subresource=(\S+))?/gm),
  ];
  expect(checked.length).toBeGreaterThan(3);
  for (const [, verb, what, sub] of checked) {
    const [resource, group = ''] = what!.split('.');
    const whole = sub === undefined ? resource! : `${resource}/${sub}`;
    expect([verb, whole, isAllowed(verb!, group, whole)]).toEqual([verb, whole, true]);
  }
});
