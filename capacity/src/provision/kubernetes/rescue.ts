import { join } from 'node:path';
import { LOOPBACK } from '../../core/loopback.js';
import { findRescuePod } from '../../chart/rescue.js';
import { EnvironmentFault } from '../../core/errors.js';
import { readLogExcerpt } from '../../core/log-file.js';
import { chartFolder } from '../../core/paths.js';
import { runLogged } from '../../core/run-logged.js';
import type { Rescue } from '../../model/deployment.js';
import type { Cluster } from './cluster.js';
import type { Forwarding } from './forwarding.js';
import type { Rendered } from './render-release.js';
import { N8N_PORT, RELEASE } from './release.js';

/** A release without its rescue. */
export interface RescuedRelease {
  cluster: Cluster;
  namespace: string;
  helm: string;
  rendered: Rendered;
  forwarding: Forwarding;
  /** Name of main's pod. */
  main: string;
  /** Folder of the logs. */
  logs: string;
  signal: AbortSignal;
}

/** Longest start of its pod; n8n's image is on the node or another one already. */
const START = '300s';

/**
 * The chart's rescue, which an upgrade of the release adds.
 * @returns undefined where the values do not enable it
 */
export function createClusterRescue(release: RescuedRelease): Rescue | undefined {
  const { cluster, namespace, helm, rendered, forwarding, main, logs, signal } = release;
  const pod = findRescuePod(rendered.objects);
  if (!pod) return undefined;
  const log = join(logs, 'helm-rescue.log');
  return {
    tag: pod.environment.RESCUE_TAG!,
    main: async () => `http://${LOOPBACK}:${await forwarding.portTo(main, N8N_PORT)}`,
    start: async (apiKey) => {
      const { name, key } = pod.apiKey;
      const data = { [key]: Buffer.from(apiKey).toString('base64') };
      await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data });
      const where = ['--namespace', namespace, ...cluster.helmArguments];
      // Without reports, which must not reach those who watch production.
      const values = [
        '--reuse-values',
        '--set=rescue.enabled=true',
        `--set-string=rescue.apiKey.existingSecret=${name}`,
      ];
      const args = [
        'upgrade',
        RELEASE,
        chartFolder,
        ...where,
        ...values,
        '--wait',
        `--timeout=${START}`,
        '--hide-notes',
      ];
      const failure = await runLogged(helm, args, { log, signal });
      if (failure === undefined) return;
      throw new EnvironmentFault(
        `the rescue was not started: helm ended with ${failure}. ${await readLogExcerpt(log)}`,
      );
    },
  };
}
