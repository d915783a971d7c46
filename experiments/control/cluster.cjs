'use strict';
/** node cluster.cjs <processes> <script> [args…]: runs the script in so many processes, which share its ports. */
const cluster = require('node:cluster');

const [processes, script, ...args] = process.argv.slice(2);
/** A child that ends at once must not be forked in a loop that takes a whole core. */
const FORK_AGAIN_MS = 1000;

if (!/^[1-9]\d?$/.test(processes) || script === undefined) {
  console.error('usage: node cluster.cjs <processes, 1 to 99> <script> [args…]');
  process.exit(2);
}

cluster.setupPrimary({ exec: script, args });
const children = () => Object.values(cluster.workers);
let ending = false;
let forking;

for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    ending = true;
    clearTimeout(forking);
    for (const child of children()) child.process.kill(signal);
    if (children().length === 0) process.exit();
  });

cluster.on('exit', () => {
  if (!ending) forking = setTimeout(() => cluster.fork(), FORK_AGAIN_MS);
  else if (children().length === 0) process.exit();
});

for (let i = 0; i < Number(processes); i++) cluster.fork();
