import type { Container, EnvVar, PodSpec } from 'kubernetes-types/core/v1.js';
import semver from 'semver';
import { refuse } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { variableOf } from '../core/variables.js';
import type { Component } from '../model/events.js';
import type { Foreign } from '../model/plan.js';
import { DATABASE_NAMES, providedDatabases, type Place, type ProvidedDatabases } from './adopt-databases.js';
import { adoptedEnvironment, madeUpSecrets, type AdoptedEnvironment } from './adopt-environment.js';
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
const MEASURING: EnvVar[] = [
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
export function adopt(
  manifests: KubernetesObject[],
  { n8n, overrides = {} }: Pick<Foreign, 'n8n' | 'overrides'> = {},
  place: Place = 'machine',
): Adopted {
  const found = manifests.filter(isWorkload).flatMap((object) => workload(object));
  const chosen = served(found);
  const main = chosen.find(({ component }) => component === 'main');
  if (!main) throw new UsageError("the manifests have no Deployment or StatefulSet that runs n8n's main.");
  const version = n8n ?? versionOf(main.container);
  const secrets = madeUpSecrets();
  const variables = variablesIn(overrides);
  const resolved = chosen.map((each) => {
    const { environment, notes } = adoptedEnvironment(
      { name: nameOf(each.object), container: each.container, volumes: specOf(each.object)?.volumes ?? [] },
      manifests,
      secrets,
      place,
    );
    return { ...each, notes, environment: { ...environment, ...variables } };
  });
  refuse([
    ...sameNames(chosen),
    ...chosen.flatMap(({ object }) => nameProblems(object)),
    ...resolved.flatMap((each) => (place === 'machine' ? codeOf(each, manifests) : hostProblems(each))),
  ]);
  const ofMain = resolved.find(({ object }) => object === main.object)!.environment;
  const databases = providedDatabases(ofMain, place);
  const key = encryptionKey(ofMain);
  const shared = { ...key, ...databases.environment };
  const configMaps = manifests.filter(({ kind }) => kind === 'ConfigMap');
  const deployments = resolved.map((each) =>
    adopted(each, { ...withoutFilesOf(shared, each.environment), ...shared }, version, replicasOf(each, manifests)),
  );
  changeParts(deployments, overrides);
  return {
    objects: [...configMaps, ...databases.objects, ...deployments],
    notes: [
      ...overrideNotes(overrides),
      ...notesOf(manifests, chosen, resolved, databases, place),
      ...Object.keys(key).map((name) => `${name} is generated, the same for all processes`),
    ],
  };
}

const isWorkload = ({ kind }: KubernetesObject) => kind === 'Deployment' || kind === 'StatefulSet';
const specOf = ({ spec }: KubernetesObject): PodSpec | undefined => spec?.template?.spec;
const nameOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;

/** The workload, if one of its containers runs n8n. */
function workload(object: KubernetesObject): Workload[] {
  const container = specOf(object)?.containers.find(runsN8n);
  return container ? [{ object, container, component: roleOf(container) }] : [];
}

const runsN8n = ({ image = '', command }: Container): boolean =>
  /(^|\/)n8n([:@]|$)/.test(image) || command?.[0] === 'n8n';

/** The arguments of n8n. Throws UsageError for a command that is not n8n's, and for options other than --concurrency. */
function argumentsOf({ name, command, args }: Container): string[] {
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
const sameNames = (found: Workload[]): string[] =>
  found.flatMap(({ object }, i) => {
    const other = found.slice(0, i).find((each) => each.object.metadata.name === object.metadata.name);
    return other ? [`${nameOf(other.object)} and ${nameOf(object)}: have the same name; give each its own.`] : [];
  });

/** Bytes of the longest file name. */
const LONGEST_FILE = 255;
const LONGEST_NAME = LONGEST_FILE - `-${MOST_PODS - 1}.log`.length;

/** Reasons why the name of a workload cannot name its pods and their logs. */
function nameProblems(object: KubernetesObject): string[] {
  const { name } = object.metadata;
  if (DATABASE_NAMES.includes(name))
    return [`${nameOf(object)}: is the name of a database of the run; give it another one.`];
  if (name.length <= LONGEST_NAME) return [];
  return [`${nameOf(object)}: is too long for the names of logs; write at most ${LONGEST_NAME} characters.`];
}

/** Problems of a workload that would run code other than n8n's on this machine. */
const codeOf = ({ object, container, environment }: Workload & AdoptedEnvironment, manifests: KubernetesObject[]) =>
  codeProblems({ name: nameOf(object), container, volumes: specOf(object)?.volumes ?? [], environment }, manifests);

function roleOf(container: Container): Component {
  const [command] = argumentsOf(container);
  return command === 'worker' || command === 'webhook' ? command : 'main';
}

/**
 * Keeps only one Deployment of webhook processors: only an Ingress knows which requests go to which. The one with most
 * replicas stays; among equals, one that does not serve MCP.
 */
function served(found: Workload[]): Workload[] {
  const replicas = ({ object }: Workload) => object.spec?.replicas ?? 1;
  const isMcp = ({ object }: Workload) => Number(/mcp/.test(object.metadata.name));
  const [webhook] = found
    .filter(({ component }) => component === 'webhook')
    .sort((a, b) => replicas(b) - replicas(a) || isMcp(a) - isMcp(b));
  return found.filter((each) => each.component !== 'webhook' || each === webhook);
}

/** Number of pods of a workload: its replicas, or the minimum of its autoscaler. Throws UsageError if main has none. */
function replicasOf({ object, component }: Workload, objects: KubernetesObject[]): number {
  const scaler = objects.find(({ spec }) => spec?.scaleTargetRef?.name === object.metadata.name)?.spec;
  const replicas = object.spec?.replicas ?? scaler?.minReplicas ?? scaler?.minReplicaCount ?? 1;
  if (component === 'main' && replicas < 1)
    throw new UsageError(`${nameOf(object)}: has ${replicas} replicas; main needs one.`);
  return replicas;
}

/** The environment without NAME_FILE where the tool sets NAME: n8n below 2 prefers NAME_FILE. */
const withoutFilesOf = (set: Record<string, string>, environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) =>
        variableOf(name) === name ||
        !(variableOf(name) in set || MEASURING.some((variable) => variable.name === variableOf(name))),
    ),
  );

/** A generated encryption key for queue mode, where all processes need the same one. In a single process n8n generates it. */
const encryptionKey = ({
  EXECUTIONS_MODE: mode,
  N8N_ENCRYPTION_KEY: key,
}: Record<string, string>): Record<string, string> =>
  mode === 'queue' && !key ? { N8N_ENCRYPTION_KEY: randomSecret() } : {};

/** The version of n8n in the tag of an image. Throws UsageError for a tag such as `stable`. */
function versionOf({ image = '' }: Container): string {
  const tag = /:([^:/@]+)(@|$)/.exec(image)?.[1] ?? 'latest';
  const version = semver.valid(tag);
  if (version === null)
    throw new UsageError(
      `image ${image}: its tag is not a version of n8n; set the version to run, such as --n8n 2.41.1.`,
    );
  return version;
}

/** The workload as a Deployment of this chart. */
function adopted(
  { object, container, component }: Workload,
  environment: Record<string, string>,
  version: string,
  replicas: number,
): KubernetesObject {
  const { lifecycle: _, envFrom: __, command: ___, ...kept } = container;
  const env = [...Object.entries(environment).map(([name, value]) => ({ name, value })), ...MEASURING];
  const spec = { ...specOf(object)!, initContainers: [], containers: [{ ...kept, args: argumentsOf(container), env }] };
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
const STARTING = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'];

function notesOf(
  manifests: KubernetesObject[],
  chosen: Workload[],
  environments: AdoptedEnvironment[],
  databases: ProvidedDatabases,
  place: Place,
): string[] {
  const left = manifests.filter(
    (object) => STARTING.includes(object.kind) && !chosen.some((each) => each.object === object),
  );
  const scaled = manifests.filter(({ spec }) => spec?.scaleTargetRef);
  return [
    ...left.map((object) => `${nameOf(object)} is left out`),
    ...chosen.flatMap((workload) => leftOutOf(workload, place)),
    ...scaled.map((object) => `${nameOf(object)} does not scale`),
    ...new Set(environments.flatMap(({ notes }) => notes)),
    ...databases.notes,
    `${MEASURING.map(({ name }) => name).join(', ')} are on: the measurement needs them`,
  ];
}

/** Notes on the parts of a pod that are left out. */
function leftOutOf({ object, container }: Workload, place: Place): string[] {
  const { containers, initContainers } = specOf(object)!;
  const others = [...(initContainers ?? []), ...containers.filter((each) => each !== container)];
  const probes = [container.livenessProbe, container.readinessProbe, container.startupProbe];
  return [
    ...others.map(({ name }) => `container ${name} of ${nameOf(object)} is left out`),
    ...(Object.keys(container.lifecycle ?? {}).length > 0
      ? [`the lifecycle hook of ${nameOf(object)} is left out`]
      : []),
    ...(place === 'machine' && probes.some((probe) => probe && !probe.httpGet)
      ? [`probes of ${nameOf(object)} that send no HTTP request are left out`]
      : []),
  ];
}
