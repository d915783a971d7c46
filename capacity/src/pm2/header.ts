import { autoscalersOf, describedPods } from '../chart/pods.js';
import type { KubernetesObject } from '../chart/objects.js';
import type { App } from './apps.js';

/** What the file says of where it comes from. */
export interface Origin {
  /** The command that wrote it, for its first line. */
  command: string;
  /** The n8n that the values are for. */
  n8n: string;
  /** What the chart has and PM2 has not. */
  leftOut: string[];
  /** Embedded services of the chart, which are for the user to run. */
  services: string[];
}

/** What stands at the top of the file: how it is used, and what PM2 leaves out. */
export function header(apps: App[], { command, n8n, leftOut, services }: Origin): string {
  const webhook = apps.find((a) => a.component === 'webhook');
  return comment([
    `Written by "${command}"; change the values and write it again.`,
    '',
    `n8n ${n8n} of Helm chart n8n-tuned under PM2. Start PM2 itself with the Node that this n8n asks for: a cluster runs on it.`,
    '',
    '  pm2 start ecosystem.config.cjs       the secrets below come from the environment',
    ...(webhook ? ['  pm2 reload n8n-webhook --parallel 1  one by one, no request is lost'] : []),
    '  pm2 reload n8n-main                  it is gone until it has started again',
    '',
    'N8N_PM2_PORT (5678) is the first port, N8N_USER_FOLDER (the home folder) where .n8n is, N8N_BIN the path of n8n/bin/n8n',
    '(else the n8n in PATH). All listen on 127.0.0.1, main' +
      (webhook ? ' and webhook processors' : '') +
      ' on N8N_LISTEN_ADDRESS where it is set.',
    ...(webhook
      ? [
          'A reverse proxy in front sends /webhook, /webhook-waiting, /form, /form-waiting and /mcp to port + 3, everything else',
          '(also /webhook-test, /form-test, /mcp-test, /mcp-server) to port.',
        ]
      : []),
    ...services.map(
      (service) => `${service} of the chart is for you to run: 127.0.0.1 unless the environment says otherwise.`,
    ),
    '',
    'What the chart has and PM2 has not:',
    ...leftOut.map((line) => `- ${line}`),
  ]);
}

const comment = (lines: string[]) => lines.map((line) => `// ${line}`.trimEnd()).join('\n');

/** Kinds that the apps are made of, or that nothing on one machine needs. */
const HONOURED = new Set([
  ...['Deployment', 'StatefulSet', 'ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'Role', 'RoleBinding'],
  ...['PersistentVolumeClaim', 'Job', 'Pod', 'PodDisruptionBudget'],
]);

/** What the chart has and PM2 has not, a line each. */
export function leftOut(objects: KubernetesObject[]): string[] {
  const limited = describedPods(objects).some((pod) => pod.limits.cpuMillis !== undefined);
  const scalers = autoscalersOf(objects).map(
    ({ component, kind, minReplicas, maxReplicas }) =>
      `the ${kind} of ${component}: PM2 starts ${minReplicas}, its minimum; it would have scaled to ${maxReplicas}`,
  );
  const scaled = new Set(['HorizontalPodAutoscaler', 'ScaledObject', 'TriggerAuthentication']);
  const others = objects.filter(({ kind }) => !HONOURED.has(kind) && !scaled.has(kind));
  return [
    ...(limited ? ['CPU limits: every process may use every core'] : []),
    'memory limits: nothing but V8 and max_memory_restart bounds a process',
    'probes: PM2 starts again what has ended, not what hangs',
    ...scalers,
    ...[...new Set(others.map(({ kind, metadata }) => `${kind} ${metadata.name}`))],
  ];
}
