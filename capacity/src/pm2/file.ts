import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../core/paths.js';
import { n8nVersion, type KubernetesObject } from '../chart/objects.js';
import type { App } from './apps.js';
import { ecosystem } from './ecosystem.js';
import { leftOut } from './header.js';

/**
 * The text of `ecosystem.config.cjs`, which PM2 reads and runs.
 * @param command the command line that wrote it
 */
export const ecosystemFile = (apps: App[], objects: KubernetesObject[], command: string): string =>
  ecosystem(
    apps,
    {
      command,
      n8n: n8nVersion(objects),
      leftOut: leftOut(objects),
      services: objects.filter((o) => o.kind === 'StatefulSet').map((o) => o.metadata.name),
    },
    source('capacity', 'pm2', 'launch.cjs'),
    Object.fromEntries(HOOKS.map((name) => [`./${name}`, source('charts', 'n8n-tuned', 'files', 'hooks', name)])),
  );

/** The chart's hooks but for hooks.js itself, which drains connections: PM2 does that otherwise. */
const HOOKS = [
  ...['admission.js', 'heap.js', 'http.js', 'n8n.js', 'concurrency.js', 'latency.js'],
  ...['modules.js', 'stalled.js', 'save-again.js'],
];

const source = (...path: string[]) => readFileSync(join(repository, ...path), 'utf8');
