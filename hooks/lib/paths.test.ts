import { createRequire } from 'node:module';

type Env = Record<string, string | undefined>;
const { pathKey, productionPaths, webhookPaths } = createRequire(import.meta.url)('./paths.js') as {
  pathKey: (url: string, kind: 'begins' | 'resumes') => string;
  productionPaths: (env: Env) => (url: string) => 'begins' | 'resumes' | undefined;
  webhookPaths: (env: Env) => (url: string) => boolean;
};

describe('production paths', () => {
  const kindOf = productionPaths({ N8N_ENDPOINT_WEBHOOK: 'hooks' });
  it.each([
    ['/hooks/a', 'begins'],
    ['/HOOKS/a?b=c', 'begins'],
    ['/form/x', 'begins'],
    ['/mcp/x/sse', 'begins'],
    ['http://n8n/hooks/a', 'begins'],
    ['ftp://n8n/hooks/a', 'begins'],
    ['/hooks\\a', 'begins'],
    // Node's url.parse takes a@b for a host here.
    ['//a@b/hooks/a#', 'begins'],
    ['/\\a@b/hooks/a#', 'begins'],
    ['/webhook-waiting/1', 'resumes'],
    ['/form-waiting/1', 'resumes'],
    ['/webhook-waiting-slack', 'resumes'],
    ['/webhook-waiting-telegram/?a=b', 'resumes'],
  ])('%s %s an execution', (url, kind) => expect(kindOf(url)).toBe(kind));
  it.each([
    '/',
    '/webhook/a',
    '/webhook-test/a',
    '/webhook-waiting-other',
    '/form-test/a',
    '/rest/login',
    '/healthz',
    '/metrics',
    '/api/v1/workflows',
  ])('%s is no production path', (url) => expect(kindOf(url)).toBeUndefined());
});

describe('what requests share places by', () => {
  it('a path of a million slashes takes no time', () => {
    expect(pathKey(`/webhook/${'/'.repeat(1_000_000)}x`, 'begins')).toBe(`/webhook${'/'.repeat(248)}`);
    expect(pathKey(`/webhook/a${'/'.repeat(1_000_000)}`, 'begins')).toBe('/webhook/a');
  });

  it.each([
    ['/webhook/orders', '/webhook/orders'],
    ['/webhook/orders/?a=b', '/webhook/orders'],
    ['/webhook/ord%65rs', '/webhook/orders'],
    ['/webhook/orders/new', '/webhook/orders/new'],
    ['/webhook/5f9b3c1e-0000-4000-8000-00000000abcd/orders/7', '/webhook/5f9b3c1e-0000-4000-8000-00000000abcd'],
    ['/webhook/5f9b3c1e-0000-4000-8000-00000000abcd/orders/8', '/webhook/5f9b3c1e-0000-4000-8000-00000000abcd'],
    ['/webhook/%E0%A4%A', '/webhook/%e0%a4%a'],
  ])('%s: %s', (url, key) => expect(pathKey(url, 'begins')).toBe(key));
  it('requests that resume executions: all alike', () =>
    expect(pathKey('/webhook-waiting/7', 'resumes')).toBe(pathKey('/form-waiting/8', 'resumes')));
});

test('paths of webhooks are those of production and of tests', () => {
  const isWebhook = webhookPaths({ N8N_ENDPOINT_FORM_TEST: 'tryout' });
  const all = [
    '/webhook/a',
    '/webhook-test/a',
    '/webhook-waiting/1',
    '/webhook-waiting-slack',
    '/form/a',
    '/tryout/a',
    '/mcp/a',
    '/mcp-test/a',
  ];
  expect(all.filter((url) => !isWebhook(url))).toEqual([]);
  expect(['/rest/login', '/form-test/a', '/', '/healthz'].filter(isWebhook)).toEqual([]);
});
