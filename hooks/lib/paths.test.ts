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
