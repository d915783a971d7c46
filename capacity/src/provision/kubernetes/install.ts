import type { Values } from '../../model/plan.js';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runLogged } from '../../core/run-logged.js';
import { EnvironmentFault, NotReady } from '../../core/errors.js';
import { lastLines, readLogExcerpt } from '../../core/log-file.js';
import { helmArguments } from '../../chart/values-flags.js';
import type { Progress } from '../../core/progress.js';
import type { Cluster } from './cluster.js';
import { hopelessness, waitingFor, type Hopeless } from './pod-waits.js';
import { RELEASE, type ReleaseView } from './release.js';

const TIMEOUT_SECONDS = 900;
const LOOK_MS = 2000;

export interface Install {
  cluster: Cluster;
  view: ReleaseView;
  helm: string;
  /** Folder of the chart. */
  chart: string;
  /** Of the user, with what a measurement needs. */
  values: Values;
  /** Folder of the logs. */
  logs: string;
  progress: Progress;
}

/**
 * Runs `helm install --wait` and shows which pods it waits for.
 * @throws EnvironmentFault as soon as a pod has no image or no node, or when helm fails and no pod can be seen
 * @throws NotReady as soon as a pod cannot come up for another reason
 */
export async function installRelease({ cluster, view, helm, chart, values, logs, progress }: Install): Promise<void> {
  const log = join(logs, 'helm.log');
  const where = ['--namespace', view.namespace, ...cluster.helmArguments];
  const args = [
    'install',
    RELEASE,
    chart,
    ...where,
    ...helmArguments(values),
    '--wait',
    `--timeout=${TIMEOUT_SECONDS}s`,
  ];
  const hopeless = new AbortController();
  const watch = setInterval(() => {
    void Promise.all([view.allPods(LOOK_MS), view.events(LOOK_MS)]).then(
      ([pods, events]) => {
        progress.update(`installing: ${waitingFor(pods)}`);
        const why = hopelessness(pods, events, Date.now());
        if (why) hopeless.abort(new DoesNotComeUp(why));
      },
      () => {},
    );
  }, LOOK_MS);
  try {
    const signal = AbortSignal.any([progress.signal, hopeless.signal]);
    const failure = await runLogged(helm, [...args, '--hide-notes'], { log, signal });
    if (failure === undefined) return;
    const pods = await view.allPods(LOOK_MS).catch(() => []);
    const reason = `was not installed: helm ended with ${failure}`;
    if (pods.length === 0) throw new EnvironmentFault(`the release ${reason}. ${await readLogExcerpt(log)}`);
    throw new NotReady('the release', `${reason} (${waitingFor(pods)})`, await readLogExcerpt(log));
  } catch (error) {
    if (!(error instanceof DoesNotComeUp) || progress.signal.aborted) throw error;
    const { pod, text, ofEnvironment } = error.why;
    await appendFile(log, `${pod}: ${text}\n`);
    if (ofEnvironment) throw new EnvironmentFault(`${pod} cannot be started: ${text}`);
    const said = await readLogTail(cluster, view.namespace, pod);
    throw new NotReady(pod, `does not come up: ${text}`, said && `The last lines of its log:\n${said}`);
  } finally {
    clearInterval(watch);
  }
}

class DoesNotComeUp extends Error {
  constructor(readonly why: Hopeless) {
    super(why.text);
  }
}

/** The last lines of a pod's log, of the previous container if one ended. */
async function readLogTail(cluster: Cluster, namespace: string, pod: string): Promise<string> {
  const log = (...more: string[]) =>
    cluster.kubectl(['--namespace', namespace, 'logs', pod, '--all-containers', '--tail=20', ...more]).catch(() => '');
  return lastLines((await log('--previous')) || (await log()));
}
