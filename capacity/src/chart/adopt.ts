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

/** Manifests of another chart, as this one would have rendered them. */
export interface Adopted {
  objects: KubernetesObject[];
  /** What is not as the manifests say, each as a clause. */
  notes: string[];
}

/** A workload that runs n8n. */
interface Workload {
  object: KubernetesObject;
  container: Container;
  component: Component;
}

/** What counts executions and tells when a worker is ready. */
const MEASURING: EnvVar[] = [
  { name: 'N8N_METRICS', value: 'true' },
  { name: 'N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS', value: 'true' },
  { name: 'N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL', value: 'true' },
  { name: 'QUEUE_HEALTH_CHECK_ACTIVE', value: 'true' },
];

/**
 * Manifests of any n8n as the objects of this chart: the role of a pod is read from its command, its environment is resolved,
 * and databases that n8n connects to are provided. Environment, arguments, replicas and limits stay as they are.
 * @param n8n version to run instead of that of the image
 * @param overrides what this run changes
 * @param place where it is to run
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
  if (!main) throw new UsageError('the manifests hold no Deployment or StatefulSet that runs main of n8n.');
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
      ...Object.keys(key).map((name) => `${name} is made up, the same for all`),
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

/** n8n's command, without the name of its program. Throws UsageError for a shell's, and for options beside --concurrency. */
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
    `container ${name}: starts n8n with "${strange}"; only the option --concurrency of a worker can be kept, remove others.`,
  );
}
const ENTRYPOINTS = ['tini', '--', '/docker-entrypoint.sh', 'n8n'];

/** Pods get the names of their workloads: one name for two would be one folder and one log. */
const sameNames = (found: Workload[]): string[] =>
  found.flatMap(({ object }, i) => {
    const other = found.slice(0, i).find((each) => each.object.metadata.name === object.metadata.name);
    return other ? [`${nameOf(other.object)} and ${nameOf(object)}: have the same name; give each its own.`] : [];
  });

/** Longest name of a file, in bytes. */
const LONGEST_FILE = 255;
const LONGEST_NAME = LONGEST_FILE - `-${MOST_PODS - 1}.log`.length;

/** Why a name cannot be that of pods and of their logs. */
function nameProblems(object: KubernetesObject): string[] {
  const { name } = object.metadata;
  if (DATABASE_NAMES.includes(name))
    return [`${nameOf(object)}: is the name of a database of the run; give it another one.`];
  if (name.length <= LONGEST_NAME) return [];
  return [`${nameOf(object)}: is too long for the names of logs; write at most ${LONGEST_NAME} characters.`];
}

/** What of a workload would run code on this machine that is not n8n's. */
const codeOf = ({ object, container, environment }: Workload & AdoptedEnvironment, manifests: KubernetesObject[]) =>
  codeProblems({ name: nameOf(object), container, volumes: specOf(object)?.volumes ?? [], environment }, manifests);

function roleOf(container: Container): Component {
  const [command] = argumentsOf(container);
  return command === 'worker' || command === 'webhook' ? command : 'main';
}

/**
 * Of several Deployments of webhook processors the one with most replicas, and rather not one of MCP: which requests go where,
 * only an Ingress knows.
 */
function served(found: Workload[]): Workload[] {
  const replicas = ({ object }: Workload) => object.spec?.replicas ?? 1;
  const isMcp = ({ object }: Workload) => Number(/mcp/.test(object.metadata.name));
  const [webhook] = found
    .filter(({ component }) => component === 'webhook')
    .sort((a, b) => replicas(b) - replicas(a) || isMcp(a) - isMcp(b));
  return found.filter((each) => each.component !== 'webhook' || each === webhook);
}

/** Pods of a workload: its replicas, or the fewest of its autoscaler. Throws UsageError for a main without a pod. */
function replicasOf({ object, component }: Workload, objects: KubernetesObject[]): number {
  const scaler = objects.find(({ spec }) => spec?.scaleTargetRef?.name === object.metadata.name)?.spec;
  const replicas = object.spec?.replicas ?? scaler?.minReplicas ?? scaler?.minReplicaCount ?? 1;
  if (component === 'main' && replicas < 1)
    throw new UsageError(`${nameOf(object)}: has ${replicas} replicas; main needs one.`);
  return replicas;
}

/** The environment without files that hold what the tool sets: n8n below 2 takes NAME_FILE rather than NAME. */
const withoutFilesOf = (set: Record<string, string>, environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) =>
        variableOf(name) === name ||
        !(variableOf(name) in set || MEASURING.some((variable) => variable.name === variableOf(name))),
    ),
  );

/** In queue mode all processes need the same key; in one process n8n makes it. */
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
      `image ${image}: its tag names no version of n8n; say which one to run with --n8n, such as --n8n 2.41.1.`,
    );
  return version;
}

/** The workload in the words of this chart. */
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

/** What of a pod is left out. */
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
