import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chart, container, env, find, helmOutput, objectsOf, podSpec, queue, render } from './render.js';

describe('external hooks', () => {
  it.each(['main', 'webhook', 'worker'] as const)('are in %s', (component) => {
    const objects = render(queue());
    expect(env(objects, component).EXTERNAL_HOOK_FILES).toBe('/opt/n8n-tuned/hooks.js');
    expect(container(objects, component).volumeMounts).toContainEqual({
      name: 'hooks',
      mountPath: '/opt/n8n-tuned',
      readOnly: true,
    });
    expect(podSpec(objects, component).volumes).toContainEqual({
      name: 'hooks',
      configMap: { name: 'n8n-tuned-hooks' },
    });
    const { data } = find(objects, 'ConfigMap', 'n8n-tuned-hooks');
    const files = readdirSync(join(chart, 'files/hooks'));
    expect(Object.keys(data)).toEqual(files.sort());
    for (const name of files) expect(data[name]).toBe(readFileSync(join(chart, 'files/hooks', name), 'utf8'));
  });

  it('change the pods when they change: a process keeps the code that it started with', () => {
    const copy = mkdtempSync(join(tmpdir(), 'chart-'));
    try {
      cpSync(chart, copy, { recursive: true, dereference: true });
      const digests = () =>
        objectsOf(helmOutput(['template', 'n8n-tuned', copy], queue()))
          .filter(({ kind }) => kind === 'Deployment')
          .map(({ spec }) => spec.template.metadata.annotations['checksum/hooks'] as string);
      const before = digests();
      appendFileSync(join(copy, 'files/hooks/http.js'), '// changed\n');
      const after = digests();
      expect(before).toHaveLength(3);
      expect(after).toHaveLength(3);
      for (const digest of after) expect(before).not.toContain(digest);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it('leave those alone who have their own', () => {
    const extraEnv = [{ name: 'EXTERNAL_HOOK_FILES', value: '/hooks/mine.js' }];
    const expressionEngine = { lazyCharacterTable: false, fullCodeCache: false };
    const objects = render(queue({ webhook: { extraEnv }, expressionEngine }));
    const { env: variables, volumeMounts } = container(objects, 'webhook');
    expect(variables.filter(({ name }: { name: string }) => name === 'EXTERNAL_HOOK_FILES')).toEqual(extraEnv);
    expect(JSON.stringify(volumeMounts)).not.toContain('hooks');
  });
});

describe('connection draining', () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-hooks-'));
  const draining = join(folder, 'draining');
  /** Answers after as many ms as the path says, and like n8n closes its port on SIGTERM and ends somewhat later. */
  const server = `
    const hooks = require(${JSON.stringify(join(folder, 'hooks.js'))});
    const server = require('node:http').createServer((request, response) =>
      setTimeout(() => response.end('done'), Number(request.url.slice(1))));
    process.once('SIGTERM', () => { server.close(); setTimeout(() => process.exit(), 2000); });
    server.listen(0, '127.0.0.1', () => {
      for (const ready of hooks.n8n.ready) ready({ server });
      process.stdout.write(String(server.address().port));
    });`;
  let child: ChildProcess;
  let ended: Promise<unknown>;
  let port: number;
  let agent: Agent;

  beforeEach(async () => {
    cpSync(join(chart, 'files/hooks'), folder, { recursive: true });
    const hooks = readFileSync(join(folder, 'hooks.js'), 'utf8').replace('/tmp/draining', draining);
    writeFileSync(join(folder, 'hooks.js'), hooks);
    rmSync(draining, { force: true });
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
    child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] });
    ended = once(child, 'exit');
    port = await new Promise((resolve) => child.stdout!.once('data', (line) => resolve(Number(line))));
  });
  afterEach(async () => {
    agent.destroy();
    child.kill('SIGKILL');
    await ended;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const request = (ms = 0) =>
    new Promise<string | undefined>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: `/${ms}`, agent }, (response) => {
        response.resume().on('end', () => resolve(response.headers.connection));
      }).on('error', reject);
    });

  it('keeps connections open until preStop has begun, and lets none be used again after that', async () => {
    expect([await request(), await request()]).toEqual(['keep-alive', 'keep-alive']);
    writeFileSync(draining, '');
    // The file is looked at ten times a second.
    await sleep(150);
    expect([await request(), await request()]).toEqual(['close', 'close']);
  });

  it('does not take the file of an earlier container for its own', async () => {
    writeFileSync(draining, '');
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(draining, anHourAgo, anHourAgo);
    expect(await request()).toBe('keep-alive');
  });

  it('closes the connection of a request that was under way when n8n was asked to end', async () => {
    const underWay = request(500);
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill('SIGTERM');
    expect(await underWay).toBe('close');
    // Without the hook this would still be answered, by an n8n whose database is closed.
    await expect(request()).rejects.toThrow('ECONNREFUSED');
  });
});
