import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Launch } from 'n8n-capacity';
import { controlFolder } from '../paths.js';
import type { ArrangedProcesses } from './arrangement.js';
import { pm2Launch } from './pm2.js';

const CLUSTER_SCRIPT = join(controlFolder, 'cluster.cjs');

/** Launches a Node script as several children of Node's cluster, which share its port. */
export const clusterLaunch = (launch: Launch, processes: number): Launch => ({
  ...launch,
  args: [CLUSTER_SCRIPT, String(processes), ...launch.args],
  shared: true,
});

/**
 * Launches a control server as children of Node's cluster, or of PM2 in cluster mode on the same Node.
 * @param launch its command is Node and its first argument the script; PM2's files go to its working folder
 * @throws UsageError when PM2 is not installed
 */
export async function sharedPortLaunch(launch: Launch, { arrangement, processes }: ArrangedProcesses): Promise<Launch> {
  if (arrangement === 'cluster') return clusterLaunch(launch, processes);
  const [script, ecosystem] = [join(launch.cwd, 'script.cjs'), join(launch.cwd, 'ecosystem.json')];
  await writeFile(script, pm2Script(launch.args));
  await writeFile(ecosystem, JSON.stringify(pm2Ecosystem(launch, script, processes), null, 2));
  return pm2Launch(launch, ecosystem);
}

/**
 * PM2's ecosystem file for a control server, without reading git's history (`vizion`) and without PM2's probes inside each process (`pmx`).
 * https://pm2.keymetrics.io/docs/usage/application-declaration/
 */
function pm2Ecosystem({ name, cwd, graceSeconds }: Launch, script: string, processes: number): object {
  const times = { kill_timeout: graceSeconds * 1000 };
  const without = { vizion: false, pmx: false };
  return { apps: [{ name, script, cwd, exec_mode: 'cluster', instances: processes, ...times, ...without }] };
}

/**
 * The wrapper that PM2 runs instead of the script. In the foreground, PM2's children also get PM2's own arguments (PM2 7.0.4:
 * Node's cluster passes `process.argv` on, and PM2 sets none). The wrapper removes them.
 */
const pm2Script = (args: string[]): string =>
  `process.argv.splice(1, Infinity, ...${JSON.stringify(args)});\nrequire(process.argv[1]);\n`;
