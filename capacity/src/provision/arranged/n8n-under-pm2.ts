import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appsOf, PORTS } from '../../pm2/apps.js';
import { ecosystemFile } from '../../pm2/file.js';
import type { KubernetesObject } from '../../chart/objects.js';
import type { Pod } from '../../chart/pods.js';
import type { Launch } from '../process/supervise.js';
import { pm2Runtime } from './pm2.js';

const APP = 'n8n-webhook';

/**
 * Webhook processors under PM2, with the file that `n8n-capacity pm2` prints; what it asks for is in the launch's
 * environment.
 * @param launch its command is Node, its first argument n8n; PM2's files go to its working folder
 * @throws UsageError when PM2 is not installed, or cannot run what the chart renders
 */
export async function n8nUnderPm2(
  launch: Launch,
  pod: Pod,
  objects: KubernetesObject[],
  processes: number,
): Promise<Launch> {
  const apps = appsOf(objects).map((app) => (app.name === APP ? { ...app, instances: processes } : app));
  const file = join(launch.cwd, 'ecosystem.config.cjs');
  await writeFile(file, ecosystemFile(apps, objects, 'n8n-capacity experiment'));
  // PM2 hands its own environment on, where the file leaves out what the pod has: NODE_OPTIONS, the hooks of the chart.
  const { environment } = apps.find(({ name }) => name === APP)!;
  const leftOut = new Set(pod.container.env?.map(({ name }) => name).filter((name) => !(name in environment)));
  const given = Object.entries(launch.environment).filter(([name]) => !leftOut.has(name));
  const asked = { N8N_BIN: launch.args[0]!, N8N_PM2_PORT: String(Number(launch.environment.N8N_PORT) - PORTS.webhook) };
  return pm2Runtime({ ...launch, environment: { ...Object.fromEntries(given), ...asked } }, file, '--only', APP);
}
