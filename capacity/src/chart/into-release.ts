import type { Container, ContainerPort, EnvVar, PodSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { runsN8n, type Component } from '../model/events.js';
import type { Values } from '../model/plan.js';
import type { Adopted } from './adopt.js';
import { componentOf, n8nVersion, type KubernetesObject } from './objects.js';
import { isLikelySecret } from './secret-names.js';

/** Values of this chart for the surroundings of another chart's n8n in a cluster: databases, Services and load targets. */
export function releaseValues(objects: KubernetesObject[]): Values {
  const environment = literalVariables(containerOf(findDeployment(objects, 'main')!));
  const isQueue = environment.EXECUTIONS_MODE === 'queue';
  return {
    files: [],
    set: [
      `executions.mode=${isQueue ? 'queue' : 'regular'}`,
      `database.type=${environment.DB_TYPE === 'postgresdb' ? 'postgresql' : 'sqlite'}`,
      'overload.enabled=false',
      ...(isQueue ? [`webhook.replicas=${findDeployment(objects, 'webhook') ? 1 : 0}`] : []),
    ],
    setString: [`image.tag=${n8nVersion(objects)}`],
  };
}

/** n8n's folder in its image. */
const HOME = '/home/node/.n8n';
const LOAD_TARGETS = 'load-targets';
/** The chart's folder of hooks. Another chart's main gets only the hook of the load targets. */
const HOOKS = '/opt/n8n-tuned';
const HOOK = `${HOOKS}/load-targets.js`;

/** Variables that keep this chart's values: hosts of the databases, n8n's ports and folder, and the load targets. */
const OWN_VARIABLES =
  /^(DB_POSTGRESDB_(HOST|PORT|DATABASE|USER|PASSWORD)|QUEUE_BULL_REDIS_(HOST|PORT|PASSWORD)|QUEUE_HEALTH_CHECK_PORT|N8N_(PORT|USER_FOLDER|COMMUNITY_PACKAGES_ENABLED)|LOAD_TARGETS|N8N_LOAD_TARGET_\w+)$/;

/**
 * Puts the n8n of another chart into a release of this one. Databases, Services, labels and load targets are this chart's. Its
 * Deployments run the other chart's pods, with their environment, arguments, replicas, limits and probes. n8n's data are lost
 * with the pod.
 * @param adopted the other chart's n8n
 * @param release this chart's render for `releaseValues`
 * @param ownImage whether this chart's image replaces the other chart's; needed to run another version of n8n
 */
export function mergeIntoRelease(adopted: Adopted, release: KubernetesObject[], ownImage: boolean): Adopted {
  const workloads = adopted.objects.filter((object) => runsN8n(componentOf(object)));
  const configMaps = adopted.objects.filter(({ kind }) => kind === 'ConfigMap');
  const replaced = workloads.map((foreign) => {
    const own = findDeployment(release, componentOf(foreign)!)!;
    const known = new Set(configMaps.map(({ metadata }) => metadata.name));
    return replacePod(ownImage ? replaceImage(foreign, own) : foreign, own, known);
  });
  return {
    objects: [
      ...release.filter((object) => !isReplaced(object)),
      ...configMaps,
      ...replaced.flatMap((each) => each.objects),
    ],
    notes: [...adopted.notes, ...new Set(replaced.flatMap((each) => each.notes))],
  };
}

const isReplaced = (object: KubernetesObject): boolean =>
  (runsN8n(componentOf(object)) && ['Deployment', 'PersistentVolumeClaim'].includes(object.kind)) ||
  object.metadata.annotations?.['helm.sh/hook'] === 'test';

const findDeployment = (objects: KubernetesObject[], component: Component): KubernetesObject | undefined =>
  objects.find((object) => object.kind === 'Deployment' && componentOf(object) === component);
const podOf = ({ spec }: KubernetesObject): PodSpec => spec!.template!.spec;
const containerOf = (object: KubernetesObject): Container => podOf(object).containers[0]!;

const literalVariables = ({ env = [] }: Container): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));

function replaceImage(foreign: KubernetesObject, own: KubernetesObject): KubernetesObject {
  const { image, imagePullPolicy } = containerOf(own);
  const pod = podOf(foreign);
  const [container, ...others] = pod.containers;
  const containers = [{ ...container!, image: image!, imagePullPolicy: imagePullPolicy! }, ...others];
  return { ...foreign, spec: { ...foreign.spec, template: { spec: { ...pod, containers } } } };
}

/** A Deployment of this chart that runs the other chart's pod, and the Secret with its environment. */
function replacePod(foreign: KubernetesObject, own: KubernetesObject, configMaps: Set<string>): Adopted {
  const [container, donor] = [containerOf(foreign), containerOf(own)];
  const secret = `${own.metadata.name}-environment`;
  const { env, data } = mergeEnvironment(container, donor, secret);
  const { volumes, lost } = replaceLostVolumes(podOf(foreign), configMaps);
  const mounts = mountsWithHome(container);
  const isAdded = (added: { name: string }) =>
    isOfLoadTargets(added) || (added.name === 'hooks' && hasLoadTargets(donor));
  const added = podOf(own).volumes!.filter(isAdded);
  const n8n: Container = {
    ...container,
    env,
    ...adaptProbes(container, donor),
    ports: mergePorts(container, donor),
    volumeMounts: [...mounts, ...(donor.volumeMounts ?? []).filter(isAdded)],
  };
  // Service accounts and registry Secrets do not exist in the namespace of a run.
  const { serviceAccountName: _, serviceAccount: __, imagePullSecrets: ___, ...kept } = podOf(foreign);
  const pod: PodSpec = {
    ...kept,
    automountServiceAccountToken: false,
    initContainers: adaptInitContainers(own, n8n, mounts),
    containers: [n8n],
    volumes: [...volumes, ...added],
  };
  const { template, ...spec } = own.spec!;
  return {
    objects: [
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret }, stringData: data },
      {
        ...own,
        spec: { ...spec, replicas: foreign.spec?.replicas ?? 1, template: { ...template, spec: pod } },
      },
    ],
    notes: lost.map((name) => `volume ${name} of ${foreign.metadata.name} is an empty folder`),
  };
}

/** The other chart's environment, with secrets by reference, and this chart's variables for databases and load targets. */
function mergeEnvironment(
  container: Container,
  donor: Container,
  secret: string,
): { env: EnvVar[]; data: Record<string, string> } {
  const own = (donor.env ?? []).filter(({ name }) => OWN_VARIABLES.test(name));
  const given = literalVariables(container);
  const hooks = hasLoadTargets(donor) ? [given.EXTERNAL_HOOK_FILES, HOOK] : [];
  const environment = {
    ...given,
    ...(hooks.length > 0 && { EXTERNAL_HOOK_FILES: hooks.filter(Boolean).join(':') }),
  };
  const kept = Object.entries(environment).filter(([name]) => !own.some((variable) => variable.name === name));
  const isSecret = ([name, value]: [string, string]) => isLikelySecret(name) && value !== '';
  return {
    env: [
      ...kept.map((entry): EnvVar =>
        isSecret(entry)
          ? { name: entry[0], valueFrom: { secretKeyRef: { name: secret, key: entry[0] } } }
          : { name: entry[0], value: entry[1] },
      ),
      ...own,
    ],
    data: Object.fromEntries(kept.filter(isSecret)),
  };
}

/** Whether a container is main's and has load targets to activate. */
const hasLoadTargets = ({ env = [] }: Container): boolean =>
  env.some(({ name, value }) => name === 'LOAD_TARGETS' && value);

/** This chart's init container for the other chart's pod. It installs the node and, on main, imports the load targets. */
function adaptInitContainers(own: KubernetesObject, n8n: Container, mounts: VolumeMount[]): Container[] {
  const prepare = podOf(own).initContainers?.find(({ name }) => name === LOAD_TARGETS);
  if (!prepare) return [];
  const known = new Set((n8n.env ?? []).map(({ name }) => name));
  const others = (containerOf(own).env ?? []).map(({ name }) => name);
  // Only variables of the init container itself. Those that it shares with n8n come from the other chart's n8n.
  const settings = (prepare.env ?? []).filter(({ name }) => !known.has(name) && !others.includes(name));
  const { image, imagePullPolicy, resources, securityContext } = n8n;
  return [
    {
      ...prepare,
      ...withoutUndefined({ image, imagePullPolicy, resources, securityContext }),
      env: [...(n8n.env ?? []), ...settings],
      volumeMounts: [...mounts, ...(prepare.volumeMounts ?? []).filter(isOfLoadTargets)],
    },
  ];
}

const withoutUndefined = <T extends object>(object: T): Partial<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;

const isOfLoadTargets = ({ name }: { name: string }): boolean => name.startsWith(LOAD_TARGETS);

/** The volume for n8n's folder if the other chart mounts none there. */
const HOME_VOLUME = 'n8n-tuned-home';

/** Mounts of the container, n8n's folder included: the init container links the node into it. */
function mountsWithHome({ volumeMounts = [] }: Container): VolumeMount[] {
  const isThere = volumeMounts.some(({ mountPath }) => HOME === mountPath || HOME.startsWith(`${mountPath}/`));
  return isThere ? volumeMounts : [...volumeMounts, { name: HOME_VOLUME, mountPath: HOME }];
}

/** Volumes of the pod. An empty folder replaces each that does not exist in the namespace of a run, such as a claim. */
function replaceLostVolumes(pod: PodSpec, configMaps: Set<string>): { volumes: Volume[]; lost: string[] } {
  const given = pod.volumes ?? [];
  const isKept = ({ configMap, emptyDir, downwardAPI }: Volume) =>
    configMap ? configMaps.has(configMap.name ?? '') : emptyDir !== undefined || downwardAPI !== undefined;
  const names = new Set([
    ...given.map(({ name }) => name),
    ...mountsWithHome(pod.containers[0]!).map(({ name }) => name),
  ]);
  const volumes = [...names].map(
    (name): Volume => given.find((volume) => volume.name === name && isKept(volume)) ?? { name, emptyDir: {} },
  );
  const isLost = (name: string) => name !== HOME_VOLUME && !given.some((v) => v.name === name && isKept(v));
  return { volumes, lost: [...names].filter(isLost) };
}

/** This chart's ports, to which its Services refer by name, and the other chart's. Kubernetes allows each number only once. */
function mergePorts(container: Container, { ports: own = [] }: Container): ContainerPort[] {
  const theirs = n8nPort(container);
  const isOwn = ({ name, containerPort }: ContainerPort) =>
    containerPort === theirs || own.some((port) => port.name === name || port.containerPort === containerPort);
  return [...own, ...(container.ports ?? []).filter((port) => !isOwn(port))];
}

/** The port on which n8n listens in the other chart; 5678 is n8n's default. */
const n8nPort = (container: Container): number => Number(literalVariables(container).N8N_PORT || 5678);

const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;

/** The HTTP probes of the container, with port numbers; n8n's port is the one on which it listens here. */
function adaptProbes(container: Container, { ports: [listens] = [] }: Container): Partial<Container> {
  const { ports = [] } = container;
  const theirs = n8nPort(container);
  const numberOf = (port: string | number) =>
    typeof port === 'number' ? port : (ports.find(({ name }) => name === port)?.containerPort ?? theirs);
  const here = (port: string | number) => (numberOf(port) === theirs ? listens!.containerPort : numberOf(port));
  const entries = PROBES.flatMap((name) => {
    const probe = container[name];
    if (!probe?.httpGet) return [];
    return [[name, { ...probe, httpGet: { ...probe.httpGet, port: here(probe.httpGet.port) } }]];
  });
  return Object.fromEntries(entries) as Partial<Container>;
}
