import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Launch } from '../../../capacity/src/provision/process/supervise.js';
import { clusterLaunch, sharedPortLaunch } from '../../../experiments/src/arrangement/shared-port.js';

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

test('sharedPortLaunch starts all children by one launch: of cluster.cjs, or of PM2 with its own folder', async () => {
  const cwd = folder();
  const arranged = { processes: 3, counts: '' };
  const cluster = await sharedPortLaunch(launchIn(cwd), { ...arranged, arrangement: 'cluster' });
  expect(cluster).toMatchObject({ command: '/bin/node', shared: true });
  expect(cluster.args).toEqual([expect.stringMatching(/cluster\.cjs$/), '3', '/n8n', 'webhook']);

  const pm2 = await sharedPortLaunch(launchIn(cwd), { ...arranged, arrangement: 'pm2' });
  expect(pm2).toMatchObject({ command: '/bin/node', shared: true, environment: { PM2_HOME: join(cwd, 'pm2') } });
  expect(pm2.args).toEqual([expect.stringMatching(/pm2-runtime$/), 'start', join(cwd, 'ecosystem.json')]);
  const { apps } = JSON.parse(readFileSync(join(cwd, 'ecosystem.json'), 'utf8'));
  expect(apps).toEqual([expect.objectContaining({ exec_mode: 'cluster', instances: 3, kill_timeout: 30_000 })]);
  expect(readFileSync(apps[0].script, 'utf8')).toContain('["/n8n","webhook"]');
});

test('each child of cluster.cjs has its own folder, which links to the shared node packages', async () => {
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
  const { args } = clusterLaunch({ ...launchIn(parent), args: [script] }, 2);
  const child = execa(process.execPath, args, { env: { N8N_USER_FOLDER: parent }, reject: false, stdin: 'ignore' });
  let printed = '';
  // Each child ends at once and is forked again.
  for await (const chunk of child.stdout) if ((printed += chunk).split('\n').length > 4) child.kill();
  expect((await child).exitCode).toBe(0);
  expect(printed.trim().split('\n').sort()).toEqual(
    [1, 1, 2, 2].map((number) => `${join(parent, String(number))} here`),
  );
});
