import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { InputError } from '../../errors.js';
import { experimentsFolder, repository } from '../../paths.js';
import type { Launch } from '../process/supervise.js';
import type { Arranged } from './arrangement.js';

const CLUSTER = join(experimentsFolder, 'control', 'cluster.cjs');

/**
 * The launch of a script of Node, as so many processes that share its port: children of Node's cluster, or of PM2 in
 * cluster mode, which runs on the same Node.
 * @param launch its command is Node, its first argument the script; PM2's files go to its working folder
 * @throws InputError when PM2 is not installed
 */
export async function onSharedPort(launch: Launch, { arrangement, processes }: Arranged): Promise<Launch> {
  if (arrangement === 'cluster') return { ...launch, args: [CLUSTER, String(processes), ...launch.args], shared: true };
  const [script, ecosystem] = [join(launch.cwd, 'script.cjs'), join(launch.cwd, 'ecosystem.json')];
  await writeFile(script, scriptOf(launch.args));
  await writeFile(ecosystem, JSON.stringify(ecosystemOf(launch, script, processes), null, 2));
  return {
    ...launch,
    args: [pm2Runtime(), 'start', ecosystem],
    // Without a folder of its own it would join the PM2 that the user may run; the other keeps it from asking the network.
    environment: { ...launch.environment, PM2_HOME: join(launch.cwd, 'pm2'), PM2_DISABLE_VERSION_CHECK: 'true' },
    shared: true,
  };
}

/**
 * PM2's ecosystem file for it. What PM2 does beside running the processes is off: reading git's history, and the probes
 * that it puts into each process. https://pm2.keymetrics.io/docs/usage/application-declaration/
 */
export function ecosystemOf({ name, cwd, graceSeconds }: Launch, script: string, processes: number): object {
  const times = { kill_timeout: graceSeconds * 1000 };
  const without = { vizion: false, pmx: false };
  return { apps: [{ name, script, cwd, exec_mode: 'cluster', instances: processes, ...times, ...without }] };
}

/**
 * What PM2 runs instead of the script itself. In the foreground its processes inherit its own arguments before theirs, so
 * that n8n would not find the name of its command (PM2 7.0.4: Node's cluster passes `process.argv` on, and PM2 sets none).
 */
const scriptOf = (args: string[]): string =>
  `process.argv.splice(1, Infinity, ...${JSON.stringify(args)});\nrequire(process.argv[1]);\n`;

/** PM2 in the foreground. It is AGPL-3.0: a tool of experiments and tests, which nothing that is published depends on. */
function pm2Runtime(): string {
  try {
    return createRequire(join(repository, 'package.json')).resolve('pm2/bin/pm2-runtime');
  } catch {
    throw new InputError(`pm2 is not installed in ${repository}; run npm install there.`);
  }
}
