import { env, find, type Manifest, queue, render, type Values } from './render.js';

/** Which component answers a path, by how a controller matches prefixes: the longest that matches wins. */
type Route = { path: string; service: string };
const bySegment = ({ path }: Route, asked: string): boolean =>
  path === '/' || asked === path || asked.startsWith(`${path}/`);
const byCharacter = ({ path }: Route, asked: string): boolean => asked.startsWith(path);

function component(routes: Route[], asked: string, matches: typeof bySegment): string {
  const [longest] = routes.filter((r) => matches(r, asked)).sort((a, b) => b.path.length - a.path.length);
  return longest!.service.replace('n8n-tuned-', '');
}

const ingressRoutes = (objects: Manifest[], host = 0): Route[] =>
  find(objects, 'Ingress').spec.rules[host].http.paths.map((p: Manifest) => ({
    path: p.path,
    service: p.backend.service.name,
  }));
const gatewayRoutes = (objects: Manifest[]): Route[] =>
  find(objects, 'HTTPRoute').spec.rules.flatMap((rule: Manifest) =>
    rule.matches.map((m: Manifest) => ({ path: m.path.value, service: rule.backendRefs[0].name })),
  );

const behind: Values = {
  ingress: { enabled: true, hosts: ['n8n.example.com', 'hooks.example.com'] },
  gateway: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['n8n.example.com'] },
};
/** What n8n serves (read: abstract-server.js, server.js and webhook-server.js of 2.41.1), and who does in queue mode. */
const served: [path: string, component: 'main' | 'webhook'][] = [
  ['/webhook/orders', 'webhook'],
  ['/webhook/5e0e/orders/17', 'webhook'],
  ['/webhook-waiting/17', 'webhook'],
  ['/webhook-waiting/17/approve', 'webhook'],
  ['/webhook-waiting-slack', 'webhook'],
  ['/webhook-waiting-telegram', 'webhook'],
  ['/form/contact', 'webhook'],
  ['/form-waiting/17', 'webhook'],
  ['/mcp/tools/sse', 'webhook'],
  ['/webhook-test/orders', 'main'],
  ['/form-test/contact', 'main'],
  ['/mcp-test/tools', 'main'],
  ['/mcp-server/http', 'main'],
  ['/mcp-oauth/authorize', 'main'],
  ['/', 'main'],
  ['/rest/login', 'main'],
  ['/rest/webhook/x', 'main'],
  ['/api/v1/workflows', 'main'],
  ['/workflow/17', 'main'],
  ['/assets/index.js', 'main'],
  ['/chat', 'main'],
  ['/healthz', 'main'],
];

const inQueueMode = render(queue(behind));
describe.each([
  ['Ingress', ingressRoutes(inQueueMode)],
  ['Ingress, second host', ingressRoutes(inQueueMode, 1)],
  ['HTTPRoute', gatewayRoutes(inQueueMode)],
])('%s', (_, routes) => {
  it.each(served)('%s goes to %s', (path, expected) => {
    expect(component(routes, path, bySegment)).toBe(expected);
    expect(component(routes, path, byCharacter)).toBe(expected);
  });
});

it.each([
  ['regular mode', {}],
  ['queue mode without webhook processors', queue({ webhook: { replicas: 0 } })],
])('%s: main serves everything', (_, values) => {
  const objects = render({ ...values, ...behind });
  for (const routes of [ingressRoutes(objects), gatewayRoutes(objects)]) {
    expect(routes).toEqual([{ path: '/', service: 'n8n-tuned-main' }]);
  }
});

it('the routes lead to ports that the Services have', () => {
  const ports = (name: string) => find(inQueueMode, 'Service', name).spec.ports;
  for (const { backend } of find(inQueueMode, 'Ingress').spec.rules[0].http.paths) {
    expect(ports(backend.service.name)).toContainEqual(expect.objectContaining({ name: backend.service.port.name }));
  }
  for (const { backendRefs } of find(inQueueMode, 'HTTPRoute').spec.rules) {
    expect(ports(backendRefs[0].name)).toContainEqual(expect.objectContaining({ port: backendRefs[0].port }));
  }
});

it('absent unless asked for', () => {
  const kinds = render(queue()).map(({ kind }) => kind);
  expect(kinds).not.toContain('Ingress');
  expect(kinds).not.toContain('HTTPRoute');
});

it('class, annotations and TLS', () => {
  const tls = [{ secretName: 'cert', hosts: ['n8n.example.com'] }];
  const ingress = { enabled: true, className: 'nginx', annotations: { a: 'b' }, hosts: ['n8n.example.com'], tls };
  const { metadata, spec } = find(render({ ingress }), 'Ingress');
  expect(metadata.annotations).toEqual({ a: 'b' });
  expect(spec).toMatchObject({ ingressClassName: 'nginx', tls });
});

it('parents and host names of the HTTPRoute', () => {
  const parentRefs = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }];
  const gateway = { enabled: true, parentRefs, hostnames: ['n8n.example.com'], annotations: { a: 'b' } };
  const { metadata, spec } = find(render({ gateway }), 'HTTPRoute');
  expect(metadata.annotations).toEqual({ a: 'b' });
  expect(spec).toMatchObject({ parentRefs, hostnames: ['n8n.example.com'] });
});

describe('webhooks in public and the editor in private', () => {
  const host = 'hooks.example.com';
  const apart: Values = {
    ingress: {
      enabled: true,
      className: 'internal',
      hosts: ['n8n.internal'],
      webhooks: {
        enabled: true,
        className: 'public',
        annotations: { a: 'b' },
        hosts: [host],
        tls: [{ hosts: [host] }],
      },
    },
    gateway: { webhooks: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: [host] } },
  };
  const answers = ['/webhook-waiting-slack', '/webhook-waiting-telegram'];
  const production = ['/chat', '/form', '/form-waiting', '/mcp', '/webhook', '/webhook-waiting', ...answers];

  it.each([
    ['queue mode', queue(apart), 'n8n-tuned-webhook'],
    ['regular mode', apart, 'n8n-tuned-main'],
  ])('%s', (_mode, values, service) => {
    const objects = render(values);
    const open = find(objects, 'Ingress', 'n8n-tuned-webhooks');
    expect(open.metadata.annotations).toEqual({ a: 'b' });
    expect(open.spec).toMatchObject({ ingressClassName: 'public', tls: [{ hosts: [host] }] });
    const [{ http }] = open.spec.rules;
    expect(http.paths.map(({ path }: Manifest) => path).sort()).toEqual(production);
    for (const { path, backend } of http.paths)
      expect([path, backend.service.name]).toEqual([path, path === '/chat' ? 'n8n-tuned-main' : service]);
    const route = find(objects, 'HTTPRoute', 'n8n-tuned-webhooks');
    expect(route.spec.rules.map(({ matches }: Manifest) => matches[0].path.value).sort()).toEqual(production);
    const closed = find(objects, 'Ingress', 'n8n-tuned');
    expect(closed.spec.ingressClassName).toBe('internal');
    expect(closed.spec.rules.map((rule: Manifest) => rule.host)).toEqual(['n8n.internal']);
    expect(env(objects, 'main')).toMatchObject({
      WEBHOOK_URL: `https://${host}/`,
      N8N_EDITOR_BASE_URL: 'http://n8n.internal/',
      N8N_PROXY_HOPS: '1',
    });
    // n8n would show the URLs of its tests below it, and this host does not serve them.
    expect(env(objects, 'main')).not.toHaveProperty('N8N_WEBHOOK_URL');
  });
});

describe('the address that n8n announces', () => {
  const tls = [{ hosts: ['*.example.com'] }];
  const hosts = ['n8n.example.com'];
  const gateway = { enabled: true, parentRefs: [{ name: 'g' }], hostnames: hosts };
  it.each<[string, Values, string | undefined]>([
    ['none without a host', {}, undefined],
    ['as given', { webhookUrl: 'https://x.example.com/' }, 'https://x.example.com/'],
    ['http of an Ingress without TLS', { ingress: { enabled: true, hosts } }, 'http://n8n.example.com/'],
    ['https of one with it', { ingress: { enabled: true, hosts, tls } }, 'https://n8n.example.com/'],
    ['https of a Gateway', { gateway }, 'https://n8n.example.com/'],
    [
      'the first host that is no wildcard',
      { ingress: { enabled: true, hosts: ['*.example.com', 'b.example.com'], tls } },
      'https://b.example.com/',
    ],
    [
      'as given, under a wildcard',
      { ingress: { enabled: true, hosts: ['*.example.com'] }, webhookUrl: 'https://a.example.com' },
      'https://a.example.com',
    ],
    ['none of an Ingress that is off', { ingress: { hosts } }, undefined],
  ])('%s', (_name, values, url) => {
    const objects = render(queue(values));
    for (const name of ['main', 'worker', 'webhook'] as const) {
      expect(env(objects, name).N8N_WEBHOOK_URL).toBe(url);
    }
  });

  it.each<[string, Values, string | undefined]>([
    ['no proxy', {}, undefined],
    ['an Ingress', { ingress: { enabled: true, hosts } }, '1'],
    ['a Gateway', { gateway }, '1'],
    ['a load balancer before the Ingress', { ingress: { enabled: true, hosts }, proxyHops: 2 }, '2'],
    ['one of your own', { proxyHops: 1 }, '1'],
    ['an n8n that does not read it', { image: { tag: '0.221.2' }, ingress: { enabled: true, hosts } }, undefined],
  ])('proxies: %s', (_name, values, hops) => {
    expect(env(render(values), 'main').N8N_PROXY_HOPS).toBe(hops);
  });
});

describe('Services', () => {
  const spec = (values: Values, component: string) => find(render(values), 'Service', `n8n-tuned-${component}`);

  it.each(['main', 'webhook'])('of %s: type, node port, annotations, affinity', (name) => {
    const service = {
      ...{ type: 'NodePort', nodePort: 30678, externalTrafficPolicy: 'Local' },
      ...{ annotations: { a: 'b' }, sessionAffinity: 'ClientIP' },
    };
    const rendered = spec(queue({ [name]: { service } }), name);
    expect(rendered.metadata.annotations).toEqual({ a: 'b' });
    expect(rendered.spec).toMatchObject({
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      sessionAffinity: 'ClientIP',
      ports: [{ nodePort: 30678 }],
    });
  });

  it('are inside the cluster and without affinity by default', () => {
    for (const name of ['main', 'webhook']) {
      const { type, sessionAffinity } = spec(queue(), name).spec;
      expect({ type, sessionAffinity }).toEqual({ type: 'ClusterIP', sessionAffinity: undefined });
    }
  });

  it('of several mains keep the editor at one of them', () => {
    const license = { existingSecret: 'licence' };
    const multiMain = { enabled: true };
    const persistence = { enabled: false };
    const mains = queue({ multiMain, license, main: { persistence } });
    expect(spec(mains, 'main').spec.sessionAffinity).toBe('ClientIP');
    expect(spec(mains, 'webhook').spec.sessionAffinity).toBeUndefined();
    const off = queue({ multiMain, license, main: { persistence, service: { sessionAffinity: 'None' } } });
    expect(spec(off, 'main').spec.sessionAffinity).toBe('None');
  });
});
