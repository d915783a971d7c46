import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, queue, render } from './render.js';

/** An API server that knows Secrets, with optimistic locking, and can be told to answer otherwise first. */
class ApiServer {
  readonly secrets = new Map<string, any>();
  readonly requests: string[] = [];
  /** Status codes with which the next requests are answered, whatever they ask. */
  failures: number[] = [];
  private server!: Server;

  async listen(key: Buffer, cert: Buffer): Promise<number> {
    this.server = createServer({ key, cert }, (request, response) => {
      let text = '';
      request.on('data', (part) => (text += part));
      request.on('end', () => {
        this.requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        const [status, body] = this.answer(request.method!, request.url!, text ? JSON.parse(text) : undefined);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  private answer(method: string, url: string, body: any): [number, any] {
    const failure = this.failures.shift();
    if (failure) return [failure, { kind: 'Status', message: `told to say ${failure}` }];
    const name = method === 'POST' ? body.metadata.name : url.split('/').pop()!;
    const found = this.secrets.get(name);
    if (method === 'POST') {
      if (found) return [409, { kind: 'Status', message: 'already exists' }];
      body.metadata.resourceVersion = '1';
      this.secrets.set(name, body);
      return [201, body];
    }
    if (method === 'PATCH') {
      if (body.metadata.resourceVersion !== found.metadata.resourceVersion) return [409, { kind: 'Status' }];
      found.metadata.resourceVersion = String(Number(found.metadata.resourceVersion) + 1);
      Object.assign((found.data ??= {}), body.data);
    }
    return [200, found];
  }

  close = () => new Promise((resolve) => this.server.close(resolve));
}

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-secret-'));
const [key, cert] = [join(folder, 'key.pem'), join(folder, 'ca.crt')];
let api: ApiServer;
let port: number;

beforeAll(() => {
  const subject = ['-subj', '/CN=api', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const out = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...out], { stdio: 'pipe' });
  writeFileSync(join(folder, 'token'), 'the-token\n');
  writeFileSync(join(folder, 'namespace'), 'automation');
});
beforeEach(async () => {
  api = new ApiServer();
  port = await api.listen(readFileSync(key), readFileSync(cert));
});
afterEach(() => api.close());
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the Job's container as the kubelet would, against the stub. */
function run(): Promise<{ code: number | null; output: string }> {
  const { command, args, env } = find(render(queue()), 'Job').spec.template.spec.containers[0];
  const rendered = Object.fromEntries(env.map((e: any) => [e.name, e.value]));
  const child = spawn(process.execPath, [...command.slice(1), ...args], {
    env: {
      ...rendered,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(port),
      TOKEN_DIR: folder,
    },
  });
  let output = '';
  child.stdout.on('data', (part) => (output += part));
  child.stderr.on('data', (part) => (output += part));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

const made = () => api.secrets.get('n8n-tuned-generated');
const decode = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v, 'base64').toString()]));

it('makes the Secret with all keys, and prints none of their values', async () => {
  const { code, output } = await run();
  expect({ code, output }).toEqual({
    code: 0,
    output: 'Secret n8n-tuned-generated: made with encryption-key, postgresql-password, redis-password\n',
  });
  const values = Object.values(decode(made().data));
  expect(values).toHaveLength(3);
  expect(new Set(values).size).toBe(3);
  for (const value of values) expect(value).toMatch(/^[0-9a-f]{48}$/);
  expect(made().metadata.labels['app.kubernetes.io/instance']).toBe('n8n-tuned');
  expect(api.requests[0]).toBe('POST /api/v1/namespaces/automation/secrets Bearer the-token');
});

it('keeps what is there', async () => {
  await run();
  const before = structuredClone(made().data);
  const { code, output } = await run();
  expect({ code, output }).toEqual({ code: 0, output: 'Secret n8n-tuned-generated: kept as it is\n' });
  expect(made().data).toEqual(before);
});

it('adds only the keys that are missing', async () => {
  const kept = Buffer.from('mine').toString('base64');
  api.secrets.set('n8n-tuned-generated', { metadata: { resourceVersion: '7' }, data: { 'encryption-key': kept } });
  const { code, output } = await run();
  expect({ code, output }).toEqual({
    code: 0,
    output: 'Secret n8n-tuned-generated: added postgresql-password, redis-password\n',
  });
  expect(made().data['encryption-key']).toBe(kept);
  expect(Object.keys(made().data)).toHaveLength(3);
});

it('asks again when the API server fails, or the rights are not there yet', async () => {
  api.failures = [500, 403];
  const { code, output } = await run();
  expect(code).toBe(0);
  expect(output).toContain('refused to create it with 500: told to say 500; trying again');
  expect(made().data).toBeDefined();
});

it('ends with what the API server said when it keeps refusing', async () => {
  api.failures = Array<number>(20).fill(403);
  const { code, output } = await run();
  expect(code).toBe(1);
  expect(output.trim().split('\n').pop()).toBe(
    'Secret n8n-tuned-generated: the API server refused to create it with 403: told to say 403',
  );
}, 15_000);
