import type { EnvVar } from 'kubernetes-types/core/v1.js';
import type { App } from './apps.js';
import type { Pod } from '../../chart/pods.js';
import { preloadedFiles } from '../../chart/preload.js';
import type { VariableValue } from './environment.js';
import { formatHeader, type Origin } from './header.js';
import type { Memory } from './memory.js';

/** The file of the chart's hooks that n8n loads. */
const HOOKS = 'hooks.js';

/** Names of the chart's files that the launcher loads: those that Node loads before n8n in the chart, and n8n's hooks. */
export const listHookFiles = (pods: Pod[]): string[] => [
  ...new Set(pods.flatMap(({ container }) => (container.env ?? []).flatMap(preloadsIn))),
  HOOKS,
];
const preloadsIn = ({ name, value = '' }: EnvVar) => (name === 'NODE_OPTIONS' ? preloadedFiles(value) : []);

/**
 * The text of `ecosystem.config.cjs`: the apps, and the launcher that PM2 runs as their script.
 * @param launcher the source of `capacity/pm2/launch.cjs`
 * @param sources of the chart's hooks by the names of their files; each file is complete
 */
export function renderEcosystem(
  apps: App[],
  origin: Origin,
  launcher: string,
  sources: Record<string, string>,
): string {
  const shared = commonVariables(apps);
  return `${formatHeader(apps, origin)}
'use strict';
const { existsSync, realpathSync } = require('node:fs');
const { homedir } = require('node:os');
const { delimiter, join } = require('node:path');

/** PM2 reads the apps from this file, and also runs it as their script. */
if (require.main === module) launch();
else module.exports = { apps: apps() };

function apps() {
  const home = process.env.N8N_USER_FOLDER ?? homedir();
  const port = Number(process.env.N8N_PM2_PORT || 5678);
  const missing = [];
  /** A secret or the path of a file: read from the environment, never stored here. */
  const given = (name) => process.env[name] || (missing.push(name), '');

  const shared = {
${variables({ N8N_BIN: { code: "n8nBin() ?? given('N8N_BIN')" }, NODE_ENV: 'production', ...shared }, '    ')}
  };
  const apps = [
${apps.map((app) => appEntry(app, shared)).join('\n')}
  ];
  const wrong = [];
  if (!Number.isInteger(port) || port < 1 || port > 65000)
    wrong.push(\`N8N_PM2_PORT is "\${process.env.N8N_PM2_PORT}"; set it to a port from 1 to 65000.\`);
  if (missing.length > 0)
    wrong.push(\`\${missing.join(', ')} \${missing.length > 1 ? 'are' : 'is'} not set; export before "pm2 start".\`);
  if (missing.includes('N8N_BIN')) wrong.push('N8N_BIN is the path of n8n/bin/n8n; no n8n is in PATH.');
  if (wrong.length > 0) throw new Error(wrong.join(' '));
  return apps;
}

/** The JavaScript file of the n8n in PATH: a cluster runs a file, not a command. */
function n8nBin() {
  if (process.env.N8N_BIN) return realpathSync(process.env.N8N_BIN);
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'n8n')).find(existsSync);
  return found && realpathSync(found);
}

${launcher}
/** Loads the files that Node loads before n8n in the chart, and returns the chart's hooks. They do nothing without their variables. */
function chartHooks() {
  const files = {
${Object.entries(sources).map(moduleText).join('\n')}
  };
  const load = (name) => {
    const module = { exports: {} };
    files[name](module, module.exports);
    return module.exports;
  };
  Object.keys(files).filter((name) => name !== ${quote(HOOKS)}).forEach(load);
  return load(${quote(HOOKS)});
}
`;
}

const moduleText = ([name, source]: [string, string]): string =>
  `    ${quote(name)}(module, exports) {\n${source}    },`;

function appEntry(
  { name, component, mode, instances, args, nodeArgs, memory, ...app }: App,
  shared: Record<string, VariableValue>,
): string {
  const own = Object.fromEntries(Object.entries(app.environment).filter(([key]) => !(key in shared)));
  const lines = [
    `    {`,
    `      name: ${quote(name)},`,
    `      script: __filename,`,
    ...(args.length > 0 ? [`      args: ${formatList(args)},`] : []),
    ...(nodeArgs.length > 0
      ? [
          '      // Not NODE_OPTIONS: a cluster process gets its environment after Node has started.',
          `      node_args: ${formatList(nodeArgs)},`,
        ]
      : []),
    ...(component === 'main' ? ['      // One main only: several need an n8n licence.'] : []),
    `      exec_mode: ${quote(mode)},`,
    `      instances: ${instances},`,
    ...memoryLines(memory).map((line) => `      ${line}`),
    ...(mode === 'cluster' ? ['      // Time to drain open connections, plus the shutdown time of n8n.'] : []),
    `      kill_timeout: ${app.killSeconds * 1000},`,
    ...(mode === 'cluster'
      ? [
          '      // Time for n8n to start. After it, pm2 reload ends the old process even if the new one is not ready.',
          `      listen_timeout: ${app.listenSeconds * 1000},`,
        ]
      : ['      // n8n ends its task runner itself, after the executions that use it.', '      treekill: false,']),
    `      exp_backoff_restart_delay: 1000,`,
    `      env: {`,
    `        ...shared,`,
    variables(own, '        '),
    `      },`,
    `    },`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** The memory limits of an app, in the order in which they apply. */
function memoryLines({ limit, heap, runnerHeap, restart }: Memory): string[] {
  if (restart === undefined) return ['// The values set no limits.memory: only V8 bounds its memory.'];
  const v8 =
    heap === undefined
      ? ''
      : `V8 limits the heap first: ${heap} MiB${runnerHeap ? `, ${runnerHeap} MiB for the task runner` : ''}. `;
  return [
    `// ${v8}Every 30 s PM2 checks the resident`,
    `// memory of n8n and restarts it above limits.memory (${limit} MiB)${runnerHeap ? " minus the task runner's heap" : ''}.`,
    `max_memory_restart: '${restart}M',`,
  ];
}

/** The variables that every app has with the same value. */
function commonVariables(apps: App[]): Record<string, VariableValue> {
  const [first, ...others] = apps.map((app) => app.environment);
  const same = (a: VariableValue, b: VariableValue | undefined) => JSON.stringify(a) === JSON.stringify(b);
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([name, value]) => others.every((o) => same(value, o[name]))),
  );
}

const variables = (environment: Record<string, VariableValue>, indent: string): string =>
  Object.entries(environment)
    .map(
      ([name, value]) =>
        `${indent}${/^[A-Za-z_]\w*$/.test(name) ? name : quote(name)}: ${typeof value === 'string' ? quote(value) : value.code},`,
    )
    .join('\n');

const formatList = (texts: string[]) => `[${texts.map(quote).join(', ')}]`;

/** A JavaScript string in single quotes. */
const quote = (text: string) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
