import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import {
  chart,
  container,
  env,
  find,
  helmOutput,
  objectsOf,
  own,
  podSpec,
  queue,
  render,
  type Component,
  type Values,
} from './render.js';

const OWN = '/opt/n8n-tuned/hooks.js';
const ALL: Component[] = ['main', 'webhook', 'worker'];

describe('the files of the hooks', () => {
  const files = readdirSync(join(chart, 'files/hooks')).sort();

  it('equal the build of hooks/', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hooks-'));
    try {
      execFileSync(process.execPath, [join(repositoryFolder, 'hooks/build.mjs'), folder]);
      expect(readdirSync(folder).sort()).toEqual(files);
      for (const name of files)
        expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(chart, 'files/hooks', name), 'utf8'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(ALL)('are in %s', (component) => {
    const objects = render(queue());
    expect(env(objects, component).EXTERNAL_HOOK_FILES).toBe(OWN);
    const mount = { name: 'hooks', mountPath: '/opt/n8n-tuned', readOnly: true };
    expect(container(objects, component).volumeMounts).toContainEqual(mount);
    const volume = { name: 'hooks', configMap: { name: 'n8n-tuned-hooks' } };
    expect(podSpec(objects, component).volumes).toContainEqual(volume);
    const { data } = find(objects, 'ConfigMap', 'n8n-tuned-hooks');
    expect(Object.keys(data).sort()).toEqual([...files, 'load-targets.js', 'load-targets.json'].sort());
    for (const name of files) expect(data[name]).toBe(readFileSync(join(chart, 'files/hooks', name), 'utf8'));
  });

  it('change the pods when they change: a process keeps the code that it started with', () => {
    const copy = mkdtempSync(join(tmpdir(), 'chart-'));
    try {
      cpSync(chart, copy, { recursive: true, dereference: true });
      const digests = () =>
        objectsOf(helmOutput(['template', 'n8n-tuned', copy], queue()))
          .filter(({ kind }) => kind === 'Deployment')
          .map(({ spec }) => spec.template.metadata.annotations['checksum/hooks'] as string);
      const before = digests();
      appendFileSync(join(copy, 'files/hooks/hooks.js'), '// changed\n');
      const after = digests();
      expect(before).toHaveLength(3);
      expect(after).toHaveLength(3);
      for (const digest of after) expect(before).not.toContain(digest);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it('are not in workers of n8n 0.x, which keeps executions elsewhere', () => {
    const objects = render(queue({ image: { tag: '0.221.2' } }));
    expect(env(objects, 'main').EXTERNAL_HOOK_FILES).toBe(OWN);
    expect(env(objects, 'worker').EXTERNAL_HOOK_FILES).toBeUndefined();
  });
});

describe("a user's own EXTERNAL_HOOK_FILES", () => {
  const filesOf = (extraEnv: object[], values: Values = {}) => {
    const { env: variables } = container(render({ main: { extraEnv }, ...values }), 'main');
    return variables.filter(({ name }: { name: string }) => /HOOK_FILES/.test(name));
  };
  const mine = { name: 'EXTERNAL_HOOK_FILES', value: '/hooks/a.js:/hooks/b.js' };

  it('stand behind those of the chart, which stay', () => {
    expect(filesOf([mine])).toEqual([{ name: 'EXTERNAL_HOOK_FILES', value: `${OWN}:/hooks/a.js:/hooks/b.js` }]);
    expect(env(render({ main: { extraEnv: [mine] } }), 'main').N8N_TUNED_MAX_REQUESTS).toBeDefined();
  });

  it('keep their separator, where this n8n reads it', () => {
    const separator = { name: 'EXTERNAL_HOOK_FILES_SEPARATOR', value: ';' };
    const value = (tag: string) =>
      filesOf([{ ...mine, value: '/a.js' }, separator], { image: { tag } }).find(
        ({ name }: { name: string }) => name === mine.name,
      ).value;
    expect(value('2.41.1')).toBe(`${OWN};/a.js`);
    expect(value('1.123.81')).toBe(`${OWN}:/a.js`);
  });

  it('may come from a ConfigMap', () => {
    const valueFrom = { configMapKeyRef: { name: 'mine', key: 'files' } };
    expect(filesOf([{ name: mine.name, valueFrom }])).toEqual([
      { name: 'N8N_TUNED_OTHER_HOOK_FILES', valueFrom },
      { name: 'EXTERNAL_HOOK_FILES', value: `${OWN}:$(N8N_TUNED_OTHER_HOOK_FILES)` },
    ]);
  });

  it("names only the user's files in a worker without hooks of the chart", () => {
    const objects = render(queue({ image: { tag: '0.221.2' }, worker: { extraEnv: [mine] } }));
    expect(env(objects, 'worker').EXTERNAL_HOOK_FILES).toBe(mine.value);
  });
});

describe('each hook that n8n loads is switched by a value', () => {
  const metrics = { enabled: true };
  const recovery = (values: object) => queue({ executions: { recovery: values } });
  it.each<[variable: string, on: Values, components: Component[], off: Values]>([
    ['N8N_TUNED_COLLECT_IN_TIME', queue(), ALL, queue({ heap: { collectInTime: false } })],
    [
      'N8N_TUNED_DRAIN_CONNECTIONS',
      queue(),
      ['main', 'webhook'],
      queue({ gracefulShutdown: { drainConnections: false } }),
    ],
    ['N8N_TUNED_FIND_LOST_QUEUE', queue(), ['main'], recovery({ findLostQueue: false })],
    ['N8N_TUNED_IGNORE_UPGRADES', queue(), ['main', 'webhook'], queue({ requests: { ignoreUpgrades: false } })],
    ['N8N_TUNED_KEEP_INPUT', queue(), ['main', 'webhook'], recovery({ keepInput: false })],
    ['N8N_TUNED_MAX_REQUESTS', queue(), ['webhook'], queue({ overload: { enabled: false } })],
    [
      'N8N_TUNED_PRIVATE_METRICS',
      queue({ metrics }),
      ['main', 'webhook'],
      queue({ metrics: { ...metrics, public: true } }),
    ],
    [
      'N8N_TUNED_READINESS_PATH',
      queue({ image: { tag: '1.123.81' } }),
      ['main', 'webhook'],
      queue({ image: { tag: '1.123.81' }, probes: { waitForRoutes: false } }),
    ],
    [
      'N8N_TUNED_REFUSE_LITERAL_PARAMETERS',
      queue(),
      ['main', 'webhook'],
      queue({ requests: { refuseLiteralParameters: false } }),
    ],
    ['N8N_TUNED_REFUSE_WHILE_STARTING', queue(), ['webhook'], queue({ overload: { refuseWhileStarting: false } })],
    ['N8N_TUNED_SAVE_AGAIN_SECONDS', queue(), ALL, recovery({ saveAgainSeconds: 0 })],
  ])('%s', (variable, on, components, off) => {
    const having = (values: Values) =>
      ALL.filter((component) => env(render(values), component)[variable] !== undefined);
    expect(having(on)).toEqual(components);
    expect(having(off)).toEqual([]);
  });

  it('those of the queue are not in regular mode, and those of n8n 1.x not in 0.x', () => {
    for (const values of [{}, own(1, '1Gi')])
      for (const variable of ['N8N_TUNED_FIND_LOST_QUEUE', 'N8N_TUNED_KEEP_INPUT'])
        expect(env(render(values), 'main')[variable]).toBeUndefined();
    expect(env(render(own(1, '1Gi')), 'main').N8N_TUNED_SAVE_AGAIN_SECONDS).toBeUndefined();
  });
});

describe('each hook that Node loads is switched by a value', () => {
  const tag = (version: string) => ({ image: { tag: version } });
  const legacy = { expressionEngine: { type: 'legacy', acceptLessSafe: true } };
  const ownOptions = { heap: { enabled: false } };
  const loading = (file: string, values: Values) =>
    ALL.filter((component) => {
      const objects = render(values);
      const isThere = objects.some((o) => o.kind === 'Deployment' && o.metadata.name.endsWith(component));
      return isThere && env(objects, component).NODE_OPTIONS?.includes(`--require=/opt/n8n-tuned/${file}.js`);
    });

  it.each<[file: string, what: string, values: Values, components: Component[]]>([
    ['lazy-character-table', 'by default', queue(), ALL],
    ['lazy-character-table', 'that is switched off', { expressionEngine: { lazyCharacterTable: false } }, []],
    ['lazy-character-table', 'without isolates', legacy, []],
    ['lazy-character-table', 'with an n8n before it had isolates', tag('2.30.0'), []],
    ['lazy-character-table', 'with NODE_OPTIONS of the user', ownOptions, []],
    ['full-code-cache', 'by default', queue(), ALL],
    ['full-code-cache', 'with the isolates of n8n 1.x', tag('1.123.81'), ['main']],
    ['full-code-cache', 'that is switched off', { expressionEngine: { fullCodeCache: false } }, []],
    ['full-code-cache', 'where the values want no cache at all', { expressionEngine: { compileCache: false } }, []],
    ['full-code-cache', 'without isolates', legacy, []],
    ['full-code-cache', 'with an n8n before it had isolates', tag('2.30.0'), []],
    ['full-code-cache', 'with NODE_OPTIONS of the user', ownOptions, []],
    ['quiet-sqlite', 'by default', {}, ['main']],
    ['quiet-sqlite', 'with an n8n that has no isolates', tag('2.30.0'), ['main']],
    ['quiet-sqlite', 'where the values ask for stack traces', { database: { sqliteVerbose: true } }, []],
    ['quiet-sqlite', 'with PostgreSQL', { database: { type: 'postgresql' } }, []],
    ['quiet-sqlite', 'in queue mode, which has no SQLite', queue(), []],
    ['quiet-sqlite', 'with NODE_OPTIONS of the user', ownOptions, []],
  ])('%s, %s', (file, _, values, components) => expect(loading(file, values)).toEqual(components));
});
