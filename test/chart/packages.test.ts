import { valuesOf, type Component, container, env, type Manifest, N8N, podSpec, queue, render } from './render.js';

const n8n: Component[] = ['main', 'worker', 'webhook'];
const values = valuesOf('ci/community-packages-values.yaml');
const NODES = '/home/node/.n8n/nodes';

describe('community packages', () => {
  const objects = render(values);

  it.each(n8n)('are on %s, on a disk of its own pod', (component) => {
    const { initContainers, volumes } = podSpec(objects, component);
    const names = initContainers.map((c: Manifest) => c.name);
    expect(names.slice(0, 2)).toEqual(['install-packages', 'copy-packages']);
    expect(volumes).toContainEqual({ name: 'nodes', emptyDir: {} });
    expect(container(objects, component).volumeMounts).toContainEqual({ name: 'nodes', mountPath: NODES });
    expect(env(objects, component).N8N_COMMUNITY_PACKAGES_ENABLED).toBe('true');
  });

  it("come from npm with n8n's own image, without running their scripts or installing n8n with them", () => {
    const [install] = podSpec(objects, 'worker').initContainers;
    expect(install).toMatchObject({ image: `docker.io/n8nio/n8n:${N8N}`, command: ['npm', 'install'] });
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
    expect(podSpec(objects, 'main').initContainers).toHaveLength(3);
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

describe('modules for Code nodes', () => {
  const objects = render(values);
  const FOLDER = '/home/node/code-modules';
  const mounted = (component: Component) =>
    container(objects, component).volumeMounts.find((m: Manifest) => m.mountPath === FOLDER);

  it.each(['main', 'worker'] as const)(
    'are in the pod of %s, which executes code and cannot change them',
    (component) => {
      const install = podSpec(objects, component).initContainers.at(-1);
      expect(install).toMatchObject({ name: 'install-modules', command: ['npm', 'install'] });
      expect(install.args).toEqual(
        expect.arrayContaining([`--prefix=${FOLDER}`, '--ignore-scripts', 'lodash@4.17.21', '@acme/prices@2.0.0']),
      );
      expect(mounted(component)).toEqual({ name: 'modules', mountPath: FOLDER, readOnly: true });
      expect(env(objects, component)).toMatchObject({
        NODE_PATH: `${FOLDER}/node_modules`,
        NODE_FUNCTION_ALLOW_EXTERNAL: 'lodash,@acme/prices',
        NODE_FUNCTION_ALLOW_BUILTIN: 'crypto,node:crypto',
      });
    },
  );

  it('are not in the pod of a webhook processor', () => {
    expect(mounted('webhook')).toBeUndefined();
    expect(env(objects, 'webhook')).not.toHaveProperty('NODE_PATH');
  });

  it('need no community nodes', () => {
    const alone = render({ ...queue(), codeNodes: { modules: ['lodash@4.17.21'] } });
    expect(podSpec(alone, 'worker').initContainers.map((c: Manifest) => c.name)).toEqual(['install-modules']);
    expect(podSpec(alone, 'webhook').initContainers).toBeUndefined();
  });
});
