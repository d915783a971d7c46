import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, queue, render, type Values } from './render.js';

/** The pod may come a long time after its Job. */
const JOB_MADE = Date.now() - 800_000;

/** An API server that knows Secrets, volume claims and the Job, with optimistic locking, and can be told to answer otherwise first. */
class ApiServer {
  readonly secrets = new Map<string, any>();
  /** Seconds from when each claim was made to when the Job was; a claim waits for a pod before it has a volume. */
  readonly claims = new Map<string, number>();
  claimsPhase = 'Bound';
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
    if (url.includes('/persistentvolumeclaims/')) {
      const age = this.claims.get(name);
      if (age === undefined) return [404, { kind: 'Status', message: 'not found' }];
      const creationTimestamp = new Date(JOB_MADE - age * 1000).toISOString();
      return [200, { metadata: { creationTimestamp }, status: { phase: this.claimsPhase } }];
    }
    if (url.includes('/jobs/')) return [200, { metadata: { creationTimestamp: new Date(JOB_MADE).toISOString() } }];
    const found = this.secrets.get(name);
    if (method === 'GET' && !found) return [404, { kind: 'Status', message: 'not found' }];
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
function run(values: Values = {}): Promise<{ code: number | null; output: string }> {
  const { command, args, env } = find(render(queue(values)), 'Job').spec.template.spec.containers[0];
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
    output: 'Secret n8n-tuned-generated: created with encryption-key, postgresql-password, redis-password\n',
  });
  const values = Object.values(decode(made().data));
  expect(values).toHaveLength(3);
  expect(new Set(values).size).toBe(3);
  for (const value of values) expect(value).toMatch(/^[0-9a-f]{48}$/);
  expect(made().metadata.labels['n8n-tuned.io/release']).toBe('n8n-tuned');
  expect(api.requests.at(-1)).toBe('POST /api/v1/namespaces/automation/secrets Bearer the-token');
});

it('keeps existing keys', async () => {
  await run();
  const before = structuredClone(made().data);
  const { code, output } = await run();
  expect({ code, output }).toEqual({ code: 0, output: 'Secret n8n-tuned-generated: unchanged\n' });
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
  expect(output).toContain('refused to read it with 500: told to say 500; trying again');
  expect(made().data).toBeDefined();
});

it("fails with the API server's message when it keeps refusing", async () => {
  api.failures = Array<number>(20).fill(403);
  const { code, output } = await run();
  expect(code).toBe(1);
  expect(output.trim().split('\n').pop()).toBe(
    'Secret n8n-tuned-generated: the API server refused to read it with 403: told to say 403',
  );
}, 15_000);

it('keeps the Secret that another Job created first', async () => {
  await Promise.all([run(), run(), run()]);
  const before = structuredClone(made().data);
  await run();
  expect(Object.keys(before)).toHaveLength(3);
  expect(made().data).toEqual(before);
  expect(made().metadata.resourceVersion).toBe('1');
}, 15_000);

describe('with data of the release, but without its key', () => {
  const claims = { 'n8n-tuned-main': 3600, 'data-n8n-tuned-postgresql-0': 3600 };
  const lost = async (there: Record<string, number>, values: Values = {}) => {
    for (const [claim, age] of Object.entries(there)) api.claims.set(claim, age);
    return run(values);
  };

  it('makes no Secret, and reports at once which key is missing and how to restore it', async () => {
    const { code, output } = await lost(claims);
    expect(code).toBe(3);
    expect(output).toContain('Secret n8n-tuned-generated: the key encryption-key is missing, but data of this release');
    expect(output).toContain('volume claim n8n-tuned-main, data-n8n-tuned-postgresql-0');
    expect(output).toContain('create secret generic n8n-tuned-generated --from-literal=encryption-key=KEY');
    expect(output).toContain('the key postgresql-password is missing');
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(made()).toBeUndefined();
  });

  it('makes the Secret if the claims are as new as the Job, as when kubectl applies both', async () => {
    const { code } = await lost({ 'n8n-tuned-main': 30, 'data-n8n-tuned-postgresql-0': -20 });
    expect(code).toBe(0);
    expect(Object.keys(made().data)).toHaveLength(3);
  });

  it('makes nothing a minute and a half after the claims were made', async () => {
    expect((await lost({ 'n8n-tuned-main': 90 })).code).toBe(3);
  });

  it('makes the Secret if no claim is bound to a volume yet', async () => {
    api.claimsPhase = 'Pending';
    expect((await lost(claims)).code).toBe(0);
  });

  it('names only the password when only the password is gone', async () => {
    const data = { 'encryption-key': 'b2xk' };
    api.secrets.set('n8n-tuned-generated', { metadata: { resourceVersion: '1' }, data: { ...data } });
    const { code, output } = await lost(claims);
    expect(code).toBe(3);
    expect(output).not.toContain('the key encryption-key');
    expect(output).toContain('postgresql-password');
    expect(made().data).toEqual(data);
  });

  it('adds keys that no volume depends on', async () => {
    const data = { 'encryption-key': 'b2xk', 'postgresql-password': 'b2xk' };
    api.secrets.set('n8n-tuned-generated', { metadata: { resourceVersion: '1' }, data: { ...data } });
    expect((await lost(claims)).output).toContain('added redis-password');
    expect(made().data).toMatchObject(data);
  });

  it('makes a new key where that is accepted, but no new password for a database that has one', async () => {
    const accepted = { encryptionKey: { acceptNewKey: true } };
    expect((await lost({ 'n8n-tuned-main': 3600 }, accepted)).code).toBe(0);
    api.secrets.clear();
    const { code, output } = await lost(claims, accepted);
    expect(code).toBe(3);
    expect(output).not.toContain('the key encryption-key');
  });
});

it('asks for no claim that the chart does not make', () => {
  const own = { main: { persistence: { existingClaim: 'mine' } }, postgresql: { persistence: { enabled: false } } };
  const { env } = find(render(queue(own)), 'Job').spec.template.spec.containers[0];
  expect(env.find((e: any) => e.name === 'SECRET_CLAIMS').value).toBe('{}');
  expect(find(render(queue(own)), 'Role').rules.map((rule: any) => rule.resources[0])).toEqual(['secrets', 'secrets']);
});
