import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const folder = mkdtempSync(join(tmpdir(), 'drain-connections-'));
const draining = join(folder, 'draining');
/** Answers after as many ms as the path says, and like n8n closes its port on SIGTERM and ends somewhat later. */
const SERVER = `
  const { drainConnections } = require(${JSON.stringify(join(import.meta.dirname, 'index.js'))});
  const server = require('node:http').createServer((request, response) =>
    setTimeout(() => response.end('done'), Number(request.url.slice(1))));
  process.once('SIGTERM', () => { server.close(); setTimeout(() => process.exit(), 2000); });
  server.listen(0, '127.0.0.1', () => {
    drainConnections(server, ${JSON.stringify(draining)});
    process.stdout.write(String(server.address().port));
  });`;
let child: ChildProcess;
let ended: Promise<unknown>;
let port: number;
let agent: Agent;

beforeEach(async () => {
  rmSync(draining, { force: true });
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  child = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
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

it('keeps connections open until preStop has begun, and closes each with its next answer from then on', async () => {
  expect([await request(), await request()]).toEqual(['keep-alive', 'keep-alive']);
  writeFileSync(draining, '');
  // The file is looked at ten times a second.
  await sleep(150);
  expect([await request(), await request()]).toEqual(['close', 'close']);
});

it('ignores the draining file of an earlier container', async () => {
  writeFileSync(draining, '');
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(draining, anHourAgo, anHourAgo);
  expect(await request()).toBe('keep-alive');
});

it('closes the connection of a request that was under way when n8n was asked to end', async () => {
  const underWay = request(500);
  await sleep(100);
  child.kill('SIGTERM');
  expect(await underWay).toBe('close');
  // Without the hook this would still be answered, by an n8n whose database is closed.
  await expect(request()).rejects.toThrow('ECONNREFUSED');
});
