import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import { cli } from './cli.js';

/** Tests the arguments that each command refuses before it starts anything. */

jest.setTimeout(120_000);

const scratch = mkdtempSync(join(tmpdir(), 'refusals-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const EXAMPLE = join(repositoryFolder, 'docs', 'example-run');
const record = join(scratch, 'run');

/** A node of a custom workflow that would send a mail for every request. */
const node = (name: string, type: string, parameters: object) => ({
  ...{ id: name, name, type: `n8n-nodes-base.${type}`, typeVersion: 2, position: [0, 0], parameters },
});
const mail = join(scratch, 'mail.json');
const nodes = [
  { ...node('Webhook', 'webhook', { path: 'order', responseMode: 'lastNode', options: {} }), webhookId: 'order' },
  node('Tell', 'emailSend', {}),
];
const connections = { Webhook: { main: [[{ node: 'Tell', type: 'main', index: 0 }]] } };
writeFileSync(mail, JSON.stringify({ name: 'Order', nodes, connections }));

test.each<[string, string[], string]>([
  ['validate', ['--wrkload', 'x'], '--workload'],
  ['validate', ['--set', 'executions.process=own'], 'executions.process'],
  ['validate', ['--set', 'image.tag=1.90.0'], 'image.tag'],
  ['validate', ['--workflow', mail], 'n8n-nodes-base.emailSend'],
  ['burst', ['--base', '1/s'], '--spike'],
  ['burst', ['--spike', '5/s', '--for', '9s'], '--base'],
  ['burst', ['--base', '5/s', '--spike', '5/s', '--for', '9s'], '--spike'],
  [
    'burst',
    [
      ...['--base', '1/s', '--spike', '5/s', '--for', '9s'],
      ...['--set', 'worker.autoscaling.type=hpa', '--set', 'executions.mode=queue,database.type=postgresql'],
    ],
    'worker.autoscaling',
  ],
  ['soak', ['--rate', '2/s'], '--duration'],
  ['soak', ['--rate', '2/s', '--duration', '73h'], '--duration'],
  ['payload-limit', ['--concurrency', '65'], '--concurrency'],
  ['payload-limit', ['--set', 'main.heap.n8n=100'], 'main.heap.n8n'],
  ['recommend', [scratch], 'run.json'],
  ['recommend', [EXAMPLE, '--cpu-price', '1'], 'sweep'],
  ['recommend', [EXAMPLE, '-o', join(scratch, 'none', 'values.yaml')], 'ENOENT'],
  ['recommend', [], 'place'],
  ['compare', [EXAMPLE, scratch], 'run.json'],
  ['compare', [EXAMPLE], "'B'"],
  ['compare', [EXAMPLE, EXAMPLE, '--noise', '5'], '--noise'],
])('%s %j: exit code 3, and the message names %s', async (command, args, named) => {
  const drives = ['validate', 'burst', 'soak', 'payload-limit'].includes(command);
  const { exitCode, stdout, stderr } = await cli(command, ...args, ...(drives ? ['-o', record] : []));
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toContain(named);
  expect(existsSync(join(record, 'run.json'))).toBe(false);
});

test('validate refuses a port that is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { exitCode, stderr } = await cli('validate', '--port', String(port), '-o', record);
  server.close();
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`--port ${port}`);
});
