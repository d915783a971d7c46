import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, podSpec, refusals, render, type Values } from '../render.js';
import { type Case, tests } from './cases.js';

const context = (kind: string, fields: Values): Values => ({ securityContext: { [kind]: fields } });
const extra = (list: string, fields: Values): Values => ({
  main: { [list]: [{ name: 'sidecar', image: 'example.com/sidecar:1', ...fields }] },
});

/** Each field of the table with a content that is refused; `all`: of pods and of containers. */
const fields: [code: string, of: 'pod' | 'container' | 'all', field: string, content: string, fields: Values][] = [
  ['root-or-privileged', 'all', 'runAsUser', '0', { runAsUser: 0 }],
  ['root-or-privileged', 'all', 'runAsGroup', '0', { runAsGroup: 0 }],
  ['root-or-privileged', 'all', 'runAsNonRoot', 'false', { runAsNonRoot: false }],
  ['root-or-privileged', 'all', 'runAsNonRoot', 'null', { runAsNonRoot: null }],
  ['root-or-privileged', 'pod', 'fsGroup', '0', { fsGroup: 0 }],
  ['root-or-privileged', 'pod', 'supplementalGroups[1]', '0', { supplementalGroups: [7, 0] }],
  ['root-or-privileged', 'all', 'windowsOptions.hostProcess', 'true', { windowsOptions: { hostProcess: true } }],
  ['root-or-privileged', 'container', 'privileged', 'true', { privileged: true }],
  ['root-or-privileged', 'container', 'allowPrivilegeEscalation', 'true', { allowPrivilegeEscalation: true }],
  ['root-or-privileged', 'container', 'allowPrivilegeEscalation', 'null', { allowPrivilegeEscalation: null }],
  ['unconfined', 'all', 'seccompProfile.type', 'Unconfined', { seccompProfile: { type: 'Unconfined' } }],
  ['unconfined', 'pod', 'seccompProfile', 'null', { seccompProfile: null }],
  ['unconfined', 'all', 'appArmorProfile.type', 'Unconfined', { appArmorProfile: { type: 'Unconfined' } }],
  ['proc-unmasked', 'container', 'procMount', 'Unmasked', { procMount: 'Unmasked' }],
  ['selinux-options', 'all', 'seLinuxOptions.type', 'spc_t', { seLinuxOptions: { type: 'spc_t' } }],
  ['selinux-options', 'all', 'seLinuxOptions.type', 'unconfined_t', { seLinuxOptions: { type: 'unconfined_t' } }],
  ['selinux-options', 'all', 'seLinuxOptions.user', 'system_u', { seLinuxOptions: { user: 'system_u' } }],
  ['selinux-options', 'all', 'seLinuxOptions.role', 'sysadm_r', { seLinuxOptions: { role: 'sysadm_r' } }],
  [
    'capabilities',
    'container',
    'capabilities.add[1]',
    'SYS_ADMIN',
    { capabilities: { add: ['NET_BIND_SERVICE', 'SYS_ADMIN'] } },
  ],
  ['capabilities', 'container', 'capabilities.drop', '["NET_RAW"]', { capabilities: { drop: ['NET_RAW'] } }],
  ['capabilities', 'container', 'capabilities', 'null', { capabilities: null }],
  ['unsafe-sysctl', 'pod', 'sysctls[0].name', 'kernel.msgmax', { sysctls: [{ name: 'kernel.msgmax', value: '1' }] }],
  [
    'unsafe-sysctl',
    'pod',
    'sysctls[0].name',
    'net.core.somaxconn',
    { sysctls: [{ name: 'net.core.somaxconn', value: '1' }] },
  ],
];
const ofContexts = fields.flatMap(([code, of, field, content, given]): Case[] =>
  ['pod', 'container']
    .filter((kind) => of === 'all' || of === kind)
    .map((kind) => [
      code,
      `securityContext.${kind}.${field}=${content}`,
      context(kind, given),
      'Pod Security Standard',
    ]),
);
const ofExtraContainers = fields
  .filter(([, of]) => of !== 'pod')
  .flatMap(([code, , field, content, given]): Case[] =>
    ['extraContainers', 'extraInitContainers'].map((list) => [
      code,
      `main.${list} name=sidecar securityContext.${field}=${content}`,
      extra(list, { securityContext: given }),
    ]),
  );

const probe = { httpGet: { host: '169.254.169.254', port: 80 } };
const ofNode: [field: string, content: string, fields: Values][] = [
  ['ports[1].hostPort', '8080', { ports: [{ containerPort: 1 }, { containerPort: 2, hostPort: 8080 }] }],
  ['ports[0].hostIP', '10.0.0.1', { ports: [{ containerPort: 1, hostIP: '10.0.0.1' }] }],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle.postStart', 'lifecycle.preStop'].flatMap(
    (where): [string, string, Values][] => {
      const [outer, inner] = where.split('.') as [string, string?];
      const of = (handler: Values): Values => ({ [outer]: inner ? { [inner]: handler } : handler });
      return [
        [`${where}.httpGet.host`, '169.254.169.254', of(probe)],
        [`${where}.tcpSocket.host`, '10.0.0.1', of({ tcpSocket: { host: '10.0.0.1', port: 80 } })],
      ];
    },
  ),
];
const volumes: [kind: string, content: Values][] = [
  ['hostPath', { path: '/' }],
  ['nfs', { server: 'a', path: '/' }],
  ['iscsi', {}],
  ['flexVolume', {}],
  ['gitRepo', {}],
];
const appArmor = 'container.apparmor.security.beta.kubernetes.io/n8n';

await tests('_security.tpl', [
  ...ofContexts,
  ...ofExtraContainers,
  ...ofNode.map(([field, content, given]): Case => [
    'host-of-the-node',
    `main.extraContainers name=sidecar.${field}=${content}`,
    extra('extraContainers', given),
  ]),
  ...['main', 'worker', 'webhook'].map((component): Case => [
    'unconfined',
    `${component}.podAnnotations ${appArmor}=unconfined`,
    { [component]: { podAnnotations: { [appArmor]: 'unconfined' } } },
    'runtime/default',
  ]),
  ...volumes.map(([kind, content]): Case => [
    'volume-of-the-node',
    `main.extraVolumes name=node ${kind}`,
    { main: { extraVolumes: [{ name: 'node', [kind]: content }] } },
    'persistentVolumeClaim',
  ]),
  [
    'volume-of-the-node',
    'taskRunners.extraVolumes name=node hostPath',
    { taskRunners: { mode: 'external', extraVolumes: [{ name: 'node', hostPath: { path: '/' } }] } },
  ],
  [
    'read-only-root',
    'securityContext.container.readOnlyRootFilesystem',
    context('container', { readOnlyRootFilesystem: false }),
    'extraVolumes',
  ],
]);

it('has a case for every field of the table', () => {
  const table = parse(readFileSync(join(chart, 'files/pod-security.yaml'), 'utf8')) as {
    contexts: { allows?: object; forbids?: object }[];
    containers: { allows: object }[];
  };
  const rules = [...table.contexts, ...table.containers];
  const inTable = rules.flatMap(({ allows = {}, forbids = {} }: any) => [
    ...Object.keys(allows),
    ...Object.keys(forbids),
  ]);
  const tried = [...fields.map(([, , field]) => field), ...ofNode.map(([field]) => field)];
  expect(new Set(tried.map((field) => field.replace(/\[\d\]/, '[]')))).toEqual(new Set(inTable));
});

it('names all of them at once', async () => {
  const values = { securityContext: { pod: { runAsUser: 0, fsGroup: 0 }, container: { privileged: true } } };
  expect((await refusals(values)).map(({ value }) => value).sort()).toEqual([
    'securityContext.container.privileged=true',
    'securityContext.pod.fsGroup=0',
    'securityContext.pod.runAsUser=0',
  ]);
});

it('takes fields over those of the chart, and null removes one', () => {
  const pod = {
    runAsUser: 1234,
    runAsGroup: 3000,
    fsGroup: null,
    seccompProfile: { type: 'Localhost' },
    appArmorProfile: { type: 'RuntimeDefault' },
    seLinuxOptions: { level: 's0:c123,c456', type: 'container_t' },
    sysctls: [{ name: 'net.ipv4.tcp_keepalive_time', value: '60' }],
  };
  const container = { privileged: false, capabilities: { add: ['NET_BIND_SERVICE'] }, procMount: 'Default' };
  const spec = podSpec(render({ securityContext: { pod, container } }), 'main');
  expect(spec.securityContext).toEqual({
    ...pod,
    fsGroup: undefined,
    runAsNonRoot: true,
    fsGroupChangePolicy: 'OnRootMismatch',
  });
  expect(spec.containers[0].securityContext).toEqual({
    privileged: false,
    procMount: 'Default',
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
  });
});

it('takes containers, volumes and annotations that the standard allows', () => {
  const sidecar = {
    ports: [{ containerPort: 80 }],
    livenessProbe: { httpGet: { path: '/', port: 80 } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsUser: 5 },
  };
  const extraVolumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'a' } },
    { name: 'b', csi: { driver: 'secrets-store.csi.k8s.io', readOnly: true, volumeAttributes: { nfs: 'hostPath' } } },
  ];
  const values = extra('extraContainers', sidecar) as { main: Values };
  const main = { ...values.main, extraVolumes, podAnnotations: { [appArmor]: 'localhost/mine' } };
  expect(podSpec(render({ main }), 'main').containers).toHaveLength(2);
});
