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
