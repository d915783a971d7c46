import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handler = (request: unknown, response: { send: (body: object) => void }) => void;
interface Context {
  app?: { get: (path: string, handler: Handler) => void };
  server?: Server;
}
const hook = createRequire(import.meta.url)('./index.js') as {
  isOn: (env: Record<string, string>) => boolean;
  bind: (context: Context, env: Record<string, string>) => void;
};
const env = { N8N_TUNED_READINESS_PATH: '/healthz/routes' };

test('is on where the chart names a path', () => {
  expect([hook.isOn(env), hook.isOn({})]).toEqual([true, false]);
});

test('n8n answers on the path from now on', () => {
  const routes = new Map<string, Handler>();
  hook.bind({ app: { get: (path, handler) => void routes.set(path, handler) } }, env);
  const sent: object[] = [];
  routes.get('/healthz/routes')!({}, { send: (body) => void sent.push(body) });
  expect(sent).toEqual([{ status: 'ok' }]);
});

test('without an Express app the server answers, and n8n everything else', async () => {
  const server = createServer((_, response) => response.end('n8n'));
  hook.bind({ server }, env);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const text = async (path: string) => {
    const [response] = (await once(get({ port, path, agent: false }), 'response')) as [AsyncIterable<Buffer>];
    let body = '';
    for await (const chunk of response) body += chunk.toString();
    return body;
  };
  try {
    expect(await text('/healthz/routes?a')).toBe('{"status":"ok"}');
    expect(await text('/healthz')).toBe('n8n');
  } finally {
    server.close();
  }
});

test('without both it says so', () => expect(() => hook.bind({}, env)).toThrow(TypeError));
