import type { Container, EnvVar, PodSpec } from 'kubernetes-types/core/v1.js';
import semver from 'semver';
import { throwIfProblems } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { stripFileSuffix } from '../core/variables.js';
import type { Component } from '../model/events.js';
import type { Foreign } from '../model/plan.js';
import { DATABASE_NAMES, provideDatabases, type DeploymentPlace, type ProvidedDatabases } from './adopt-databases.js';
import { resolveEnvironment, inventSecrets, type AdoptedEnvironment } from './adopt-environment.js';
import { changeParts, overrideNotes, variablesIn } from './adopt-overrides.js';
import { randomSecret } from './environment.js';
import { hostProblems } from './host-access.js';
import { MOST_PODS } from './manifests/schema.js';
import { COMPONENT_LABEL, type KubernetesObject } from './objects.js';
import { codeProblems } from './runs-code.js';

/** Manifests of another chart, converted to objects as this chart renders them. */
export interface Adopted {
  objects: KubernetesObject[];
  /** Differences from the manifests, each a clause. */
  notes: string[];
}

/** A workload that runs n8n. */
interface Workload {
  object: KubernetesObject;
  container: Container;
  component: Component;
}

/** Variables that the measurement needs: they count executions and show when a worker is ready. */
const MEASUREMENT_VARIABLES: EnvVar[] = [
  { name: 'N8N_METRICS', value: 'true' },
  { name: 'N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS', value: 'true' },
  { name: 'N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL', value: 'true' },
  { name: 'QUEUE_HEALTH_CHECK_ACTIVE', value: 'true' },
];

/**
 * Converts the manifests of any n8n to objects of this chart. The role of a pod is read from its command, its environment is
 * resolved, and databases that n8n connects to are provided. Environment, arguments, replicas and limits are kept.
 * @param n8n version to run instead of that of the image
 * @param overrides changes of this run
 * @param place where n8n runs
 * @throws UsageError that names what cannot be run
 */
export function adoptManifests(
  manifests: KubernetesObject[],
  { n8n, overrides = {} }: Pick<Foreign, 'n8n' | 'overrides'> = {},
  place: DeploymentPlace = 'machine',
): Adopted {
  const found = manifests.filter(isWorkload).flatMap((object) => findN8nWorkload(object));
  const chosen = keepOneWebhookDeployment(found);
  const main = chosen.find(({ component }) => component === 'main');
  if (!main) throw new UsageError("the manifests have no Deployment or StatefulSet that runs n8n's main.");
  const version = n8n ?? imageVersion(main.container);
  const secrets = inventSecrets();
  const variables = variablesIn(overrides);
  const resolved = chosen.map((each) => {
    const { environment, notes } = resolveEnvironment(
      { name: kindAndName(each.object), container: each.container, volumes: specOf(each.object)?.volumes ?? [] },
      manifests,
      secrets,
      place,
    );
    return { ...each, notes, environment: { ...environment, ...variables } };
  });
  throwIfProblems([
    ...duplicateNameProblems(chosen),
    ...chosen.flatMap(({ object }) => nameProblems(object)),
    ...resolved.flatMap((each) => (place === 'machine' ? workloadCodeProblems(each, manifests) : hostProblems(each))),
  ]);
  const ofMain = resolved.find(({ object }) => object === main.object)!.environment;
  const databases = provideDatabases(ofMain, place);
  const key = generateEncryptionKey(ofMain);
  const shared = { ...key, ...databases.environment };
  const configMaps = manifests.filter(({ kind }) => kind === 'ConfigMap');
  const deployments = resolved.map((each) =>
    toDeployment(
      each,
      { ...withoutFileVariables(shared, each.environment), ...shared },
      version,
      countReplicas(each, manifests),
    ),
  );
  changeParts(deployments, overrides);
  return {
    objects: [...configMaps, ...databases.objects, ...deployments],
    notes: [
      ...overrideNotes(overrides),
      ...adoptionNotes(manifests, chosen, resolved, databases, place),
      ...Object.keys(key).map((name) => `${name} is generated, the same for all processes`),
    ],
  };
}

const isWorkload = ({ kind }: KubernetesObject) => kind === 'Deployment' || kind === 'StatefulSet';
const specOf = ({ spec }: KubernetesObject): PodSpec | undefined => spec?.template?.spec;
const kindAndName = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;

/** The workload, if one of its containers runs n8n. */
function findN8nWorkload(object: KubernetesObject): Workload[] {
  const container = specOf(object)?.containers.find(runsN8n);
  return container ? [{ object, container, component: readRole(container) }] : [];
}

const runsN8n = ({ image = '', command }: Container): boolean =>
  /(^|\/)n8n([:@]|$)/.test(image) || command?.[0] === 'n8n';

/** The arguments of n8n. Throws UsageError for a command that is not n8n's, and for options other than --concurrency. */
function n8nArguments({ name, command, args }: Container): string[] {
  const words = [...(command ?? []), ...(args ?? [])].filter((word) => !ENTRYPOINTS.includes(word));
  const [role, ...options] = words;
  if (role !== undefined && !/^(start|worker|webhook)$/.test(role))
    throw new UsageError(
      `container ${name}: starts "${words.join(' ')}"; only n8n's own commands start, worker and webhook can be run.`,
    );
  const [strange] = options.filter(
    (word, i) => !/^--concurrency(=.*)?$/s.test(word) && options[i - 1] !== '--concurrency',
  );
  if (strange === undefined) return words;
  throw new UsageError(
    `container ${name}: starts n8n with "${strange}"; only the option --concurrency of a worker is supported; remove the others.`,
  );
}
const ENTRYPOINTS = ['tini', '--', '/docker-entrypoint.sh', 'n8n'];

/** Problems of workloads with the same name. Pods take the names of their workloads, and each needs its own folder and log. */
const duplicateNameProblems = (found: Workload[]): string[] =>
  found.flatMap(({ object }, i) => {
    const other = found.slice(0, i).find((each) => each.object.metadata.name === object.metadata.name);
    return other
      ? [`${kindAndName(other.object)} and ${kindAndName(object)}: have the same name; give each its own.`]
      : [];
  });

/** Bytes of the longest file name. */
const LONGEST_FILE = 255;
const LONGEST_NAME = LONGEST_FILE - `-${MOST_PODS - 1}.log`.length;

/** Reasons why the name of a workload cannot name its pods and their logs. */
function nameProblems(object: KubernetesObject): string[] {
  const { name } = object.metadata;
  if (DATABASE_NAMES.includes(name))
    return [`${kindAndName(object)}: is the name of a database of the run; give it another one.`];
  if (name.length <= LONGEST_NAME) return [];
  return [`${kindAndName(object)}: is too long for the names of logs; write at most ${LONGEST_NAME} characters.`];
}

/** Problems of a workload that would run code other than n8n's on this machine. */
const workloadCodeProblems = (
  { object, container, environment }: Workload & AdoptedEnvironment,
  manifests: KubernetesObject[],
) =>
  codeProblems(
    { name: kindAndName(object), container, volumes: specOf(object)?.volumes ?? [], environment },
    manifests,
  );

function readRole(container: Container): Component {
  const [command] = n8nArguments(container);
  return command === 'worker' || command === 'webhook' ? command : 'main';
}

/**
 * Keeps only one Deployment of webhook processors: only an Ingress knows which requests go to which. The one with most
 * replicas stays; among equals, one that does not serve MCP.
 */
function keepOneWebhookDeployment(found: Workload[]): Workload[] {
  const replicas = ({ object }: Workload) => object.spec?.replicas ?? 1;
  const isMcp = ({ object }: Workload) => Number(/mcp/.test(object.metadata.name));
  const [webhook] = found
    .filter(({ component }) => component === 'webhook')
    .sort((a, b) => replicas(b) - replicas(a) || isMcp(a) - isMcp(b));
  return found.filter((each) => each.component !== 'webhook' || each === webhook);
}

/** Number of pods of a workload: its replicas, or the minimum of its autoscaler. Throws UsageError if main has none. */
function countReplicas({ object, component }: Workload, objects: KubernetesObject[]): number {
  const scaler = objects.find(({ spec }) => spec?.scaleTargetRef?.name === object.metadata.name)?.spec;
  const replicas = object.spec?.replicas ?? scaler?.minReplicas ?? scaler?.minReplicaCount ?? 1;
  if (component === 'main' && replicas < 1)
    throw new UsageError(`${kindAndName(object)}: has ${replicas} replicas; main needs one.`);
  return replicas;
}

/** The environment without NAME_FILE where the tool sets NAME: n8n below 2 prefers NAME_FILE. */
const withoutFileVariables = (
  set: Record<string, string>,
  environment: Record<string, string>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) =>
        stripFileSuffix(name) === name ||
        !(
          stripFileSuffix(name) in set ||
          MEASUREMENT_VARIABLES.some((variable) => variable.name === stripFileSuffix(name))
        ),
    ),
  );

/** A generated encryption key for queue mode, where all processes need the same one. In a single process n8n generates it. */
const generateEncryptionKey = ({
  EXECUTIONS_MODE: mode,
  N8N_ENCRYPTION_KEY: key,
}: Record<string, string>): Record<string, string> =>
  mode === 'queue' && !key ? { N8N_ENCRYPTION_KEY: randomSecret() } : {};

/** The version of n8n in the tag of an image. Throws UsageError for a tag such as `stable`. */
function imageVersion({ image = '' }: Container): string {
  const tag = /:([^:/@]+)(@|$)/.exec(image)?.[1] ?? 'latest';
  const version = semver.valid(tag);
  if (version === null)
    throw new UsageError(
      `image ${image}: its tag is not a version of n8n; set the version to run, such as --n8n 2.41.1.`,
    );
  return version;
}

/** The workload as a Deployment of this chart. */
function toDeployment(
  { object, container, component }: Workload,
  environment: Record<string, string>,
  version: string,
  replicas: number,
): KubernetesObject {
  const { lifecycle: _, envFrom: __, command: ___, ...kept } = container;
  const env = [...Object.entries(environment).map(([name, value]) => ({ name, value })), ...MEASUREMENT_VARIABLES];
  const spec = {
    ...specOf(object)!,
    initContainers: [],
    containers: [{ ...kept, args: n8nArguments(container), env }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: object.metadata.name,
      labels: { [COMPONENT_LABEL]: component, 'app.kubernetes.io/version': version },
    },
    spec: { replicas, template: { spec } },
  };
}

/** Kinds that start processes. */
const PROCESS_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'];

function adoptionNotes(
  manifests: KubernetesObject[],
  chosen: Workload[],
  environments: AdoptedEnvironment[],
  databases: ProvidedDatabases,
  place: DeploymentPlace,
): string[] {
  const left = manifests.filter(
    (object) => PROCESS_KINDS.includes(object.kind) && !chosen.some((each) => each.object === object),
  );
  const scaled = manifests.filter(({ spec }) => spec?.scaleTargetRef);
  return [
    ...left.map((object) => `${kindAndName(object)} is left out`),
    ...chosen.flatMap((workload) => leftOutNotes(workload, place)),
    ...scaled.map((object) => `${kindAndName(object)} does not scale`),
    ...new Set(environments.flatMap(({ notes }) => notes)),
    ...databases.notes,
    `${MEASUREMENT_VARIABLES.map(({ name }) => name).join(', ')} are on: the measurement needs them`,
  ];
}

/** Notes on the parts of a pod that are left out. */
function leftOutNotes({ object, container }: Workload, place: DeploymentPlace): string[] {
  const { containers, initContainers } = specOf(object)!;
  const others = [...(initContainers ?? []), ...containers.filter((each) => each !== container)];
  const probes = [container.livenessProbe, container.readinessProbe, container.startupProbe];
  return [
    ...others.map(({ name }) => `container ${name} of ${kindAndName(object)} is left out`),
    ...(Object.keys(container.lifecycle ?? {}).length > 0
      ? [`the lifecycle hook of ${kindAndName(object)} is left out`]
      : []),
    ...(place === 'machine' && probes.some((probe) => probe && !probe.httpGet)
      ? [`probes of ${kindAndName(object)} that send no HTTP request are left out`]
      : []),
  ];
}
