import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import {
  chart,
  container,
  env,
  find,
  notes,
  podSpec,
  queue,
  render,
  renderFor,
  type Component,
  type Values,
} from './render.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const n8n = ['main', 'worker', 'webhook'] as const;

/** A program without its comments. */
const code = (text: string): string =>
  ts.createPrinter({ removeComments: true }).printFile(ts.createSourceFile('x.js', text, ts.ScriptTarget.ES2022));
const on = (more: Values = {}, loadTargets: Values = {}): Values =>
  queue({ loadTargets: { enabled: true, ...loadTargets }, ...more });
const init = (objects: any[], component: Component) =>
  podSpec(objects, component).initContainers?.find(({ name }: any) => name === 'load-targets');
const initEnv = (objects: any[], component: Component): Record<string, any> =>
  Object.fromEntries(init(objects, component).env.map((e: any) => [e.name, e.value ?? e.valueFrom]));
const workflow = (name: string) => JSON.parse(readFileSync(join(root, 'workflows', `${name}.json`), 'utf8'));

beforeAll(() => {
  execFileSync('node', ['scripts/chart-node.mjs'], { cwd: root });
});

describe('switched off, as by default', () => {
  const objects = render(queue());

  it('has no load target', () => {
    expect(objects.filter(({ metadata }) => /load-?targets|^n8n-tuned-loadtest$/.test(metadata.name))).toEqual([]);
    for (const component of n8n) {
      expect(init(objects, component)).toBeUndefined();
    }
  });

  it('has main delete what was there, by a hook that is always beside the others', () => {
    expect(env(objects, 'main').LOAD_TARGETS).toBe('');
    const { data } = find(objects, 'ConfigMap', 'n8n-tuned-hooks');
    expect(data['load-targets.js']).toBe(readFileSync(join(chart, 'files/load-targets/load-targets.js'), 'utf8'));
    expect(JSON.parse(data['load-targets.json']).ids).toContain('1001');
  });

  it.each(['worker', 'webhook'] as const)('adds nothing to %s', (component) => {
    expect(JSON.stringify(podSpec(objects, component))).not.toContain('load-targets');
  });
});

describe('switched on', () => {
  const objects = render(on());
  const source = find(objects, 'ConfigMap', 'n8n-tuned-load-targets').data;

  it('carries the built package, without its comments', () => {
    const files = JSON.parse(source['n8n-nodes-tuned.json']);
    const { name, version, n8n: description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(JSON.parse(files['package.json'])).toEqual({ name, version, n8n: description });
    for (const path of [...description.nodes, ...description.credentials]) {
      expect(code(files[path])).toBe(code(readFileSync(join(root, path), 'utf8')));
      expect(files[path]).not.toContain('/**');
    }
    expect(Object.keys(files).filter((path) => path.endsWith('.d.ts'))).toEqual([]);
  });

  it.each(n8n)('brings the node to %s, which cannot change it', (component) => {
    expect(init(objects, component).command).toEqual(['node', '/opt/load-targets/source/prepare.js']);
    expect(initEnv(objects, component)).toMatchObject({
      N8N_USER_FOLDER: '/home/node',
      TARGET: '/opt/load-targets/node',
    });
    expect(container(objects, component).volumeMounts).toContainEqual({
      name: 'load-targets-node',
      mountPath: '/opt/load-targets/node',
      readOnly: true,
    });
    expect(init(objects, component).volumeMounts).toContainEqual({ name: 'data', mountPath: '/home/node/.n8n' });
    expect(init(objects, component).securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });

  it('imports on main alone, with its environment', () => {
    const own = initEnv(objects, 'main');
    for (const [name, value] of Object.entries(env(objects, 'main'))) {
      if (/^(EXTERNAL_HOOK_FILES|LOAD_TARGETS|N8N_TUNED_.*)$/.test(name)) expect(own).not.toHaveProperty(name);
      else expect(own[name]).toEqual(value);
    }
    expect(own.IMPORT.split(',')).toContain('webhook-ack');
    for (const component of ['worker', 'webhook'] as const)
      expect(initEnv(objects, component)).not.toHaveProperty('IMPORT');
  });

  it('gives the token to the import alone, from the generated Secret', () => {
    expect(initEnv(objects, 'main').LOAD_TARGET_TOKEN).toEqual({
      secretKeyRef: { name: 'n8n-tuned-generated', key: 'load-target-token' },
    });
    for (const component of n8n) expect(env(objects, component)).not.toHaveProperty('LOAD_TARGET_TOKEN');
    const job = objects.find(({ kind, metadata }) => kind === 'Job' && /make-secret/.test(metadata.name));
    const keys = job.spec.template.spec.containers[0].env.find(({ name }: any) => name === 'SECRET_KEYS').value;
    expect(keys.split(',')).toContain('load-target-token');
  });

  it("takes the user's own token", () => {
    const own = render(on({}, { existingSecret: 'mine', existingSecretKey: 'token' }));
    expect(initEnv(own, 'main').LOAD_TARGET_TOKEN).toEqual({ secretKeyRef: { name: 'mine', key: 'token' } });
    expect(JSON.stringify(own)).not.toContain('load-target-token"');
  });

  it('names the workflows that are to be active, and every load target that may be deleted', () => {
    const some = render(on({}, { workflows: ['webhook-ack', 'code'] }));
    expect(env(some, 'main').LOAD_TARGETS).toBe([workflow('webhook-ack').id, workflow('code').id].join(','));
    const { data } = find(some, 'ConfigMap', 'n8n-tuned-load-targets');
    expect(JSON.parse(data['code.json'])).toEqual(workflow('code'));
    expect(data).not.toHaveProperty(['cpu-burn.json']);
    const facts = JSON.parse(find(some, 'ConfigMap', 'n8n-tuned-hooks').data['load-targets.json']);
    expect(facts.ids).toContain(workflow('cpu-burn').id);
    expect(workflow('code').name.startsWith(facts.prefix)).toBe(true);
  });

  it.each([
    ['2.41.1', 'webhook-ack', 2.1],
    ['1.113.0', 'webhook-ack', 2.1],
    ['1.112.9', 'before-1.113/webhook-ack', 1],
    ['0.221.2', 'before-1.113/webhook-ack', 1],
  ])('brings n8n %s the form %s', (tag, form, version) => {
    const { data } = find(
      render(on({ image: { tag } }, { workflows: ['webhook-ack'] })),
      'ConfigMap',
      'n8n-tuned-load-targets',
    );
    const { nodes } = JSON.parse(data['webhook-ack.json']);
    expect(nodes).toEqual(workflow(form).nodes);
    expect(nodes[0].typeVersion).toBe(version);
  });

  it.each([
    ['2.0.0', []],
    ['1.123.81', ['1017']],
    ['0.221.2', ['1017']],
  ])('imports a sub-workflow before the one that starts it; in n8n %s these stay inactive: %j', (tag, inactive) => {
    const some = render(on({ image: { tag } }, { workflows: ['webhook-ack', 'sub-workflow'] }));
    expect(initEnv(some, 'main').IMPORT).toBe('sub-workflow-child,webhook-ack,sub-workflow');
    expect(env(some, 'main').LOAD_TARGETS).toBe('1017,1001,1016');
    expect(find(some, 'ConfigMap', 'n8n-tuned-load-targets').data).toHaveProperty(['sub-workflow-child.json']);
    const facts = find(some, 'ConfigMap', 'n8n-tuned-hooks').data['load-targets.json'];
    expect(JSON.parse(facts).inactive).toEqual(inactive);
  });

  it('imports the credential that the workflows ask for', () => {
    const { credential } = JSON.parse(source['load-targets.json']);
    const { id, name } = credential;
    expect(workflow('webhook-ack').nodes[0].credentials.httpHeaderAuth).toEqual({ id, name });
    expect(credential.header).toBe('x-load-target-token');
  });

  it('has every webhook workflow by default', () => {
    const { properties } = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
    const all = Object.keys(JSON.parse(readFileSync(join(root, 'loadtests/workloads.json'), 'utf8'))).sort();
    expect(properties.loadTargets.properties.workflows.items.enum.toSorted()).toEqual(all);
    expect(initEnv(objects, 'main').IMPORT.split(',').sort()).toEqual([...all, 'sub-workflow-child'].sort());
  });

  it('makes other pods of other load targets', () => {
    const other = render(on({}, { workflows: ['webhook-ack'] }));
    expect(initEnv(other, 'worker').CONTENT).not.toBe(initEnv(objects, 'worker').CONTENT);
    expect(initEnv(renderFor('1.33.0', on()), 'worker').CONTENT).toBe(initEnv(objects, 'worker').CONTENT);
  });

  it.each(n8n)('lowers the ceilings of %s', (component) => {
    const ceilings = {
      maxSeconds: 10,
      maxMegabytes: 128,
      maxRequests: 5,
      allowedHosts: ['127.0.0.1', 'a.example:443'],
    };
    const lower = env(render(on({}, { ceilings })), component);
    expect(lower).toMatchObject({
      N8N_LOAD_TARGET_MAX_SECONDS: '10',
      N8N_LOAD_TARGET_MAX_MEGABYTES: '128',
      N8N_LOAD_TARGET_MAX_REQUESTS: '5',
      N8N_LOAD_TARGET_ALLOWED_HOSTS: '127.0.0.1,a.example:443',
    });
    expect(lower).not.toHaveProperty('N8N_LOAD_TARGET_MAX_DISK_MEGABYTES');
    expect(Object.keys(env(objects, component)).filter((name) => name.startsWith('N8N_LOAD_TARGET_'))).toEqual([]);
  });

  it('says how to call one, and how to be rid of them', async () => {
    const text = await notes(on());
    expect(text).toContain('load-target-token');
    expect(text).toContain('/webhook/webhook-ack');
    expect(text).toContain('loadTargets.enabled=false');
    expect(await notes(queue())).not.toContain('x-load-target-token');
  });
});
