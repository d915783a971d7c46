import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '../../core/progress.js';
import { ensurePostgres } from '../../tools/postgres.js';
import type { N8nRuntime } from '../../tools/runtimes.js';
import { ensureRedis } from '../../tools/system.js';
import { postgresCommand, redisCommand } from './databases.js';
import { containerEnvironment, type EnvironmentSources } from '../../chart/environment.js';
import { onThisHost, type HostPorts, type ServiceAddresses } from './host.js';
import { installNode } from '../n8n-import.js';
import { withPathsOnHost, writeConfigMaps } from './mounts.js';
import type { Pod } from '../../chart/pods.js';
import type { Launch } from './supervise.js';

/** What all pods of a run share. */
export interface LaunchContext extends Omit<EnvironmentSources, 'podName'> {
  runtime: N8nRuntime;
  services: ServiceAddresses;
  /** Parent of the pods' folders, and the folder of their logs. */
  folder: string;
  logs: string;
  progress: Progress;
}

/** How a pod's container runs on this host: the command of its image with the environment of the chart. */
export async function prepareLaunch(pod: Pod, ports: HostPorts, context: LaunchContext): Promise<Launch> {
  const folder = join(context.folder, pod.name);
  await mkdir(folder, { recursive: true });
  const mounts = await writeConfigMaps(pod.container, pod.volumes, context.objects, folder);
  const given = containerEnvironment(pod.container, { ...context, podName: pod.name });
  const rendered = withPathsOnHost(given, mounts);
  const { command, args, environment } = await buildCommand(pod, ports, context, folder, rendered);
  return {
    name: pod.name,
    component: pod.component,
    command,
    args,
    environment: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...environment },
    cwd: folder,
    logFile: join(context.logs, `${pod.name}.log`),
    graceSeconds: pod.graceSeconds,
  };
}

async function buildCommand(
  pod: Pod,
  ports: HostPorts,
  { runtime, services, progress }: LaunchContext,
  folder: string,
  rendered: Record<string, string>,
): Promise<Pick<Launch, 'command' | 'args' | 'environment'>> {
  const args = pod.container.args ?? [];
  if (pod.component === 'redis') {
    const command = await redisCommand(await ensureRedis(progress), folder, ports.service, rendered, args);
    return { ...command, environment: rendered };
  }
  if (pod.component === 'postgresql') {
    const command = await postgresCommand(await ensurePostgres(progress), folder, ports.service, rendered, args);
    return { ...command, environment: rendered };
  }
  await installNode(folder);
  const environment = onThisHost(rendered, pod.component, ports, services, folder);
  return { command: runtime.node, args: [runtime.n8n, ...args], environment };
}
