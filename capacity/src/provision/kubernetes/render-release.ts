import type { Values } from '../../model/plan.js';
import { UsageError } from '../../core/errors.js';
import { renderChart } from '../../chart/render.js';
import { addAssignments } from '../../chart/values-flags.js';
import { requireOwnServices } from '../../chart/own-services.js';
import { MAKES_SECRET } from '../../chart/pods.js';
import { COMPONENT_LABEL, isRescue, type KubernetesObject } from '../../chart/objects.js';
import { N8N_PORT } from './release.js';
import type { JobObject } from './k6-job.js';
import type { TestRunObject } from './k6-test-run.js';

/** The rendered release of a plan. */
export interface Rendered {
  objects: KubernetesObject[];
  /** The user's values, with what a measurement needs, and without the rescue, whose API key only a running n8n can give. */
  values: Values;
  /** The chart's load test: image, limits, scripts and token of a k6 pod. */
  loadTest: JobObject;
  /** The load test with several k6 pods; undefined for one. */
  testRun?: TestRunObject;
}

/**
 * Renders the release and its load test.
 * @param workflows load targets to import
 * @param generators number of k6 pods that share the load
 * @throws ChartRefused, or UsageError when the values need objects that a new namespace does not have
 */
export async function renderRelease(
  helm: string,
  given: Values,
  workflows: string[],
  generators = 1,
): Promise<Rendered> {
  const set = [
    'metrics.enabled=true',
    // They are read through the proxy of the API server, which says for whom it asks.
    'metrics.public=true',
    'loadTargets.enabled=true',
    'loadTest.enabled=false',
    // A second ingress for the same host names would take requests from the production n8n.
    'ingress.enabled=false',
    'ingress.webhooks.enabled=false',
    'gateway.enabled=false',
    'gateway.webhooks.enabled=false',
    `main.service.port=${N8N_PORT}`,
    `webhook.service.port=${N8N_PORT}`,
  ];
  // As text, because helm merges --set-string after --set: the user's own would win.
  const setString = [`loadTargets.workflows={${workflows.join(',')}}`];
  const wanted = addAssignments(given, { set, setString });
  const first = await renderChart(helm, wanted);
  requireSelfContained(first);
  requireOwnServices(first);
  requireNoOutsideEffect(first);
  // The death of a task runner is seen in the lines of the level info.
  const isQuiet = logLevels(first).some((level) => QUIET.includes(level));
  const logged = isQuiet ? addAssignments(wanted, { setString: ['logging.level=info'] }) : wanted;
  const objects = isQuiet ? await renderChart(helm, logged) : first;
  const values = addAssignments(logged, WITHOUT_RESCUE);
  const loadTest = async (parallelism: number, kind: string) => {
    const own = {
      set: ['loadTest.enabled=true', `loadTest.parallelism=${parallelism}`],
      setString: [`loadTest.script=${workflows[0]}`],
    };
    const made = await renderChart(helm, addAssignments(values, own));
    const found = made.find((o) => o.kind === kind && o.metadata.labels?.[COMPONENT_LABEL] === 'loadtest');
    if (!found) throw new UsageError(`the chart renders no ${kind} for loadTest.parallelism=${parallelism}.`);
    return found;
  };
  return {
    objects,
    values,
    loadTest: (await loadTest(1, 'Job')) as JobObject,
    ...(generators > 1 && { testRun: (await loadTest(generators, 'TestRun')) as TestRunObject }),
  };
}

/** Names of Secrets without the rescue would be refused. */
const WITHOUT_RESCUE = {
  set: ['rescue.enabled=false'],
  setString: ['rescue.apiKey.existingSecret=', 'rescue.report.existingSecret='],
};

/** n8n's levels that leave out what it says of its task runners. */
const QUIET = ['warn', 'error', 'silent'];
const logLevels = (objects: KubernetesObject[]): string[] =>
  objects
    .flatMap((o) => o.spec?.template?.spec.containers ?? [])
    .flatMap(({ env = [] }) => env)
    .flatMap(({ name, value }) => (name === 'N8N_LOG_LEVEL' && value ? [value] : []));

/** Kinds of objects that act within their namespace. */
const WITHIN = new Set([
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'Role', 'RoleBinding', 'PersistentVolumeClaim'],
  ...['Deployment', 'StatefulSet', 'Job', 'Pod', 'HorizontalPodAutoscaler', 'ScaledObject', 'TriggerAuthentication'],
  ...['NetworkPolicy', 'PodDisruptionBudget', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule'],
]);

/** Refuses objects of extraManifests that reach beyond the namespace: a second route would take requests from the production n8n. */
function requireNoOutsideEffect(objects: KubernetesObject[]): void {
  const own = objects.find(({ kind }) => kind === 'Deployment')?.metadata.namespace;
  const isOutside = ({ kind, metadata: { namespace } }: KubernetesObject) =>
    !WITHIN.has(kind) || (namespace !== undefined && namespace !== own);
  const outside = objects.filter(isOutside);
  if (outside.length === 0) return;
  const names = outside.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
  throw new UsageError(
    `the values make ${names}, which would act beside your n8n in production; leave out extraManifests: --set-json extraManifests=[]`,
  );
}

/**
 * Refuses existing Secrets and volume claims: the namespace is new, and a measurement must not touch other data. The rescue is
 * installed without them.
 */
function requireSelfContained(objects: KubernetesObject[]): void {
  const made = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  for (const { metadata } of objects) {
    const secret = metadata.annotations?.[MAKES_SECRET];
    if (secret !== undefined) made.add(`Secret ${secret}`);
  }
  const needing = objects.filter((object) => !isRescue(object));
  for (const needed of new Set(needing.flatMap(({ spec }) => [...references(spec)]))) {
    if (made.has(needed)) continue;
    throw new UsageError(
      `the values refer to the ${needed}, which does not exist in the new namespace of a measurement; leave existingSecret and ` +
        'existingClaim empty, and use the embedded database and queue.',
    );
  }
}

/** Secrets and volume claims that a part of an object requires, as `Secret name`. */
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
