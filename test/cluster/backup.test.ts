import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import type { Values } from '../chart/render.js';
import { eventually } from './support/eventually.js';
import { Reader } from './support/reader.js';
import { Release } from './support/release.js';

jest.setTimeout(900_000);

const file = fileURLToPath(new URL('../../docs/chart/backup.md', import.meta.url));
/** The document's commands by the comment above them. */
const blocks = new Map(
  [...readFileSync(file, 'utf8').matchAll(/<!-- (.+) -->\n+```sh\n([^]*?)\n```/g)].map(([, name, code]) => [
    name!,
    code!,
  ]),
);
const ran = new Set<string>();

const reader = new Reader();
let release: Release;
afterAll(async () => {
  await release?.delete();
  reader.end();
});

// Each test goes on where the one before ended.
let failed = false;
const step = (name: string, work: () => Promise<void>) =>
  test(name, async () => {
    if (failed) throw new Error('an earlier step has failed');
    failed = true;
    await work();
    failed = false;
  });

/** Runs commands of the document. */
async function run(...names: string[]): Promise<void> {
  for (const name of names) {
    const code = blocks.get(name);
    if (!code) throw new Error(`${file} has no commands <!-- ${name} -->`);
    ran.add(name);
    await reader.run(code, release.namespace);
  }
}

const TOKEN = 'only-who-can-decrypt-knows';
const credential = [
  { id: '3000000000000001', name: 'backup', type: 'httpHeaderAuth', data: { name: 'x-token', value: TOKEN } },
];
const workflow = {
  id: '3000000000000002',
  name: 'backup',
  active: false,
  settings: {},
  connections: {},
  nodes: [
    {
      id: '8d3f4c0e-3c0f-4a2b-9a51-0c8f4f3b1d01',
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 1,
      position: [0, 0],
      webhookId: '8d3f4c0e-3c0f-4a2b-9a51-0c8f4f3b1d02',
      parameters: { path: 'backup', httpMethod: 'GET', responseMode: 'onReceived', authentication: 'headerAuth' },
      credentials: { httpHeaderAuth: { id: credential[0]!.id, name: 'backup' } },
    },
  ],
};

/** n8n's own command in main, with a file that it reads. */
async function n8n(command: string, input: unknown = ''): Promise<string> {
  const script = `cat > ~/.n8n/input.json && n8n ${command}; code=$?; rm -f ~/.n8n/input.json; exit $code`;
  return release.namespace.exec('deployment/n8n-tuned-main', ['sh', '-c', script], JSON.stringify(input));
}

/** The webhook answers with the credential's token and not without: so n8n has the workflow, active, and decrypts. */
async function works(): Promise<void> {
  const url = `${release.url('main')}/webhook/backup`;
  await eventually('the webhook answers', 60, async () => {
    const answer = await release.client.request(url, { 'x-token': TOKEN });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer));
    return true;
  });
  expect((await release.client.request(url, { 'x-token': 'wrong' })).status).toBe(403);
}

const sqlite: Values = {};
const postgresql: Values = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  postgresql: { image: { tag: '18' } },
  worker: { replicas: 1 },
  webhook: { replicas: 0 },
};

/** The release is gone with its namespace, and another one has its key. */
async function startAnew(values: Values): Promise<void> {
  await release.uninstall();
  await release.delete();
  release = await Release.create('backup');
  await run('encryption-key: restore');
  await release.install(values);
}

step('SQLite: the folder survives the namespace', async () => {
  release = await Release.create('backup');
  await release.install(sqlite);
  await n8n('import:credentials --input="$HOME/.n8n/input.json"', credential);
  await n8n('import:workflow --input="$HOME/.n8n/input.json"', [workflow]);
  await n8n(`publish:workflow --id=${workflow.id}`);

  await run('encryption-key: back up', 'stop', 'folder: open', 'folder: back up', 'folder: close', 'start');
  await works();
  const key = await release.encryptionKey();
  await startAnew(sqlite);
  expect(await release.encryptionKey()).toBe(key);
  await run('stop', 'folder: open', 'folder: restore', 'folder: close', 'start');
  await works();
});

step('from SQLite to PostgreSQL: workflows and credentials come along', async () => {
  await run('move: export');
  await release.upgrade(postgresql);
  await run('move: import', 'stop', 'start');
  await works();
});

step('PostgreSQL: the database survives the namespace', async () => {
  await run('encryption-key: back up', 'postgresql: back up');
  await startAnew(postgresql);
  await run('stop', 'postgresql: restore', 'start');
  await works();
});

test('every command of the document was run', () => {
  expect([...ran].sort()).toEqual([...blocks.keys()].sort());
});
