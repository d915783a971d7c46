import { join } from 'node:path';
import { findRescuePod } from '../../chart/rescue.js';
import type { KubernetesObject } from '../../chart/objects.js';
import { chartFolder } from '../../core/paths.js';
import { runLogged } from '../../core/run-logged.js';
import type { Rescue } from '../../model/deployment.js';

/** The chart's rescue as a process of this machine. */
export interface LocalRescue extends Rescue {
  end(): Promise<void>;
}

/**
 * What the pod of the rescue would run.
 * @param main base URL of n8n's main
 * @param logs folder of its log
 * @returns undefined where the values do not enable it
 */
export function createLocalRescue(objects: KubernetesObject[], main: string, logs: string): LocalRescue | undefined {
  const pod = findRescuePod(objects);
  if (!pod) return undefined;
  const ending = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  return {
    tag: pod.environment.RESCUE_TAG!,
    main: () => Promise.resolve(main),
    start: (apiKey) => {
      // Its metrics are not read, so any free port will do.
      const env = { ...pod.environment, N8N_API_URL: `${main}/api/v1`, N8N_API_KEY: apiKey, RESCUE_PORT: '0' };
      const options = { log: join(logs, 'rescue.log'), signal: ending.signal, extendEnv: false, env };
      running = runLogged(process.execPath, [join(chartFolder, 'files', 'rescue', 'main.js')], options).catch(() => {});
      return Promise.resolve();
    },
    end: async () => {
      ending.abort();
      await running;
    },
  };
}
