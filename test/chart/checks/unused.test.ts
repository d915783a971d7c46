import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, queue, refusals, render, type Values } from '../render.js';
import { type Case, tests } from './cases.js';

interface Row {
  unless: string[];
  because: string;
  values?: string[];
  differs?: Record<string, unknown>;
  above?: Record<string, number>;
}
const read = (name: string) => readFileSync(join(chart, name), 'utf8');
const rows: Row[] = parse(read('files/no-effect.yaml'));
const defaults = parse(read('values.yaml'));
const schema = JSON.parse(read('values.schema.json'));

const at = (path: string): any => path.split('.').reduce((values, key) => values?.[key], defaults);
const described = (path: string): any => path.split('.').reduce((node, key) => node?.properties?.[key], schema);

/** Texts that their format takes, where any text will not do. */
const texts: Record<string, string> = {
  'externalPostgresql.passwordFile': '/a',
  'externalPostgresql.userFile': '/a',
  'externalPostgresql.databaseFile': '/a',
  'externalRedis.passwordFile': '/a',
  'binaryData.s3.accessKeyFile': '/a',
  'binaryData.s3.secretKeyFile': '/a',
  'gateway.timeouts.request': '2s',
  'gateway.timeouts.backendRequest': '1s',
  'metrics.serviceMonitor.scrapeTimeout': '1s',
  'communityPackages.registry': 'https://npm.example.com/',
  'communityPackages.image.path': '/modules',
  'taskRunners.image.digest': `sha256:${'0'.repeat(64)}`,
  'taskRunners.image.tag': '2.41.1',
};

/** Content of a value that is not its default. */
function other(path: string): unknown {
  const { type, enum: choices, minimum = 0, items } = described(path);
  const types = [type].flat();
  if (/elabelings$/.test(path)) return [{ action: 'labeldrop', regex: 'a' }];
  if (/autoscaling\.metrics$/.test(path)) return [{ type: 'Resource', resource: {} }];
  if (/behavior$/.test(path)) return { scaleUp: {} };
  if (/parentRefs$/.test(path)) return [{ name: 'a' }];
  if (/accessModes$/.test(path)) return ['ReadWriteMany'];
  if (path === 'taskRunners.config') return { a: 'b' };
  if (choices) return choices.find((choice: string) => choice !== at(path) && choice !== '');
  if (types.includes('integer') || types.includes('number')) return Math.max(minimum, (at(path) ?? 0) + 1);
  if (types.includes('boolean')) return !at(path);
  if (types.includes('string')) return texts[path] ?? 'mine';
  if (types.includes('object')) return path.endsWith('.env') ? { SECONDS: '5' } : { a: 'b' };
  if (/Ranges$/.test(path)) return ['192.0.2.0/24'];
  if (path === 'networkPolicy.egress') return [];
  if (/(From|To)$/.test(path)) return [{ podSelector: {} }];
  if (/tls$/.test(path)) return [{ hosts: ['a.example.com'] }];
  if (/extraEnv$/.test(path)) return [{ name: 'A', value: 'b' }];
  if ([items?.type].flat().includes('string')) return ['a.example.com'];
  return [{ name: 'a', type: 'Resource', mountPath: '/a' }];
}

function set(values: any, path: string, content: unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  keys.reduce((inner, key) => (inner[key] ??= {}), values)[last] = content;
}

const pathsOf = ({ values = [], differs = {}, above = {} }: Row): string[] => [
  ...values,
  ...Object.keys(differs),
  ...Object.keys(above),
];
/** What another row sets switches on what these rows need: they are tested apart. */
const isSetByAnother = ({ unless }: Row) =>
  unless.some((condition) => rows.some((row) => pathsOf(row).includes(condition.replace(/^!/, ''))));
const off = [
  'main.persistence.enabled',
  'postgresql.persistence.enabled',
  'redis.persistence.enabled',
  'executions.data.prune.enabled',
  'overload.enabled',
  'serviceAccount.create',
];

/** Paths that the chart refuses as without effect, if every value of some rows is set and everything else is switched off. */
async function refused(some: Row[], values: Values = {}): Promise<string[]> {
  for (const path of off) set(values, path, false);
  for (const path of some.flatMap(pathsOf)) set(values, path, other(path));
  const found = (await refusals(values)).filter(({ code }) => code === 'no-effect');
  return [...new Set(found.map(({ value }) => value.split('=')[0]!))];
}
const entrance = ({ unless }: Row) => unless.includes('n8n-tuned.hasNoEntrance');
const ofIngress = ({ unless }: Row) => unless.includes('ingress.enabled');
const ofVersion = ({ unless }: Row) => unless.some((condition) => condition.startsWith('reads:'));
const ofSqlite = ({ unless }: Row) => unless.includes('database.type=sqlite');
const others = rows.filter((row) => !entrance(row) && !ofVersion(row) && !ofSqlite(row));
const apart = others.filter(isSetByAnother);
const together = others.filter((row) => !isSetByAnother(row));
const behindIngress = rows.filter((row) => entrance(row) && !ofIngress(row));
const behindGateway = rows.filter((row) => entrance(row) && ofIngress(row));
const gateway = { webhooks: { enabled: true, parentRefs: [{ name: 'g' }], hostnames: ['b.example.com'] } };
const found = await Promise.all([
  refused(together),
  refused(apart),
  refused(behindIngress, { ingress: { enabled: true, hosts: ['b.example.com'] } }),
  refused(behindGateway, { gateway }),
  refused(rows.filter(ofVersion), { executions: { mode: 'queue' }, image: { tag: '1.40.0' } }),
  refused(rows.filter(ofSqlite), { database: { type: 'postgresql' } }),
]);

it('refuses each value of the table where nothing uses it', () => {
  // Its own values are refused with the other values of a claim, that is off.
  const claims = ({ unless }: Row) => unless.includes('!main.persistence.existingClaim');
  const groups = [together, apart, behindIngress, behindGateway, rows.filter(ofVersion), rows.filter(ofSqlite)];
  for (const [index, some] of groups.entries()) {
    expect(some.length).toBeGreaterThan(0);
    expect(found[index]).toEqual(expect.arrayContaining(some.filter((row) => !claims(row)).flatMap(pathsOf)));
  }
});

describe('the table', () => {
  it('names existing values', () => {
    const conditions = rows.flatMap(({ unless }) => unless).filter((one) => !/^(n8n-tuned\.|reads:)/.test(one));
    const paths = [...rows.flatMap(pathsOf), ...conditions.map((one) => one.replace(/^!|=.*$/g, ''))];
    expect(paths.filter((path) => !described(path))).toEqual([]);
  });

  it('knows the defaults', () => {
    const differs = Object.assign({}, ...rows.map((row) => row.differs ?? {}));
    for (const [path, content] of Object.entries(differs))
      expect({ path, content }).toEqual({ path, content: at(path) });
    const filled = rows
      .flatMap(({ values = [] }) => values)
      .filter((path) => {
        const value = at(path);
        return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
      });
    expect(filled).toEqual([]);
  });
});

const cases: [value: string, values: Values, because: string][] = [
  ['postgresql.existingSecret=mine', { postgresql: { existingSecret: 'mine' } }, 'no PostgreSQL is embedded'],
  ['postgresql.parameters=work_mem', { postgresql: { parameters: { work_mem: 8 } } }, 'no PostgreSQL is embedded'],
  ['hardening.allowedHosts=erp', { hardening: { allowedHosts: ['erp'] } }, 'hardening.enabled=false'],
  ['worker.replicas=3', { worker: { replicas: 3 } }, 'executions.mode=regular has no workers'],
  [
    'executions.recovery.intervalMinutes=30',
    { executions: { recovery: { intervalMinutes: 30 } } },
    'executions.mode=regular has no queue',
  ],
  [
    'worker.autoscaling.keda.cooldownPeriod=60',
    queue({ worker: { autoscaling: { type: 'keda', maxReplicas: 4, keda: { cooldownPeriod: 60 } } } }),
    'worker.autoscaling.minReplicas is not 0',
  ],
  ['networkPolicy.denyMetadata=false', { networkPolicy: { denyMetadata: false } }, 'networkPolicy.enabled=false'],
  ['metrics.public=true', { metrics: { public: true } }, 'metrics.enabled=false'],
  [
    'worker.autoscaling.metrics=[...]',
    queue({ worker: { autoscaling: { metrics: [{ type: 'Resource' }] } } }),
    'worker.autoscaling.type is not hpa',
  ],
  [
    'main.persistence.storageClass=fast',
    { main: { persistence: { existingClaim: 'mine', storageClass: 'fast' } } },
    'main.persistence.existingClaim',
  ],
  [
    'ingress.webhooks.hosts=a.b',
    { ingress: { enabled: true, hosts: ['c.b'], webhooks: { hosts: ['a.b'] } } },
    'ingress.webhooks.enabled=false',
  ],
];

await tests(
  '_unused.tpl',
  cases.map(([value, values, because]): Case => ['no-effect', value, values, because]),
);

it('accepts hosts of entrances that are switched off', () => {
  const ingress = { hosts: ['a.example.com'], webhooks: { hosts: ['b.example.com'] } };
  expect(() =>
    render({ ingress, gateway: { parentRefs: [{ name: 'g' }], timeouts: { request: '5s' } } }),
  ).not.toThrow();
});

it('lets values for several releases name what only those in queue mode read', () => {
  expect(() => render({ worker: { replicas: 1, concurrency: 5, resources: { limits: { cpu: '2' } } } })).not.toThrow();
});
