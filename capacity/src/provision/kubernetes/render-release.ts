import type { Values } from '../../model/plan.js';
import { UsageError } from '../../core/errors.js';
import { renderChart } from '../../chart/render.js';
import { MAKES_SECRET } from '../../chart/pods.js';
import { COMPONENT_LABEL, type KubernetesObject } from '../../chart/objects.js';
import type { JobObject } from './k6-job.js';
import type { TestRunObject } from './k6-test-run.js';

/** What the chart makes of a plan's values in a namespace of its own. */
export interface Rendered {
  objects: KubernetesObject[];
  /** Values that are given beside the user's, as `--set` takes them. */
  added: string[];
  /** The chart's own load test: image, limits, scripts and token of a k6 in a pod. */
  loadTest: JobObject;
  /** The same of several pods, where that was asked for. */
  testRun?: TestRunObject;
}

/**
 * Renders the release and the load test that goes with it.
 * @param workflows load targets to put in
 * @param generators pods that share the load
 * @throws UsageError in the chart's words, or when the values need what a new namespace does not have
 */
export async function renderRelease(
  helm: string,
  values: Values,
  workflows: string[],
  generators = 1,
): Promise<Rendered> {
  const added = [
    'metrics.enabled=true',
    'loadTargets.enabled=true',
    `loadTargets.workflows={${workflows.join(',')}}`,
    'loadTest.enabled=false',
    // Host names belong to the n8n that people use; a second claim on them would take its requests away.
    'ingress.enabled=false',
    'gateway.enabled=false',
  ];
  const objects = await renderChart(helm, values, added);
  requireSelfContained(objects);
  const loadTest = async (parallelism: number, kind: string) => {
    const own = ['loadTest.enabled=true', `loadTest.parallelism=${parallelism}`, `loadTest.script=${workflows[0]}`];
    const made = await renderChart(helm, values, [...added, ...own]);
    const found = made.find((o) => o.kind === kind && o.metadata.labels?.[COMPONENT_LABEL] === 'loadtest');
    if (!found) throw new UsageError(`the chart renders no ${kind} for loadTest.parallelism=${parallelism}.`);
    return found;
  };
  return {
    objects,
    added,
    loadTest: (await loadTest(1, 'Job')) as JobObject,
    ...(generators > 1 && { testRun: (await loadTest(generators, 'TestRun')) as TestRunObject }),
  };
}

/** Refuses Secrets and claims that somebody has made elsewhere: the namespace is new, and other data is none of its business. */
function requireSelfContained(objects: KubernetesObject[]): void {
  const made = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  for (const { metadata } of objects) {
    const secret = metadata.annotations?.[MAKES_SECRET];
    if (secret !== undefined) made.add(`Secret ${secret}`);
  }
  for (const needed of new Set(objects.flatMap((object) => [...references(object.spec)]))) {
    if (made.has(needed)) continue;
    throw new UsageError(
      `these values need the ${needed}, which is not in the new namespace of a measurement: leave it out of the values ` +
        '(existingSecret, existingClaim: empty; database and queue: embedded), so that nothing but what is measured is touched.',
    );
  }
}

/** Secrets and claims that a part of an object must have, as `Secret name`. */
function* references(part: unknown): Iterable<string> {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part as Record<string, Reference | undefined>)) {
    if ((key === 'secretKeyRef' || key === 'secretRef') && value?.name && !value.optional) yield `Secret ${value.name}`;
    if (key === 'secret' && value?.secretName && !value.optional) yield `Secret ${value.secretName}`;
    if (key === 'persistentVolumeClaim' && value?.claimName) yield `PersistentVolumeClaim ${value.claimName}`;
    yield* references(value);
  }
}

interface Reference {
  name?: string;
  secretName?: string;
  claimName?: string;
  optional?: boolean;
}
