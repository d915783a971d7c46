import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { adoptForeign } from '../../../capacity/src/chart/foreign.js';
import type { DeploymentPlace } from '../../../capacity/src/chart/adopt-databases.js';
import { chartFolder } from '../../../capacity/src/core/paths.js';
import { UsageError } from '../../../capacity/src/core/errors.js';
import type { Overrides } from '../../../capacity/src/model/plan.js';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));
const planted = join(folder, 'planted');

/** The problems of manifests; none if they would be run. */
async function collectProblems(
  text: string,
  place: DeploymentPlace = 'machine',
  overrides: Overrides = {},
): Promise<readonly string[]> {
  const manifests = join(folder, 'n8n.yaml');
  writeFileSync(manifests, text);
  try {
    await adoptForeign('no helm', { manifests, overrides }, { files: [], set: [] }, place);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.problems;
  }
}

interface Parts {
  metadata?: object;
  container?: object;
  pod?: object;
  spec?: object;
  labels?: object;
}

/** A Deployment of n8n with the changes of a case. */
const deployment = ({ metadata, container, pod, spec, labels }: Parts = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'n8n', ...metadata },
  spec: {
    replicas: 1,
    template: {
      metadata: { labels: { app: 'n8n', ...labels } },
      spec: { containers: [{ name: 'n8n', image: 'n8nio/n8n:2.41.1', ...container }], ...pod },
    },
    ...spec,
  },
});
const manifest = (...objects: object[]) => objects.map((object) => stringify(object)).join('---\n');
const n8n = (parts: Parts) => manifest(deployment(parts));
const env = (name: string, value: string) => n8n({ container: { env: [{ name, value }] } });
const options = (value: string) => env('NODE_OPTIONS', value);
const configMap = (data: object, name = 'files') => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const mounting = (mounts: object[], names = ['files'], more: object = {}): Parts => ({
  container: { volumeMounts: mounts, ...more },
  pod: { volumes: names.map((name) => ({ name, configMap: { name } })) },
});
const mounted = (mount: object) => manifest(configMap({ a: 'b' }), deployment(mounting([{ name: 'files', ...mount }])));

test('manifests without the change of a case are accepted', async () => {
  expect(await collectProblems(n8n({ metadata: { name: 'n'.repeat(247) } }))).toEqual([]);
  expect(await collectProblems(n8n({}))).toEqual([]);
  expect(await collectProblems(mounted({ mountPath: '/files', subPath: 'a' }))).toEqual([]);
  expect(
    await collectProblems(options('--max-old-space-size=512 --max_semi_space_size 16 --enable-source-maps')),
  ).toEqual([]);
});

describe('manifests that are refused everywhere', () => {
  test.each<[string, string, RegExp]>([
    ['a name with a command', n8n({ metadata: { name: `n8n'; touch ${planted}; '` } }), /metadata\.name: .*touch/],
    ['a name with a path', n8n({ metadata: { name: '../../n8n' } }), /metadata\.name/],
    ['a name with a line break', n8n({ metadata: { name: 'n8n\nrm' } }), /metadata\.name/],
    ['a name that is too long', n8n({ metadata: { name: 'n'.repeat(254) } }), /metadata\.name/],
    [
      'a name that is a number',
      'kind: Deployment\nmetadata: { name: 5 }\nspec: { template: { spec: { containers: [{ name: n8n }] } } }',
      /metadata\.name: 5 is not text/,
    ],
    ['no name', 'kind: ConfigMap\nmetadata: {}\ndata: {}', /metadata\.name: is missing/],
    ['a name of the object prototype', 'kind: constructor\nmetadata: { name: "A B" }', /metadata\.name/],
    ['a namespace', n8n({ metadata: { namespace: '$(id)' } }), /metadata\.namespace/],
    ['a key of a label', n8n({ metadata: { labels: { 'a b': 'c' } } }), /metadata\.labels: "a b"/],
    ['a value of a label', n8n({ labels: { app: '$(id)' } }), /labels\.app/],
    ['a key of an annotation', n8n({ metadata: { annotations: { '../a': 'c' } } }), /annotations: "..\/a"/],
    [
      'a key of a ConfigMap that is a path',
      manifest(configMap({ '../../planted': 'x' }), deployment()),
      /data: "..\/..\/planted"/,
    ],
    ['a key of a ConfigMap that is a folder', manifest(configMap({ '..': 'x' }), deployment()), /data: ".."/],
    ['a key of a Secret', manifest({ ...configMap({ 'a/b': '' }), kind: 'Secret' }, deployment()), /data: "a\/b"/],
    [
      'a value that is not text',
      manifest(configMap({ a: { b: 1 } }), deployment()),
      /data\.a: is a section of keys, not text/,
    ],
    [
      'a name of a volume',
      n8n({ pod: { volumes: [{ name: '../x', configMap: { name: 'files' } }] } }),
      /volumes\.0\.name/,
    ],
    [
      'one name for two volumes',
      n8n({ pod: { volumes: [{ name: 'a' }, { name: 'a' }] } }),
      /"a" is the name of two volumes/,
    ],
    ['a mount above its root', mounted({ mountPath: '/files/../../etc' }), /mountPath/],
    ['a relative mount', mounted({ mountPath: 'files' }), /mountPath/],
    ['a subPath above its root', mounted({ mountPath: '/files', subPath: '../../etc/passwd' }), /subPath/],
    ['an absolute subPath', mounted({ mountPath: '/files', subPath: '/etc' }), /subPath/],
    [
      'a path of an item',
      n8n({ pod: { volumes: [{ name: 'a', configMap: { name: 'b', items: [{ key: 'c', path: '../c' }] } }] } }),
      /items\.0\.path/,
    ],
    ['a name of a container', n8n({ container: { name: '-c' } }), /containers\.0\.name/],
    ['a name of a variable', env('BASH_FUNC_echo%%', '() { id; }'), /env\.0\.name/],
    ['a value with a NUL', env('A', 'a\0b'), /env\.0\.value/],
    [
      'a value of a variable that is a number',
      n8n({ container: { env: [{ name: 'A', value: 5 }] } }),
      /env\.0\.value: is a number, not text/,
    ],
    ['a command in a shell', n8n({ container: { command: ['sh', '-c', `touch ${planted}`] } }), /starts "sh -c/],
    ['a program beside n8n', n8n({ container: { command: ['/bin/busybox'] } }), /starts "\/bin\/busybox"/],
    ['an option that opens a tunnel', n8n({ container: { args: ['start', '--tunnel'] } }), /--tunnel/],
    ['words after the command', n8n({ container: { args: ['worker', '/etc/passwd'] } }), /"\/etc\/passwd"/],
    ['the name of the Redis of a run', n8n({ metadata: { name: 'provided-redis' } }), /is the name of a database/],
    ['the name of its PostgreSQL', n8n({ metadata: { name: 'provided-postgresql' } }), /is the name of a database/],
    ['a name too long for a log', n8n({ metadata: { name: 'n'.repeat(248) } }), /at most 247 characters/],
    ...['periodSeconds', 'timeoutSeconds', 'failureThreshold'].map((field): [string, string, RegExp] => [
      `${field} of a probe longer than a timer`,
      n8n({ container: { livenessProbe: { [field]: 2_147_484 } } }),
      new RegExp(`${field}: must be a whole number from 0 to 2147483`),
    ]),
    [
      'a period of grace longer than a timer',
      n8n({ pod: { terminationGracePeriodSeconds: 1e12 } }),
      /terminationGracePeriodSeconds: must be/,
    ],
    ['a million pods', n8n({ spec: { replicas: 1e6 } }), /replicas: must be/],
    [
      'a million pods of an autoscaler',
      manifest(deployment({ spec: {} }), {
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'a' },
        spec: { scaleTargetRef: { name: 'n8n' }, minReplicas: 1e6 },
      }),
      /minReplicas/,
    ],
    [
      'containers that are not a list',
      n8n({ pod: { containers: { a: 1 } } }),
      /containers: is a section of keys, not a list/,
    ],
    [
      'two workloads of one name',
      manifest(deployment(), { ...deployment({ container: { args: ['worker'] } }), kind: 'StatefulSet' }),
      /have the same name/,
    ],
    ['an alias that contains itself', 'kind: &a [*a]', /an alias is inside/],
    [
      'millions of aliases',
      `a: &a [${'x,'.repeat(99)}]\n${[...'bcdefgh'].map((c, i) => `${c}: &${c} [${`*${'abcdefgh'[i]},`.repeat(99)}]`).join('\n')}`,
      /not valid YAML/,
    ],
    ['thousands of brackets', `a: ${'['.repeat(20_000)}`, /not valid YAML/],
  ])('%s', async (_, text, problem) => {
    expect(await collectProblems(text)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
    expect(existsSync(planted)).toBe(false);
  });

  test('all problems of all objects are reported at once, each on one line', async () => {
    const text = manifest(
      configMap({ '../a': '', '../b': '' }),
      deployment({ metadata: { name: 'A\nB' }, labels: { a: '/' } }),
    );
    const problems = await collectProblems(text);
    expect(problems).toHaveLength(4);
    for (const problem of problems) expect(problem).not.toContain('\n');
  });
});

describe('manifests that are refused on this machine', () => {
  test.each<[string, string, RegExp]>([
    ['an import of data', options('--import=data:text/javascript,process.exit()'), /NODE_OPTIONS "--import=data:/],
    ['a file', options('--require=/tmp/x.js'), /--require=\/tmp\/x\.js/],
    ['a file in two words', options('--require /tmp/x.js'), /--require \/tmp\/x\.js/],
    ['the short option', options('--max-old-space-size=512 -r /tmp/x.js'), /"-r \/tmp/],
    ['quotes within the option', options('--req"uire"=/tmp/x.js'), /--require=/],
    ['an escape', options('"--\\require=/tmp/x.js"'), /--require=/],
    ['_ for -', options('--experimental_loader=/tmp/x.mjs'), /--experimental-loader/],
    ...[
      '--loader=x',
      '--inspect',
      '--inspect-brk=0.0.0.0:9229',
      '--inspect_port=1',
      '--env-file=/etc/x',
      '--eval=1',
      '--openssl-config=/x',
      '--tls-keylog=/x',
      '--redirect-warnings=/x',
      '--report-dir=/x',
      '--snapshot-blob=x',
      '--experimental-config-file=x',
      '--localstorage-file=/x',
      '--conditions=x',
      '--watch',
    ].map((option): [string, string, RegExp] => [option, options(option), /NODE_OPTIONS "-/]),
    ...[
      'NODE_PATH',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'LD_AUDIT',
      'BASH_ENV',
      'SHELLOPTS',
      'PS4',
      'OPENSSL_CONF',
      'PYTHONPATH',
      'GIT_SSH_COMMAND',
      'npm_config_node_options',
      'N8N_CUSTOM_EXTENSIONS',
      'N8N_COMMUNITY_PACKAGES',
      'N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV',
      'N8N_RUNNERS_LAUNCHER_PATH',
    ].map((name): [string, string, RegExp] => [
      name,
      env(name, '/tmp/x'),
      new RegExp(`: ${name} makes programs load code`),
    ]),
    ['settings that name hooks', env('N8N_CONFIG_FILES', '/etc/x.json'), /N8N_CONFIG_FILES makes programs load code/],
    [
      'a separator that holds a file',
      env('EXTERNAL_HOOK_FILES_SEPARATOR', ':/proc/self/cwd/mounts/files/x.js:'),
      /SEPARATOR ":\/proc.*" is longer than one character/,
    ],
    ['hooks of n8n', env('EXTERNAL_HOOK_FILES', '/tmp/x.js'), /EXTERNAL_HOOK_FILES "\/tmp\/x\.js"/],
    [
      'a variable of a ConfigMap',
      manifest(
        configMap({ LD_PRELOAD: '/tmp/x' }),
        deployment({ container: { envFrom: [{ configMapRef: { name: 'files' } }] } }),
      ),
      /LD_PRELOAD/,
    ],
    [
      'a variable built from another one',
      n8n({
        container: {
          env: [
            { name: 'A', value: '--import' },
            { name: 'NODE_OPTIONS', value: '$(A)=data:,' },
          ],
        },
      }),
      /--import=data/,
    ],
    [
      'a file of a ConfigMap',
      manifest(
        configMap({ 'x.js': '1' }),
        deployment(
          mounting([{ name: 'files', mountPath: '/x' }], ['files'], {
            env: [{ name: 'NODE_OPTIONS', value: '--require=/x/x.js' }],
          }),
        ),
      ),
      /--require=\/x\/x\.js/,
    ],
  ])('%s', async (_, text, problem) => {
    expect(await collectProblems(text)).toEqual([expect.stringMatching(problem)]);
    // In a cluster the container confines it.
    expect(await collectProblems(text, 'cluster')).toEqual([]);
  });

  test('are accepted once the user overrides the variable, such as with an empty value', async () => {
    expect(await collectProblems(env('LD_PRELOAD', '/x.so'), 'machine', { LD_PRELOAD: '' })).toEqual([]);
    expect(
      await collectProblems(options('--import=x'), 'machine', { NODE_OPTIONS: '--max-old-space-size=512' }),
    ).toEqual([]);
  });
});

test.each([
  'EXTERNAL_HOOK_FILES',
  'EXTERNAL_HOOK_FILES_SEPARATOR',
  'NODE_OPTIONS',
  'N8N_CONFIG_FILES',
  'N8N_CUSTOM_EXTENSIONS',
  'N8N_COMMUNITY_PACKAGES',
  'N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV',
  'LD_PRELOAD',
  'N8N_RUNNERS_MODE',
])('%s is refused as a _FILE variable', async (name) => {
  const variable = { env: [{ name: `${name}_FILE`, value: '/files/list.txt' }] };
  const of = (place: DeploymentPlace) =>
    collectProblems(
      manifest(
        configMap({ 'list.txt': '/files/x.js' }),
        deployment(mounting([{ name: 'files', mountPath: '/files' }], ['files'], variable)),
      ),
      place,
    );
  expect([await of('machine')].flat()).toEqual([expect.stringContaining(name)]);
});

describe('the preloads of this chart', () => {
  const file = (...path: string[]) => readFileSync(join(chartFolder, 'files', ...path), 'utf8');
  const hooks = {
    ...Object.fromEntries(readdirSync(join(chartFolder, 'files/hooks')).map((name) => [name, file('hooks', name)])),
    'load-targets.js': file('load-targets', 'load-targets.js'),
    'load-targets.json': '{}',
  };
  const variables = {
    env: [
      { name: 'NODE_OPTIONS', value: '--max-old-space-size=512 --require=/opt/n8n-tuned/quiet-sqlite.js' },
      { name: 'EXTERNAL_HOOK_FILES', value: '/opt/n8n-tuned/hooks.js' },
    ],
  };
  const mount = { name: 'files', mountPath: '/opt/n8n-tuned' };
  const given = (data: object, mounts: object[] = [mount], more: object[] = []) =>
    manifest(configMap(data), ...more, deployment(mounting(mounts, ['files', 'mine'], variables)));
  const mine = configMap({ 'quiet-sqlite.js': 'evil', 'hooks.js': 'evil' }, 'mine');

  test.each(['/evil.js', '/opt/n8n-tuned/hooks.js;/evil.js', '/opt/n8n-tuned/hooks.js:/evil.js'])(
    'are refused with another file behind either separator: %s',
    async (value) => {
      const env = [
        { name: 'EXTERNAL_HOOK_FILES', value },
        { name: 'EXTERNAL_HOOK_FILES_SEPARATOR', value: ';' },
      ];
      const text = manifest(configMap(hooks), deployment(mounting([mount], ['files'], { env })));
      expect(await collectProblems(text)).toContainEqual(expect.stringMatching(/"\/evil.js"/));
    },
  );

  test('are loaded', async () => expect(await collectProblems(given(hooks))).toEqual([]));

  test.each<[string, string]>([
    ['with another text', given({ ...hooks, 'quiet-sqlite.js': 'evil', 'hooks.js': 'evil' })],
    ['beside a file that they require', given({ ...hooks, 'load-targets.js': 'evil' })],
    ['beside a package', given({ ...hooks, 'package.json': '{}' })],
    ['of another ConfigMap', given({ a: '' }, [mount], [mine])],
    ['below a mount before it', given(hooks, [{ name: 'mine', mountPath: '/opt' }, mount], [mine])],
    [
      'behind a mount of the file',
      given(
        hooks,
        [
          ...['quiet-sqlite.js', 'hooks.js'].map((file) => ({
            name: 'mine',
            mountPath: `/opt/n8n-tuned/${file}`,
            subPath: file,
          })),
          mount,
        ],
        [mine],
      ),
    ],
    ['by a part of the ConfigMap', given(hooks, [{ ...mount, subPath: 'hooks.js' }])],
    ['without a mount', given(hooks, [])],
  ])('are refused %s', async (_, text) => {
    expect(await collectProblems(text)).toEqual([
      expect.stringMatching(/quiet-sqlite\.js/),
      expect.stringMatching(/EXTERNAL_HOOK_FILES/),
    ]);
  });
});

test.each<[string, Parts]>([
  ['hostPID', { pod: { hostPID: true } }],
  ['hostNetwork', { pod: { hostNetwork: true } }],
  ['privileged', { container: { securityContext: { privileged: true } } }],
  ['procMount', { container: { securityContext: { procMount: 'Unmasked' } } }],
  ['hostIPC', { pod: { hostIPC: true } }],
  ['nodeName: control', { pod: { nodeName: 'control' } }],
  ['priorityClassName: system-node-critical', { pod: { priorityClassName: 'system-node-critical' } }],
  ['runAsUser: 0', { pod: { securityContext: { runAsUser: 0 } } }],
  ['runAsUser: 0', { container: { securityContext: { runAsUser: 0 } } }],
  ['capabilities.add[]: SYS_ADMIN', { container: { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } } }],
  ['seccompProfile.type: Unconfined', { pod: { securityContext: { seccompProfile: { type: 'Unconfined' } } } }],
  ['appArmorProfile.type: Unconfined', { container: { securityContext: { appArmorProfile: { type: 'Unconfined' } } } }],
  ['seLinuxOptions.type: spc_t', { container: { securityContext: { seLinuxOptions: { type: 'spc_t' } } } }],
  ['sysctls[].name: kernel.msgmax', { pod: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } } }],
  ['ports[].hostPort: 22', { container: { ports: [{ containerPort: 5678, hostPort: 22 }] } }],
  [
    'livenessProbe.httpGet.host: 169.254.169.254',
    { container: { livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } } },
  ],
  ['hostProcess', { pod: { securityContext: { windowsOptions: { hostProcess: true } } } }],
])('%s is refused in a cluster', async (what, parts) => {
  expect(await collectProblems(n8n(parts), 'cluster')).toEqual([expect.stringContaining(what)]);
});

test('settings that give a pod no more rights than it has by default are accepted in a cluster', async () => {
  const securityContext = { runAsNonRoot: false, allowPrivilegeEscalation: true, capabilities: { drop: ['NET_RAW'] } };
  const parts = {
    pod: { securityContext: { runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } } },
    container: { securityContext, ports: [{ containerPort: 5678, hostPort: 0 }] },
  };
  expect(await collectProblems(n8n(parts), 'cluster')).toEqual([]);
});

describe('files of the image', () => {
  const readEnvironment = async (text: string) => {
    const manifests = join(folder, 'files.yaml');
    writeFileSync(manifests, text);
    const { objects } = await adoptForeign('no helm', { manifests }, { files: [], set: [] });
    const [{ spec } = { spec: undefined }] = objects.filter(({ kind }) => kind === 'Deployment');
    return Object.fromEntries(spec!.template!.spec.containers[0]!.env!.map(({ name, value }) => [name, value]));
  };

  test.each([
    ['N8N_LICENSE_ACTIVATION_KEY_FILE', '/etc/shadow'],
    ['DB_SQLITE_DATABASE', '/var/lib/x.sqlite'],
    ['DB_SQLITE_DATABASE', '../../x.sqlite'],
    ['N8N_LOG_FILE_LOCATION', '/var/log/x'],
    ['N8N_STORAGE_PATH', '/srv'],
    ['NODE_EXTRA_CA_CERTS', '/etc/x.pem'],
    ['PATH', 'bin'],
  ])('are not looked up on this machine: %s=%s', async (name, value) => {
    expect(await readEnvironment(env(name, value))).not.toHaveProperty(name);
  });

  test.each(['N8N_PATH', 'DB_SQLITE_DATABASE', 'N8N_STORAGE_PATH', 'N8N_METRICS'])(
    'are not looked up through a _FILE variable: %s',
    async (name) => {
      const variable = { env: [{ name: `${name}_FILE`, value: '/files/a' }] };
      const text = manifest(
        configMap({ a: '/etc/shadow' }),
        deployment(mounting([{ name: 'files', mountPath: '/files' }], ['files'], variable)),
      );
      expect(await readEnvironment(text)).not.toHaveProperty(`${name}_FILE`);
    },
  );

  test('are not looked up by a path that leaves a ConfigMap, whose own files are kept', async () => {
    const of = (path: string) =>
      manifest(
        configMap({ key: 'x' }),
        deployment(
          mounting([{ name: 'files', mountPath: '/files/' }], ['files'], {
            env: [{ name: 'N8N_SMTP_PASS_FILE', value: path }],
          }),
        ),
      );
    expect(await readEnvironment(of('/files/key'))).toHaveProperty('N8N_SMTP_PASS_FILE', '/files/key');
    expect(await readEnvironment(of('/files/../etc/shadow'))).not.toHaveProperty('N8N_SMTP_PASS_FILE');
  });
});
