import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  buildApps,
  ecosystemFile,
  PM2_PORTS,
  UsageError,
  type KubernetesObject,
  type Launch,
  type Pod,
} from 'n8n-capacity';

/**
 * Launches PM2 in the foreground instead of the given launch, on the same Node.
 * @param args arguments of `pm2-runtime start`
 * @throws UsageError when PM2 is not installed
 */
export const pm2Launch = (launch: Launch, ...args: string[]): Launch => ({
  ...launch,
  args: [findPm2(), 'start', ...args],
  // With its own PM2_HOME it does not join a PM2 that the user runs. The other variable keeps PM2 off the network.
  environment: { ...launch.environment, PM2_HOME: join(launch.cwd, 'pm2'), PM2_DISABLE_VERSION_CHECK: 'true' },
  shared: true,
});

/**
 * Path of PM2. PM2 is AGPL-3.0: only experiments and tests use it; no published package depends on it.
 * @throws UsageError when PM2 is not installed
 */
function findPm2(): string {
  try {
    return createRequire(import.meta.url).resolve('pm2/bin/pm2-runtime');
  } catch {
    throw new UsageError('pm2 is not installed; run npm install in this repository.');
  }
}

const PM2_APP = 'n8n-webhook';

/**
 * Launches webhook processors under PM2 with the ecosystem file that `n8n-capacity pm2` prints. The environment has the variables
 * that the file reads.
 * @param launch its command is Node and its first argument n8n; PM2's files go to its working folder
 * @throws UsageError when PM2 is not installed or cannot run what the chart renders
 */
export async function n8nPm2Launch(
  launch: Launch,
  pod: Pod,
  objects: KubernetesObject[],
  processes: number,
): Promise<Launch> {
  const apps = buildApps(objects).map((app) => (app.name === PM2_APP ? { ...app, instances: processes } : app));
  const file = join(launch.cwd, 'ecosystem.config.cjs');
  await writeFile(file, ecosystemFile(apps, objects, 'n8n-experiment'));
  // PM2 passes its own environment on. The file leaves out some of the pod's variables (NODE_OPTIONS, the chart's hooks).
  const { environment } = apps.find(({ name }) => name === PM2_APP)!;
  const leftOut = new Set(pod.container.env?.map(({ name }) => name).filter((name) => !(name in environment)));
  const given = Object.entries(launch.environment).filter(([name]) => !leftOut.has(name));
  const asked = {
    N8N_BIN: launch.args[0]!,
    N8N_PM2_PORT: String(Number(launch.environment.N8N_PORT) - PM2_PORTS.webhook),
  };
  return pm2Launch({ ...launch, environment: { ...Object.fromEntries(given), ...asked } }, file, '--only', PM2_APP);
}
