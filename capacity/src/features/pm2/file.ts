import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../core/paths.js';
import { n8nVersion, type KubernetesObject } from '../../chart/objects.js';
import { renderedPods } from '../../chart/pods.js';
import type { App } from './apps.js';
import { renderEcosystem, listHookFiles } from './ecosystem.js';
import { listLeftOut } from './header.js';

/**
 * The text of `ecosystem.config.cjs`, which PM2 reads and runs.
 * @param command the command line that wrote it
 */
export const ecosystemFile = (apps: App[], objects: KubernetesObject[], command: string): string =>
  renderEcosystem(
    apps,
    {
      command,
      n8n: n8nVersion(objects),
      leftOut: listLeftOut(objects),
      services: objects.filter((o) => o.kind === 'StatefulSet').map((o) => o.metadata.name),
    },
    readSource('capacity', 'pm2', 'launch.cjs'),
    readChartHooks(listHookFiles(renderedPods(objects))),
  );

const readChartHooks = (names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, readSource('charts', 'n8n-tuned', 'files', 'hooks', name)]));

const readSource = (...path: string[]) => readFileSync(join(repositoryFolder, ...path), 'utf8');
