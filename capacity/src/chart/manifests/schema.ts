import { z } from 'zod';
import { LONGEST_TIMER_SECONDS } from '../../core/timers.js';
import {
  anyText,
  dataKey,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  mountPath,
  kindOfValue,
  pathInside,
  pathSegment,
  qualifiedName,
  formatValue,
  variableName,
} from './names.js';

/** Pods that a workload may have. A larger number is more likely a typing error than a plan. */
export const MOST_PODS = 1000;

const WHOLE = `must be a whole number from 0 to ${MOST_PODS}`;
const pods = z.number({ error: WHOLE }).int(WHOLE).min(0, WHOLE).max(MOST_PODS, WHOLE);
const COUNT = `must be a whole number from 0 to ${LONGEST_TIMER_SECONDS}`;
const count = z.number({ error: COUNT }).int(COUNT).min(0, COUNT).max(LONGEST_TIMER_SECONDS, COUNT);

/** Message for a value that is not a section of keys. It does not show the value, which may be secret. */
const notSectionMessage = ({ input }: { input?: unknown }): string =>
  input === undefined ? 'is missing' : `is ${kindOfValue(input)}, not a section of keys`;

const section = <T extends z.core.$ZodLooseShape>(shape: T) => z.looseObject(shape, { error: notSectionMessage });
const list = <T extends z.ZodType>(item: T) =>
  z.array(item, {
    error: ({ input }) => (input === undefined ? 'is missing' : `is ${kindOfValue(input)}, not a list`),
  });
const keyed = <K extends typeof dataKey, V extends z.ZodType>(key: K, value: V) =>
  z.record(key, value, { error: notSectionMessage });

const labelled = {
  labels: keyed(qualifiedName, labelValue).optional(),
  annotations: keyed(qualifiedName, anyText).optional(),
};

const metadata = (name: typeof dnsSubdomain) => section({ name, namespace: dnsLabel.optional(), ...labelled });

const keyRef = section({ name: dnsSubdomain, key: dataKey }).optional();

const variable = section({
  name: variableName,
  value: anyText.optional(),
  valueFrom: section({
    secretKeyRef: keyRef,
    configMapKeyRef: keyRef,
    fieldRef: section({ fieldPath: anyText }).optional(),
  }).optional(),
});

const sourceRef = section({ name: dnsSubdomain }).optional();
const variablesFrom = section({
  prefix: variableName.or(z.literal('')).optional(),
  configMapRef: sourceRef,
  secretRef: sourceRef,
}).refine((from) => from.configMapRef !== undefined || from.secretRef !== undefined, {
  error: 'names neither configMapRef nor secretRef',
});

const probe = section({
  httpGet: section({ path: anyText.optional(), port: z.union([z.string(), z.number()]).optional() }).optional(),
  periodSeconds: count.optional(),
  timeoutSeconds: count.optional(),
  failureThreshold: count.optional(),
}).optional();

const container = section({
  name: dnsLabel,
  image: anyText.optional(),
  command: list(anyText).optional(),
  args: list(anyText).optional(),
  env: list(variable).optional(),
  envFrom: list(variablesFrom).optional(),
  volumeMounts: list(
    section({ name: dnsLabel, mountPath, subPath: pathInside.optional(), subPathExpr: pathInside.optional() }),
  ).optional(),
  lifecycle: section({}).optional(),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
});

const volume = section({
  name: dnsLabel,
  configMap: section({
    name: dnsSubdomain.optional(),
    items: list(section({ key: dataKey, path: pathInside })).optional(),
  }).optional(),
});

/** The first name that is given twice; undefined if none is. */
const findDuplicateName = (items: { name: string }[] = []) =>
  items.map(({ name }) => name).find((name, i, names) => names.indexOf(name) !== i);

const pod = section({
  containers: list(container).min(1, 'is empty'),
  initContainers: list(container).optional(),
  volumes: list(volume)
    .refine((volumes) => findDuplicateName(volumes) === undefined, {
      error: ({ input }) => `${formatValue(findDuplicateName(input as { name: string }[]))} is the name of two volumes`,
    })
    .optional(),
  terminationGracePeriodSeconds: count.optional(),
});

const workload = section({
  metadata: metadata(dnsSubdomain),
  spec: section({
    replicas: pods.optional(),
    template: section({ metadata: section(labelled).optional(), spec: pod }),
  }),
});

const autoscaler = section({
  metadata: metadata(dnsSubdomain),
  spec: section({
    scaleTargetRef: section({ name: dnsSubdomain }),
    minReplicas: pods.optional(),
    minReplicaCount: pods.optional(),
    maxReplicas: count.optional(),
    maxReplicaCount: count.optional(),
  }),
});

const data = section({
  metadata: metadata(dnsSubdomain),
  data: keyed(dataKey, anyText).optional(),
  stringData: keyed(dataKey, anyText).optional(),
  binaryData: keyed(dataKey, anyText).optional(),
});

const KINDS: Record<string, z.ZodType> = {
  Deployment: workload,
  StatefulSet: workload,
  ConfigMap: data,
  Secret: data,
};

/** Kinds that the tool reads. */
export const isReadKind = (kind: string): boolean => Object.hasOwn(KINDS, kind);

/** Kinds whose names may hold a colon. */
const WITH_COLON = /^(Cluster)?Role(Binding)?$/;

/** Schema of the fields that are read from an object of this kind. Names, keys and paths must be valid in Kubernetes. */
export function schemaForKind(kind: string, { spec }: { spec?: unknown }): z.ZodType {
  if (isReadKind(kind)) return KINDS[kind]!;
  if (typeof spec === 'object' && spec !== null && 'scaleTargetRef' in spec) return autoscaler;
  return section({ metadata: metadata(WITH_COLON.test(kind) ? pathSegment : dnsSubdomain) });
}
