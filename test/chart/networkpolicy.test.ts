import { allowed, type End, selects } from './network.js';
import { find, type Manifest, queue, render, type Values, valuesOf } from './render.js';

/** A pod of the release as the chart renders it, by component; `loadtest` is that of helm test. */
function pod(objects: Manifest[], component: string): End {
  const { kind, metadata, spec } = objects.find(
    (o) =>
      ['Deployment', 'StatefulSet', 'Job', 'Pod'].includes(o.kind) &&
      o.metadata.labels['app.kubernetes.io/component'] === component,
  );
  return { labels: kind === 'Pod' ? metadata.labels : spec.template.metadata.labels, namespace: 'default' };
}

/** By these alone a pod is one of the chart's. */
const ofAnotherRelease = {
  'app.kubernetes.io/name': 'n8n-tuned',
  'app.kubernetes.io/instance': 'other',
  'app.kubernetes.io/component': 'worker',
};
const others: Record<string, End> = {
  'another release': { labels: ofAnotherRelease, namespace: 'default' },
  'another pod': { labels: { app: 'shop' }, namespace: 'default' },
  ingress: { labels: { app: 'nginx' }, namespace: 'ingress-nginx' },
  prometheus: { labels: { app: 'prometheus' }, namespace: 'monitoring' },
  keda: { labels: { app: 'keda-operator' }, namespace: 'keda' },
  'k6-operator': { labels: {}, namespace: 'k6-operator-system' },
  dns: { labels: { 'k8s-app': 'kube-dns' }, namespace: 'kube-system', address: '10.96.0.10' },
  'API server': { labels: {}, address: '10.77.0.2' },
  internet: { labels: {}, address: '93.184.216.34' },
  metadata: { labels: {}, address: '169.254.169.254' },
  'metadata of ECS': { labels: {}, address: '169.254.170.2' },
  'metadata of EKS': { labels: {}, address: '169.254.170.23' },
  'metadata of GKE': { labels: {}, address: '169.254.169.252' },
  'metadata of EKS by IPv6': { labels: {}, address: 'fd00:ec2::23' },
  'host in the network': { labels: {}, address: '192.168.1.7' },
};

const restricted = {
  networkPolicy: {
    enabled: true,
    httpFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '192.168.0.0/16'] } }] }],
  },
};
const plain = { networkPolicy: { enabled: true } };
const toBlock = (cidr: string, more: Values = {}): Values =>
  queue({ networkPolicy: { enabled: true, egress: [{ to: [{ ipBlock: { cidr } }] }], ...more } });
const keda = { worker: { autoscaling: { type: 'keda', maxReplicas: 3 } } };
const kedaOfWebhooks = { metrics: { enabled: true }, webhook: { autoscaling: { type: 'keda', maxReplicas: 3 } } };
const testRun = { loadTargets: { enabled: true }, loadTest: { enabled: true, parallelism: 2 } };
const external = {
  externalPostgresql: { host: 'pg', port: 5433, existingSecret: 's' },
  externalRedis: { host: 'r', port: 6380, existingSecret: 's' },
};

const parsed = new Map<string, Manifest[]>();
function objectsOf(values: Values): Manifest[] {
  const key = JSON.stringify(values);
  if (!parsed.has(key)) parsed.set(key, render(values));
  return parsed.get(key)!;
}

type Case = [values: Values, from: string, to: string, port: number, expected: boolean, protocol?: string];
const cases: [name: string, cases: Case[]][] = [
  [
    'queue mode, with who and where to',
    (
      [
        // What must work.
        ...['main', 'worker', 'webhook'].flatMap((n8n): [string, string, number, boolean, string?][] => [
          [n8n, 'postgresql', 5432, true],
          [n8n, 'redis', 6379, true],
          [n8n, 'dns', 53, true, 'UDP'],
          [n8n, 'dns', 53, true],
          [n8n, 'internet', 443, true],
          ['prometheus', n8n, 5678, true],
          ['loadtest', n8n, 5678, true],
        ]),
        ['ingress', 'main', 5678, true],
        ['ingress', 'webhook', 5678, true],
        ['make-secret', 'API server', 443, true],
        ['make-secret', 'API server', 6443, true],
        ['make-secret', 'dns', 53, true, 'UDP'],
        ['loadtest', 'dns', 53, true, 'UDP'],
        // What must not.
        ...['main', 'worker', 'webhook'].flatMap((n8n): [string, string, number, boolean, string?][] => [
          ['another pod', n8n, 5678, false],
          ['another release', n8n, 5678, false],
          ['internet', n8n, 5678, false],
          ['prometheus', n8n, 5679, false],
          [n8n, 'host in the network', 443, false],
          [n8n, 'API server', 443, false],
          [n8n, 'another pod', 80, false],
          ['postgresql', n8n, 5678, false],
          ['redis', n8n, 5678, false],
          ['make-secret', n8n, 5678, false],
        ]),
        ['ingress', 'worker', 5678, false],
        ['main', 'worker', 5678, false],
        ['worker', 'main', 5678, false],
        ['worker', 'main', 5679, false],
        ['webhook', 'main', 5678, false],
        ['ingress', 'redis', 6379, false],
        ['prometheus', 'postgresql', 5432, false],
        ['another release', 'redis', 6379, false],
        ['another release', 'postgresql', 5432, false],
        ['keda', 'redis', 6379, false],
        ['main', 'redis', 5432, false],
        ['redis', 'postgresql', 5432, false],
        ['redis', 'internet', 443, false],
        ['postgresql', 'internet', 443, false],
        ['make-secret', 'internet', 80, false],
        ['make-secret', 'redis', 6379, false],
        ['loadtest', 'redis', 6379, false],
        ['loadtest', 'internet', 80, false],
      ] as [string, string, number, boolean, string?][]
    ).map(([from, to, port, expected, protocol]): Case => [queue(restricted), from, to, port, expected, protocol]),
  ],
  [
    'queue mode, by default',
    [
      [queue(plain), 'ingress', 'main', 5678, true],
      [queue(plain), 'another pod', 'webhook', 5678, true],
      [queue(plain), 'another pod', 'main', 5679, false],
      [queue(plain), 'prometheus', 'worker', 5678, false],
      [queue(plain), 'another pod', 'worker', 5678, false],
      [queue(plain), 'loadtest', 'worker', 5678, true],
      [queue(plain), 'worker', 'internet', 443, true],
      [queue(plain), 'worker', 'another pod', 80, true],
      [queue(plain), 'another pod', 'redis', 6379, false],
      [queue(plain), 'worker', 'redis', 6379, true],
    ],
  ],
  [
    'workflows that may not call out',
    [
      [queue({ networkPolicy: { enabled: true, egress: [] } }), 'worker', 'internet', 443, false],
      [queue(plain), 'worker', 'internet', 80, true],
      [queue(plain), 'worker', 'host in the network', 80, true],
      [queue(plain), 'worker', 'metadata', 80, false],
      [queue({ networkPolicy: { enabled: true, denyMetadata: false } }), 'worker', 'metadata', 80, true],
      ...['0.0.0.0/0', '128.0.0.0/1', '169.254.0.0/16', '169.254.169.254/31'].flatMap((cidr): Case[] => [
        [toBlock(cidr), 'worker', 'metadata', 80, false],
        [toBlock(cidr, { denyMetadata: false }), 'worker', 'metadata', 80, true],
      ]),
      ...['metadata of ECS', 'metadata of EKS', 'metadata of GKE', 'metadata of EKS by IPv6'].flatMap((at): Case[] => [
        [queue(plain), 'worker', at, 80, false],
        [queue({ networkPolicy: { enabled: true, denyMetadata: false } }), 'worker', at, 80, true],
      ]),
      [toBlock('0.0.0.0/0'), 'worker', 'internet', 80, true],
      [toBlock('192.168.0.0/16'), 'worker', 'host in the network', 80, true],
      [toBlock('192.168.0.0/16'), 'worker', 'metadata', 80, false],
      [queue({ networkPolicy: { enabled: true, egress: [] } }), 'worker', 'redis', 6379, true],
      [queue({ networkPolicy: { enabled: true, egress: [] } }), 'worker', 'dns', 53, true, 'UDP'],
    ],
  ],
  [
    'KEDA',
    [
      [queue({ ...plain, ...keda }), 'keda', 'redis', 6379, true],
      [queue({ ...plain, ...keda }), 'keda', 'postgresql', 5432, false],
      [queue(plain), 'keda', 'redis', 6379, false],
      [
        queue({
          ...keda,
          networkPolicy: { enabled: true, redisFrom: [{ podSelector: { matchLabels: { app: 'shop' } } }] },
        }),
        'another pod',
        'redis',
        6379,
        true,
      ],
      [queue({ ...keda, networkPolicy: { enabled: true, redisFrom: [] } }), 'keda', 'redis', 6379, true],
      [queue({ ...restricted, ...kedaOfWebhooks }), 'keda', 'webhook', 5678, true],
      [queue({ ...restricted, ...kedaOfWebhooks }), 'keda', 'main', 5678, false],
      [queue({ ...restricted, ...kedaOfWebhooks }), 'keda', 'redis', 6379, false],
      [queue(restricted), 'keda', 'webhook', 5678, false],
    ],
  ],
  [
    'databases outside of the release',
    [
      [queue({ ...external, networkPolicy: { enabled: true, egress: [] } }), 'worker', 'internet', 5433, true],
      [queue({ ...external, networkPolicy: { enabled: true, egress: [] } }), 'worker', 'internet', 6380, true],
      [queue({ ...external, networkPolicy: { enabled: true, egress: [] } }), 'worker', 'internet', 443, false],
      [queue({ ...external, networkPolicy: { enabled: true, egress: [] } }), 'worker', 'internet', 5432, false],
      [
        queue({
          externalPostgresql: external.externalPostgresql,
          externalRedis: { cluster: { nodes: ['a:7000', 'b:7001'] }, existingSecret: 's' },
          networkPolicy: { enabled: true, egress: [] },
        }),
        'main',
        'internet',
        7001,
        true,
      ],
    ],
  ],
  [
    'a TestRun of k6-operator',
    [
      [queue({ ...plain, ...testRun }), 'loadtest', 'loadtest', 6565, true],
      [queue({ ...plain, ...testRun }), 'k6-operator', 'loadtest', 6565, true],
      [queue({ ...plain, ...testRun }), 'another pod', 'loadtest', 6565, false],
      [queue(plain), 'loadtest', 'loadtest', 6565, false],
    ],
  ],
  [
    'regular mode',
    [
      [plain, 'ingress', 'main', 5678, true],
      [plain, 'main', 'internet', 443, true],
      [restricted, 'another pod', 'main', 5678, false],
    ],
  ],
];

describe.each(cases)('%s', (_, table) => {
  it.each(
    table.map(([values, from, to, port, expected, protocol]) => ({ values, from, to, port, expected, protocol })),
  )('$from to $to:$port: $expected', ({ values, from, to, port, expected, protocol }) => {
    const objects = objectsOf(values);
    const end = (name: string) => others[name] ?? pod(objects, name);
    expect(allowed(objects, end(from), end(to), port, protocol)).toBe(expected);
  });
});

describe('without private addresses', () => {
  const denyPrivate: Values = { networkPolicy: { enabled: true, denyPrivate: true } };
  const named = [
    { to: [{ ipBlock: { cidr: '10.1.2.0/24' } }], ports: [{ port: 443 }] },
    { to: [{ ipBlock: { cidr: 'fd12:3456::/32' } }] },
    { to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }] },
    { to: [{ ipBlock: { cidr: '64:ff9b::/96' } }] },
  ];
  const withNamed: Values = { networkPolicy: { enabled: true, denyPrivate: true, egress: [{}, ...named] } };
  const reaches = (values: Values, to: End, port = 443) =>
    ['main', 'worker', 'webhook'].map((component) => {
      const objects = objectsOf(queue(values));
      return allowed(objects, pod(objects, component), to, port);
    });
  const at = (address: string): End => ({ labels: {}, address });
  const [all, none] = [
    [true, true, true],
    [false, false, false],
  ];

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
  ])('opens %s', (address) => expect(reaches(denyPrivate, at(address))).toEqual(all));
  it.each(['2606:4700::1111', '2a00:1450:4001::8', '2003::1', '2001:4860:4860::8888', '3ffe::1', '2000::1'])(
    'opens %s',
    (address) => expect(reaches(denyPrivate, at(address))).toEqual(all),
  );
  it.each([
    ['of its own network', '0.0.0.0'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.7'],
    ['shared', '100.64.0.1'],
    ['shared', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['link-local', '169.254.1.1'],
    ['metadata', '169.254.169.254'],
    ['metadata of ECS', '169.254.170.2'],
    ['metadata of EKS', '169.254.170.23'],
    ['metadata of GKE', '169.254.169.252'],
    ['metadata of Alibaba', '100.100.100.200'],
    ['metadata of Azure', '168.63.129.16'],
    ['of protocols', '192.0.0.1'],
    ['of documentation', '203.0.113.7'],
    ['of benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['IPv4 in IPv6', '::ffff:10.0.0.1'],
    ['NAT64', '64:ff9b::a00:1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fdff::1'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['6to4', '2002:a00:1::1'],
    ['Teredo', '2001::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['not assigned', '4000::1'],
    ['metadata', 'fd00:ec2::254'],
    ['metadata of EKS', 'fd00:ec2::23'],
  ])('closes the %s address %s', (_, address) => expect(reaches(denyPrivate, at(address))).toEqual(none));

  it.each([
    ['a named block', at('10.1.2.3'), true],
    ['what is beside it', at('10.1.3.3'), false],
    ['a named block of IPv6', at('fd12:3456::1'), true],
    ['NAT64 that is named', at('64:ff9b::101:101'), true],
    ['a named namespace', others.ingress!, true],
    ['another pod', others['another pod']!, false],
    ['DNS', others.dns!, false],
  ])('%s: %p', (_, to, expected) => expect(new Set(reaches(withNamed, to))).toEqual(new Set([expected])));

  it('leaves DNS, database and queue, and pods only where they are named', () => {
    const objects = objectsOf(queue(denyPrivate));
    for (const n8n of ['main', 'worker', 'webhook']) {
      expect(allowed(objects, pod(objects, n8n), others.dns!, 53, 'UDP')).toBe(true);
      expect(allowed(objects, pod(objects, n8n), pod(objects, 'postgresql'), 5432)).toBe(true);
      expect(allowed(objects, pod(objects, n8n), pod(objects, 'redis'), 6379)).toBe(true);
      expect(allowed(objects, pod(objects, n8n), others['another pod']!, 80)).toBe(false);
      expect(allowed(objects, pod(objects, n8n), pod(objects, 'postgresql'), 80)).toBe(false);
    }
  });

  it('an external database and queue: their ports at every address, or where the values say that they are', () => {
    const peers = (cidr: string) => [{ ipBlock: { cidr } }];
    const known = { postgresqlTo: peers('10.5.0.0/28'), redisTo: peers('10.6.0.7/32') };
    const open = { ...external, ...denyPrivate };
    const closed = { ...external, networkPolicy: { enabled: true, denyPrivate: true, ...known } };
    for (const [address, port, anywhere, there] of [
      ['10.5.0.3', 5433, true, true],
      ['10.5.1.3', 5433, true, false],
      ['10.6.0.7', 6380, true, true],
      ['10.6.0.8', 6380, true, false],
      ['10.5.0.3', 80, false, false],
      ['1.1.1.1', 5433, true, true],
    ] as const) {
      expect([address, port, reaches(open, at(address), port)[0]]).toEqual([address, port, anywhere]);
      expect([address, port, reaches(closed, at(address), port)[0]]).toEqual([address, port, there]);
    }
  });

  it('the profile hardened has it, and opens neither every address nor every namespace', () => {
    const objects = objectsOf(valuesOf('profiles/hardened.yaml'));
    for (const component of ['main', 'worker', 'webhook']) {
      expect(allowed(objects, pod(objects, component), at('10.0.0.1'), 443)).toBe(false);
      expect(allowed(objects, pod(objects, component), at('1.1.1.1'), 443)).toBe(true);
      expect(allowed(objects, pod(objects, component), others['another pod']!, 443)).toBe(false);
    }
  });

  it('excepts only what a block contains, so that the API takes it', () => {
    const excepted = (cidr: string) =>
      find(
        render(
          queue({ networkPolicy: { enabled: true, denyPrivate: true, egress: [{ to: [{ ipBlock: { cidr } }] }] } }),
        ),
        'NetworkPolicy',
        'n8n-tuned-main',
      ).spec.egress.at(-1).to[0].ipBlock.except ?? [];
    expect(excepted('8.0.0.0/5')).toEqual(['10.0.0.0/8']);
    expect(excepted('10.0.0.0/8')).toEqual([]);
    expect(excepted('100.64.0.0/10')).toEqual(['100.100.100.200/32']);
    expect(excepted('2000::/3')).toEqual(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
    expect(excepted('fd00:ec2::/32')).toEqual(['fd00:ec2::254/128', 'fd00:ec2::23/128']);
  });
});

it('takes out only what a block contains, and nothing twice', () => {
  const blocks = (cidr: string, except: string[] = []) => {
    const objects = render(
      queue({ networkPolicy: { enabled: true, egress: [{ to: [{ ipBlock: { cidr, except } }] }] } }),
    );
    return find(objects, 'NetworkPolicy', 'n8n-tuned-main').spec.egress.at(-1).to[0].ipBlock.except ?? [];
  };
  expect(blocks('10.0.0.0/8')).toEqual([]);
  expect(blocks('100.64.0.0/10')).toEqual(['100.100.100.200/32']);
  const [alibaba, azure] = ['100.100.100.200/32', '168.63.129.16/32'];
  expect(blocks('0.0.0.0/0', ['169.254.0.0/16'])).toEqual(['169.254.0.0/16', alibaba, azure]);
  const [aws, google, oracle] = ['fd00:ec2::254/128', 'fd20:ce::254/128', 'fd00:c1::a9fe:a9fe/128'];
  const eks = 'fd00:ec2::23/128';
  const ofUniqueLocal = [aws, eks, google, oracle, 'fd00:100::100:200/128'];
  for (const cidr of ['::/0', 'fc00::/7', '8000:0::0:0/1']) expect(blocks(cidr)).toEqual(ofUniqueLocal);
  expect(blocks('fd00:0ec2:0::/48')).toEqual([aws, eks]);
  expect(blocks('fd00:ec2::200/119')).toEqual([aws]);
  expect(blocks('fd20::/24')).toEqual([google]);
  expect(blocks('fd00::/16', ['fd00:ec2::/32', 'fd00:c1:0:0:0:0:a9fe:0/112'])).not.toContain(aws);
  expect(blocks('fd00::/16', ['fd00:c1:0:0:0:0:a9fe:0/112'])).not.toContain(oracle);
  for (const cidr of ['2001:db8::/32', '::/1', 'fd00:ec2::100/121', 'fd00:ec3::/32']) expect(blocks(cidr)).toEqual([]);
});

it('without policies every connection is allowed', () => {
  const objects = render(queue());
  expect(find(objects, 'NetworkPolicy')).toBeUndefined();
  expect(allowed(objects, others['another pod']!, pod(objects, 'redis'), 6379)).toBe(true);
});

it('every pod of the chart has a policy, which selects no other', () => {
  const objects = render(queue(plain));
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  for (const component of ['main', 'worker', 'webhook', 'postgresql', 'redis', 'make-secret']) {
    const selecting = policies.filter(({ spec }) => selects(spec.podSelector, pod(objects, component).labels));
    expect(selecting.map(({ metadata }) => metadata.name)).toEqual([`n8n-tuned-${component}`]);
  }
});

it('the policy of the Job is there before the Job', () => {
  const objects = render(queue(plain));
  const { annotations } = find(objects, 'NetworkPolicy', 'n8n-tuned-make-secret').metadata;
  const job = find(objects, 'Job').metadata.annotations;
  expect(annotations['helm.sh/hook']).toBe(job['helm.sh/hook']);
  expect(Number(annotations['helm.sh/hook-weight'])).toBeLessThan(Number(job['helm.sh/hook-weight']));
});
