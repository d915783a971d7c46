'use strict';
/** node cluster.cjs <processes> <script> [args…]: runs the script in several processes that share its ports. */
const cluster = require('node:cluster');
const { mkdirSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

const [processes, script, ...args] = process.argv.slice(2);
/** Milliseconds before an ended child is forked again. Without this pause, a child that ends immediately would use a whole core. */
const FORK_AGAIN_MS = 1000;

if (!/^[1-9]\d?$/.test(processes) || script === undefined) {
  console.error('usage: node cluster.cjs <processes, 1 to 99> <script> [args…]');
  process.exit(2);
}

cluster.setupPrimary({ exec: script, args });
const children = () => Object.values(cluster.workers);
let ending = false;

for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    ending = true;
    for (const child of children()) child.process.kill(signal);
    if (children().length === 0) process.exit();
  });

cluster.on('exit', () => ending && children().length === 0 && process.exit());

function fork(number) {
  const child = cluster.fork(folderOf(number));
  child.once('exit', () => setTimeout(() => ending || fork(number), FORK_AGAIN_MS));
}

/** Gives each n8n its own folder. In a shared folder, n8n mistakes the crash journal of another process for its own: see docs/pm2.md. */
function folderOf(number) {
  const { N8N_USER_FOLDER: parent } = process.env;
  if (!parent) return {};
  const folder = join(parent, String(number), '.n8n');
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, 'nodes'), { force: true });
  symlinkSync(join(parent, '.n8n', 'nodes'), join(folder, 'nodes'));
  return { N8N_USER_FOLDER: join(parent, String(number)) };
}

for (let number = 1; number <= Number(processes); number++) fork(number);
