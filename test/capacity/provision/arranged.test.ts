import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { checkArranged } from '../../../capacity/src/provision/arranged/check.js';
import { treesOf } from '../../../capacity/src/provision/arranged/arrangement.js';
import { counting, readCounts } from '../../../capacity/src/provision/arranged/counts.js';
import { iptablesRules } from '../../../capacity/src/provision/arranged/iptables.js';
import { nginxConfig } from '../../../capacity/src/provision/arranged/nginx-config.js';
import { inCluster, onSharedPort } from '../../../capacity/src/provision/arranged/shared-port.js';
import type { Launch } from '../../../capacity/src/provision/process/supervise.js';

const folder = () => mkdtempSync(join(tmpdir(), 'arranged-'));

const launchIn = (cwd: string): Launch => ({
  name: 'webhook-0',
  component: 'webhook',
  command: '/bin/node',
  args: ['/n8n', 'webhook'],
  environment: { N8N_PORT: '1' },
  cwd,
  logFile: join(cwd, 'log'),
  graceSeconds: 30,
});

test('of N processes the first takes every Nth connection, the next every (N-1)th of the rest, the last what is left', () => {
  const to = (every: string, port: number) =>
    `-d 127.0.0.1 -p tcp --dport 80${every} -j REDIRECT --to-ports ${port}`.split(' ');
  expect(iptablesRules(80, [1, 2, 3])).toEqual([
    to(' -m statistic --mode nth --every 3 --packet 0', 1),
    to(' -m statistic --mode nth --every 2 --packet 0', 2),
    to('', 3),
  ]);
});

test('nginx: one worker, requests in turn over connections that are kept, nothing retried', () => {
  const config = nginxConfig({ port: 80, ports: [1, 2], folder: '/scratch' });
  expect(config).toMatch(/^daemon off;\nworker_processes 1;/);
  expect(config).toContain('    server 127.0.0.1:1 max_fails=0;\n    server 127.0.0.1:2 max_fails=0;\n');
  for (const line of ['listen 127.0.0.1:80', 'keepalive 512;', 'proxy_next_upstream off;', 'error_log stderr;'])
    expect(config).toContain(line);
  expect(nginxConfig({ port: 80, ports: [1], folder: '/scratch', user: 'root' })).toMatch(/^user root;\n/);
});

test('one launch becomes all children: of cluster.cjs, or of PM2 in a folder of its own', async () => {
  const cwd = folder();
  const arranged = { processes: 3, counts: '' };
  const cluster = await onSharedPort(launchIn(cwd), { ...arranged, arrangement: 'cluster' });
  expect(cluster).toMatchObject({ command: '/bin/node', shared: true });
  expect(cluster.args).toEqual([expect.stringMatching(/cluster\.cjs$/), '3', '/n8n', 'webhook']);

  const pm2 = await onSharedPort(launchIn(cwd), { ...arranged, arrangement: 'pm2' });
  expect(pm2).toMatchObject({ command: '/bin/node', shared: true, environment: { PM2_HOME: join(cwd, 'pm2') } });
  expect(pm2.args).toEqual([expect.stringMatching(/pm2-runtime$/), 'start', join(cwd, 'ecosystem.json')]);
  const { apps } = JSON.parse(readFileSync(join(cwd, 'ecosystem.json'), 'utf8'));
  expect(apps).toEqual([expect.objectContaining({ exec_mode: 'cluster', instances: 3, kill_timeout: 30_000 })]);
  expect(readFileSync(apps[0].script, 'utf8')).toContain('["/n8n","webhook"]');
});

test('children of cluster.cjs have folders of their own, with the nodes of the one that they share', async () => {
  const parent = folder();
  mkdirSync(join(parent, '.n8n', 'nodes'), { recursive: true });
  writeFileSync(join(parent, '.n8n', 'nodes', 'mark'), 'here');
  const script = join(parent, 'script.cjs');
  writeFileSync(
    script,
    `const { readFileSync } = require('node:fs'), home = process.env.N8N_USER_FOLDER;
     console.log(home + ' ' + readFileSync(home + '/.n8n/nodes/mark', 'utf8'));
     process.exit();`,
  );
  const { args } = inCluster({ ...launchIn(parent), args: [script] }, 2);
  const child = execa(process.execPath, args, { env: { N8N_USER_FOLDER: parent }, reject: false, stdin: 'ignore' });
  let printed = '';
  // Each ends at once, and is forked again.
  for await (const chunk of child.stdout) if ((printed += chunk).split('\n').length > 4) child.kill();
  expect((await child).exitCode).toBe(0);
  expect(printed.trim().split('\n').sort()).toEqual(
    [1, 1, 2, 2].map((number) => `${join(parent, String(number))} here`),
  );
});

test('processes that share a port are one process tree', () => {
  const trees = (arrangement: 'turns' | 'cluster') => treesOf({ arrangement, processes: 3 });
  expect([trees('turns'), trees('cluster')]).toEqual([3, 1]);
});

test('requests are counted beside what NODE_OPTIONS says already', () => {
  const given = counting({ NODE_OPTIONS: '--max-old-space-size=512', A: 'b' }, '/counts');
  expect(given).toMatchObject({ A: 'b', COUNT_FOLDER: '/counts' });
  expect(given.NODE_OPTIONS).toMatch(/^--max-old-space-size=512 --require ".*count-requests\.cjs"$/);
  expect(counting({}, '/counts').NODE_OPTIONS).toMatch(/^--require "/);
});

test('counts are read by process id', async () => {
  const counts = folder();
  writeFileSync(join(counts, '12'), '345');
  writeFileSync(join(counts, 'other'), 'x');
  expect(await readCounts(counts)).toEqual(new Map([[12, 345]]));
});

test.each([
  ['one', 2, '2 processes: not possible in the arrangement "one"; give 1.'],
  ['turns', 0, '0 processes: not possible in the arrangement "turns"; give 1 to 99.'],
  ['iptables', 2, /"iptables" changes rules of the network/],
] as const)('%s with %d processes is refused', (arrangement, processes, message) => {
  expect(() => checkArranged({ arrangement, processes, counts: '' })).toThrow(message);
});
