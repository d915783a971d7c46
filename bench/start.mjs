/**
 * start.mjs: how long `n8n-capacity --version`, a Tab in the shell and `--help` take, as a multiple of Node alone, in one run. Ends with 1
 * when one of them takes more than its bound. Needs a build.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'capacity', 'bin', 'n8n-capacity.js');
const ROUNDS = 15;

/** Arguments of Node, and at most this multiple of Node alone. 0.3 s is about 7 times Node's own start. */
const STARTS = {
  node: { args: ['--eval', '0'], most: 1 },
  '--version': { args: [bin, '--version'], most: 4 },
  '--help': { args: [bin, '--help'], most: 4 },
  'Tab for a command': { args: [bin, 'complete', '--', 'va'], most: 7 },
  'Tab for a flag of validate': { args: [bin, 'complete', '--', 'validate', '--'], most: 7 },
  'validate --help': { args: [bin, 'validate', '--help'], most: 7 },
};

/** Seconds of one start. */
function time(args) {
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return (performance.now() - from) / 1000;
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

const times = Object.fromEntries(Object.keys(STARTS).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++)
  for (const [name, { args }] of Object.entries(STARTS)) times[name].push(time(args));

const alone = median(times.node);
for (const [name, { most }] of Object.entries(STARTS)) {
  const seconds = median(times[name]);
  const ratio = seconds / alone;
  const isOver = ratio > most;
  if (isOver) process.exitCode = 1;
  console.log(
    `${name.padEnd(28)}${seconds.toFixed(3)} s  ${ratio.toFixed(1)} × Node${isOver ? `, above ${most}` : ''}`,
  );
}
