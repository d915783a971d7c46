import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  chart,
  type Component,
  container,
  env,
  type Manifest,
  podSpec,
  queue,
  refusals,
  render,
  type Values,
} from './render.js';

const n8n: Component[] = ['main', 'worker', 'webhook'];
const values = parse(readFileSync(join(chart, 'ci', 'community-packages-values.yaml'), 'utf8')) as Values;
const NODES = '/home/node/.n8n/nodes';

describe('community packages', () => {
  const objects = render(values);

  it.each(n8n)('are on %s, on a disk of its own pod', (component) => {
    const { initContainers, volumes } = podSpec(objects, component);
    expect(initContainers.map((c: Manifest) => c.name)).toEqual(['install-packages', 'copy-packages']);
    expect(volumes).toContainEqual({ name: 'nodes', emptyDir: {} });
    expect(container(objects, component).volumeMounts).toContainEqual({ name: 'nodes', mountPath: NODES });
    expect(env(objects, component).N8N_COMMUNITY_PACKAGES_ENABLED).toBe('true');
  });

  it("come from npm with n8n's own image, without running their scripts or installing n8n with them", () => {
    const [install] = podSpec(objects, 'worker').initContainers;
    expect(install).toMatchObject({ image: 'docker.io/n8nio/n8n:2.41.1', command: ['npm', 'install'] });
    expect(install.args).toEqual(
      expect.arrayContaining([
        `--prefix=${NODES}`,
        '--ignore-scripts',
        '--legacy-peer-deps',
        '--registry=https://npm.example.com/',
        'n8n-nodes-example@1.2.3',
      ]),
    );
    expect(install.volumeMounts).toContainEqual({ name: 'npmrc', mountPath: '/npmrc', readOnly: true });
    expect(podSpec(objects, 'worker').volumes).toContainEqual({
      name: 'npmrc',
      secret: { secretName: 'npm-login', items: [{ key: '.npmrc', path: '.npmrc' }] },
    });
  });

  it('come out of an image', () => {
    const [, copy] = podSpec(objects, 'worker').initContainers;
    expect(copy).toMatchObject({ name: 'copy-packages', image: 'registry.example.com/n8n-packages:1.0.0' });
    expect(Object.fromEntries(copy.env.map((e: any) => [e.name, e.value]))).toEqual({
      FROM: '/node_modules',
      TO: `${NODES}/node_modules`,
    });
  });

  it('need no privilege', () => {
    for (const { securityContext, resources } of podSpec(objects, 'main').initContainers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
      });
      expect(resources.limits.memory).toBe('512Mi');
    }
  });

  it('are left to the editor by default', () => {
    const none = render(queue());
    for (const component of n8n) {
      expect(podSpec(none, component).initContainers).toBeUndefined();
      expect(container(none, component).volumeMounts.map((m: Manifest) => m.mountPath)).not.toContain(NODES);
    }
  });
});

describe('refuses', () => {
  it.each<[string, Values, string, string]>([
    [
      'no version',
      { install: ['n8n-nodes-imap'] },
      'has n8n-nodes-imap without an exact version',
      'Write n8n-nodes-imap@1.2.3',
    ],
    [
      'a range',
      { install: ['n8n-nodes-imap@^2.0.0'] },
      'has n8n-nodes-imap@^2.0.0 without an exact version',
      'Write n8n-nodes-imap@1.2.3',
    ],
    [
      'a tag',
      { install: ['@acme/n8n-nodes-x@latest'] },
      'has @acme/n8n-nodes-x@latest without an exact version',
      'Write @acme/n8n-nodes-x@1.2.3',
    ],
    [
      'a package that n8n would not load',
      { install: ['lodash@4.17.21'] },
      'n8n only loads packages whose name begins with n8n-nodes-',
      'Remove it',
    ],
    [
      'a registry for nothing',
      { registry: 'https://npm.example.com/' },
      'communityPackages.registry=https://npm.example.com/ would have no effect',
      'name the packages',
    ],
  ])('%s', (_name, communityPackages, names, remedy) => {
    const sentences = refusals({ communityPackages });
    expect(sentences).toEqual([expect.stringContaining(names)]);
    expect(sentences[0]).toContain(remedy);
  });

  it('packages and a variable that keeps n8n from loading them', () => {
    const extraEnv = [{ name: 'N8N_COMMUNITY_PACKAGES_ENABLED', value: 'false' }];
    expect(refusals({ ...values, extraEnv })).toEqual([
      expect.stringContaining('extraEnv sets N8N_COMMUNITY_PACKAGES_ENABLED'),
    ]);
  });

  it.each(['n8n-nodes-x; rm -rf /', '--global', 'git+https://example.com/x'])('%s, by the schema', (spec) => {
    expect(refusals({ communityPackages: { install: [spec] } })[0]).toContain("at '/communityPackages/install/0'");
  });

  it('takes exact versions of scoped packages too', () => {
    expect(() =>
      render({ communityPackages: { install: ['@acme/n8n-nodes-x@1.0.0-rc.1', 'n8n-nodes-y@2.0.0'] } }),
    ).not.toThrow();
  });
});
