import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { container, env, find, type Manifest, queue, render, type Values } from './render.js';

/** Every environment variable of every container. */
const variables = (objects: Manifest[]): any[] =>
  objects.flatMap((o) => o.spec?.template?.spec.containers.flatMap((c: any) => c.env ?? []) ?? []);

const modes: [string, Values][] = [
  ['regular', {}],
  ['queue', queue({ metrics: { enabled: true } })],
  ['external', queue({ externalPostgresql: { host: 'pg', existingSecret: 's' }, externalRedis: { host: 'r' } })],
];

describe.each(modes)('%s', (_name, values) => {
  const objects = render(values);

  it('renders no Secret: what helm would generate, it would generate anew each time', () => {
    expect(objects.filter((o) => o.kind === 'Secret')).toEqual([]);
  });

  it('gives secrets by reference only', () => {
    for (const { name, value } of variables(objects)) {
      if (/PASSWORD|ENCRYPTION_KEY|TOKEN|_AUTH$/.test(name)) {
        expect(`${name}=${value}`).toMatch(/=(undefined|\$\(REDIS_PASSWORD\))$/);
      }
    }
  });
});

describe('the generated Secret', () => {
  const objects = render(queue());
  const job = find(objects, 'Job');

  it('is made by a Job that says which', () => {
    expect(job.metadata.annotations['n8n-tuned.io/makes-secret']).toBe('n8n-tuned-generated');
    const environment = Object.fromEntries(job.spec.template.spec.containers[0].env.map((e: any) => [e.name, e.value]));
    expect(environment).toMatchObject({
      SECRET_NAME: 'n8n-tuned-generated',
      SECRET_KEYS: 'encryption-key,postgresql-password,redis-password',
    });
  });

  it('has every key that a pod asks for', () => {
    const asked = variables(objects).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    expect(new Set(asked.map((ref) => `${ref.name} ${ref.key}`))).toEqual(
      new Set(['encryption-key', 'postgresql-password', 'redis-password'].map((key) => `n8n-tuned-generated ${key}`)),
    );
  });

  it('is made before the rest, with rights that are there before the Job and gone after it', () => {
    const weight = (o: Manifest) => Number(o.metadata.annotations['helm.sh/hook-weight']);
    for (const kind of ['ServiceAccount', 'Role', 'RoleBinding']) {
      expect(weight(find(objects, kind, 'n8n-tuned-make-secret'))).toBeLessThan(weight(job));
      expect(find(objects, kind, 'n8n-tuned-make-secret').metadata.annotations['helm.sh/hook-delete-policy']).toContain(
        'hook-succeeded',
      );
    }
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
  });

  it('is the one Secret that the Job may read or change, and the volume claims are those whose data needs it, beside itself', () => {
    expect(find(objects, 'Role').rules).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['n8n-tuned-generated'], verbs: ['get', 'patch'] },
      {
        apiGroups: [''],
        resources: ['persistentvolumeclaims'],
        resourceNames: ['n8n-tuned-main', 'data-n8n-tuned-postgresql-0'],
        verbs: ['get'],
      },
      { apiGroups: ['batch'], resources: ['jobs'], resourceNames: [job.metadata.name], verbs: ['get'] },
    ]);
  });

  it('is not marked as an object of the release, since Argo CD prunes those that no template makes', () => {
    const { env } = job.spec.template.spec.containers[0];
    const labels = JSON.parse(env.find((e: any) => e.name === 'SECRET_LABELS').value);
    expect(labels).toMatchObject({ 'n8n-tuned.io/release': 'n8n-tuned' });
    expect(labels).not.toHaveProperty('app.kubernetes.io/instance');
  });

  it('is made by another Job when the Job would change, since a Job cannot', () => {
    expect(find(render(queue()), 'Job').metadata.name).toBe(job.metadata.name);
    expect(find(render(queue({ image: { tag: '2.40.0' } })), 'Job').metadata.name).not.toBe(job.metadata.name);
    expect(find(render(), 'Job').metadata.name).not.toBe(job.metadata.name);
  });

  it('has no Job where every secret is the user’s own', () => {
    const mine = render({ encryptionKey: { existingSecret: 'mine', existingSecretKey: 'key' } });
    expect(env(mine, 'main').N8N_ENCRYPTION_KEY).toEqual({ secretKeyRef: { name: 'mine', key: 'key' } });
    for (const kind of ['Job', 'Role', 'RoleBinding']) expect(find(mine, kind)).toBeUndefined();
    expect(find(mine, 'ServiceAccount', 'n8n-tuned-make-secret')).toBeUndefined();
  });
});

describe("the embedded Redis's password", () => {
  const { command, args } = container(render(queue()), 'redis');
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-redis-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reaches Redis as a hash on standard input, whatever its characters', () => {
    const redis = join(folder, 'redis-server');
    writeFileSync(redis, '#!/bin/sh\necho "arguments: $*"\ncat\n');
    chmodSync(redis, 0o755);
    const password = 'a "b" \\c $d `e` \'f\'';
    const { stdout } = spawnSync(command[0], [...command.slice(1), ...args], {
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env.PATH}`, REDIS_PASSWORD: password },
    });
    const hash = createHash('sha256').update(password).digest('hex');
    expect(stdout).toContain('arguments: -\n');
    expect(stdout).toContain(`user default on ~* &* +@all #${hash}\n`);
    expect(stdout).not.toContain(password);
  });
});
