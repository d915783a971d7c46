import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../../../capacity/src/core/paths.js';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { ecosystemFromChart } from '../../../../capacity/src/features/pm2/command.js';
import { render, type Values } from '../../../chart/render.js';

const QUEUE = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  worker: { replicas: 3 },
  webhook: { replicas: 2 },
};
const SECRETS = { N8N_ENCRYPTION_KEY: 'key', DB_POSTGRESDB_PASSWORD: 'pg', QUEUE_BULL_REDIS_PASSWORD: 'redis' };

const renderText = (values: Values) => ecosystemFromChart(render(values), { files: ['values.yaml'], set: [] });

/** The apps that PM2 reads when it is started with this environment. */
function readApps(values: Values, env: Record<string, string>): any[] {
  const file = join(mkdtempSync(join(tmpdir(), 'ecosystem-')), 'ecosystem.config.cjs');
  writeFileSync(file, renderText(values));
  const print = 'process.stdout.write(JSON.stringify(require(process.argv[1]).apps))';
  const given = { PATH: '', HOME: '/home/me', N8N_BIN: process.execPath, ...env };
  return JSON.parse(
    execFileSync(process.execPath, ['-e', print, file], { env: given, encoding: 'utf8', stdio: 'pipe' }),
  );
}

test('main is one app, each worker is one, and the webhook processors are one cluster', () => {
  const apps = readApps(QUEUE, SECRETS);
  expect(apps.map(({ name, exec_mode, instances, args }) => [name, exec_mode, instances, args?.[0]])).toEqual([
    ['n8n-main', 'fork', 1, undefined],
    ['n8n-worker-0', 'fork', 1, 'worker'],
    ['n8n-worker-1', 'fork', 1, 'worker'],
    ['n8n-worker-2', 'fork', 1, 'worker'],
    ['n8n-webhook', 'cluster', 2, 'webhook'],
  ]);
});

test("regular mode runs main alone, in n8n's default folder", () => {
  const [main, ...others] = readApps({}, { N8N_ENCRYPTION_KEY: 'key' });
  expect(others).toEqual([]);
  expect(main.env).toMatchObject({ DB_TYPE: 'sqlite', N8N_USER_FOLDER: '/home/me', N8N_PORT: '5678' });
});

test('no two processes share a port or a folder', () => {
  const apps = readApps(QUEUE, { ...SECRETS, N8N_PM2_PORT: '7000' });
  const ports = apps.flatMap(({ env }) =>
    [env.N8N_PORT, env.QUEUE_HEALTH_CHECK_PORT, env.N8N_RUNNERS_BROKER_PORT].filter((port) => port !== undefined),
  );
  expect(ports).toContain('7000');
  expect(new Set(ports).size).toBe(ports.length);
  expect(new Set(apps.map(({ env }) => env.N8N_USER_FOLDER)).size).toBe(apps.length);
});

test("a cluster gets the heap limit as Node's argument: its environment comes too late", () => {
  const apps = readApps(QUEUE, SECRETS);
  const webhook = apps.at(-1);
  expect(webhook.node_args).toEqual([expect.stringMatching(/^--max-old-space-size=\d+$/)]);
  expect(webhook.env.NODE_OPTIONS).toBeUndefined();
  expect(apps[0].env.NODE_OPTIONS).toMatch(/^--max-old-space-size=\d+$/);
});

test("PM2 restarts n8n above its heap and below the limit minus the task runner's heap", () => {
  const apps = readApps({ ...QUEUE, worker: { replicas: 1, resources: { limits: { memory: '3Gi' } } } }, SECRETS);
  const [, worker, webhook] = apps;
  const runner = Number(worker.env.N8N_RUNNERS_MAX_OLD_SPACE_SIZE);
  expect(worker.max_memory_restart).toBe(`${3072 - runner}M`);
  expect(3072 - runner).toBeGreaterThan(Number(/\d+/.exec(worker.env.NODE_OPTIONS)![0]));
  expect(webhook.max_memory_restart).toBe('1280M');
});

test('the time to end is that of the pod, and for webhook processors also that of draining', () => {
  const [main, , , , webhook] = readApps(QUEUE, SECRETS);
  const grace = Number(main.env.N8N_GRACEFUL_SHUTDOWN_TIMEOUT);
  expect(main.kill_timeout).toBeGreaterThan(grace * 1000);
  expect(webhook.kill_timeout).toBeGreaterThan(2 * grace * 1000);
  expect(webhook.listen_timeout).toBe(300_000);
});

test('secrets come from the environment, and the error names all that are missing', () => {
  expect(readApps(QUEUE, SECRETS)[0].env).toMatchObject(SECRETS);
  expect(() => readApps(QUEUE, { DB_POSTGRESDB_PASSWORD: 'pg', N8N_ENCRYPTION_KEY: '' })).toThrow(
    'N8N_ENCRYPTION_KEY, QUEUE_BULL_REDIS_PASSWORD',
  );
  expect(() => readApps({}, { N8N_ENCRYPTION_KEY: 'key', N8N_BIN: '' })).toThrow('N8N_BIN');
});

test('a variable of extraEnv whose name suggests a secret is read from the environment', () => {
  const extraEnv = [
    { name: 'SMTP_PASSPHRASE_TEXT', value: 'letmein' },
    { name: 'API_TOKEN_FILE', value: '/run/token' },
    { name: 'N8N_PASSWORD_RESET', value: 'true' },
    { name: 'PLAIN', value: 'http://proxy:3128' },
  ];
  const text = renderText({ main: { extraEnv } });
  expect(text).not.toContain('letmein');
  expect(() => readApps({ main: { extraEnv } }, { N8N_ENCRYPTION_KEY: 'key' })).toThrow('SMTP_PASSPHRASE_TEXT');
  const given = { N8N_ENCRYPTION_KEY: 'key', SMTP_PASSPHRASE_TEXT: 'a' };
  const [main] = readApps({ main: { extraEnv } }, given);
  expect(main.env).toMatchObject({ ...given, API_TOKEN_FILE: '/run/token', N8N_PASSWORD_RESET: 'true' });
  expect(main.env.PLAIN).toBe('http://proxy:3128');
});

test('an invalid port is reported together with missing variables', () => {
  expect(() => readApps({}, { N8N_PM2_PORT: 'abc' })).toThrow(/N8N_PM2_PORT is "abc".*N8N_ENCRYPTION_KEY/);
  expect(readApps({}, { N8N_ENCRYPTION_KEY: 'key', N8N_PM2_PORT: '' })[0].env.N8N_PORT).toBe('5678');
});

test('embedded services are expected on this machine or where the environment points; others keep their host', () => {
  expect(readApps(QUEUE, SECRETS)[0].env).toMatchObject({
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: '5432',
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
  });
  const external = { ...QUEUE, externalPostgresql: { host: 'db.example.org', existingSecret: 'db' } };
  const [main] = readApps(external, { ...SECRETS, QUEUE_BULL_REDIS_HOST: 'redis.example.org' });
  expect(main.env).toMatchObject({ DB_POSTGRESDB_HOST: 'db.example.org', QUEUE_BULL_REDIS_HOST: 'redis.example.org' });
});

test('paths of files that the cluster mounts are read from the environment', () => {
  const values = { caCertificates: { existingSecret: 'ca' } };
  expect(() => readApps(values, { N8N_ENCRYPTION_KEY: 'key' })).toThrow('NODE_EXTRA_CA_CERTS');
});

test('the header lists what PM2 does not provide', () => {
  const scaled = { ...QUEUE, webhook: { autoscaling: { type: 'hpa', minReplicas: 3, maxReplicas: 4 } } };
  const text = renderText({ ...scaled, networkPolicy: { enabled: true } });
  expect(text).toMatch(/^\/\/ - the HorizontalPodAutoscaler of webhook: .*3.*4$/m);
  expect(text).toMatch(/^\/\/ - NetworkPolicy n8n-tuned-main$/m);
  expect(text).toContain('// - CPU limits');
  expect(readApps(scaled, SECRETS).at(-1).instances).toBe(3);
});

test('values that PM2 cannot run are refused', () => {
  expect(() => renderText({ taskRunners: { mode: 'external' } })).toThrow(UsageError);
  expect(() => renderText({ main: { extraEnvFrom: [{ secretRef: { name: 'more' } }] } })).toThrow(UsageError);
  const none = { ...QUEUE, worker: { autoscaling: { type: 'keda', minReplicas: 0, maxReplicas: 3 } } };
  expect(() => renderText(none)).toThrow(UsageError);
});

test('the command names each kind of assignment without its value', () => {
  const text = ecosystemFromChart(render(QUEUE), {
    ...{ profile: 'queue', files: ['values.yaml'], set: [] },
    ...{ setString: ['webhookUrl=hunter2'], setFile: ['editorUrl=hunter2'], setJson: ['{"editorUrl":"hunter2"}'] },
  });
  expect(text).toContain(
    'n8n-capacity pm2 --profile queue -f values.yaml --set-json … --set-string webhookUrl=… --set-file editorUrl=…',
  );
  expect(text).not.toContain('hunter2');
});

test('the file names a --set assignment without its value, which may be secret', () => {
  const text = ecosystemFromChart(render(), { files: [], set: ['webhookUrl=https://user:password@n8n.example.org'] });
  expect(text).toContain('--set webhookUrl=…');
  expect(text).not.toContain('password');
});

test("the file contains the chart's hooks and requires no other file", () => {
  const text = renderText(QUEUE);
  expect(text).toContain("'hooks.js'(module, exports)");
  expect(text).not.toMatch(/(?<!\.)require\(["']\.{1,2}\//);
});

test.each([
  [{}, true],
  [{ expressionEngine: { lazyCharacterTable: false } }, false],
])(
  'the launcher makes isolates cheaper before it loads n8n, unless the values switch it off: %j',
  (values, cheaper) => {
    const file = join(mkdtempSync(join(tmpdir(), 'ecosystem-')), 'ecosystem.config.cjs');
    writeFileSync(file, `${renderText(values)}\nmodule.exports.load = chartHooks;`);
    const runtime = join(repositoryFolder, 'node_modules/@n8n/expression-runtime/dist/bundle/runtime.iife.js');
    const script = `const [file, runtime] = process.argv.slice(1);
    require(file).load();
    process.stdout.write(String(require('node:fs').readFileSync(runtime, 'utf8').includes('reflect')));`;
    const env = { HOME: '/home/me', N8N_BIN: process.execPath, N8N_ENCRYPTION_KEY: 'key' };
    expect(execFileSync(process.execPath, ['-e', script, file, runtime], { env, encoding: 'utf8' })).toBe(
      String(cheaper),
    );
  },
);
