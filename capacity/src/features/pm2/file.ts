import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../core/paths.js';
import { n8nVersion, type KubernetesObject } from '../../chart/objects.js';
import { describedPods } from '../../chart/pods.js';
import type { App } from './apps.js';
import { ecosystem, hooksOf } from './ecosystem.js';
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
    chartHooks(hooksOf(describedPods(objects))),
  );

const chartHooks = (names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, source('charts', 'n8n-tuned', 'files', 'hooks', name)]));

const source = (...path: string[]) => readFileSync(join(repository, ...path), 'utf8');
