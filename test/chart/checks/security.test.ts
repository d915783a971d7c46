import { podSpec, render, type Values } from '../render.js';
import { type Case, tests } from './cases.js';

const context = (kind: string, fields: Values): Values => ({ securityContext: { [kind]: fields } });
const forbidden: [kind: string, field: string, content: number | boolean][] = [
  ['pod', 'runAsUser', 0],
  ['pod', 'runAsNonRoot', false],
  ['container', 'runAsUser', 0],
  ['container', 'runAsNonRoot', false],
  ['container', 'privileged', true],
  ['container', 'allowPrivilegeEscalation', true],
];

await tests('_security.tpl', [
  ...forbidden.map(([kind, field, content]): Case => [
    'root-or-privileged',
    `securityContext.${kind}.${field}=${content}`,
    context(kind, { [field]: content }),
    'restricted',
  ]),
  [
    'read-only-root',
    'securityContext.container.readOnlyRootFilesystem',
    context('container', { readOnlyRootFilesystem: false }),
    'extraVolumes',
  ],
  [
    'unconfined',
    'securityContext.pod.seccompProfile.type=Unconfined',
    context('pod', { seccompProfile: { type: 'Unconfined' } }),
    'RuntimeDefault',
  ],
  [
    'capabilities',
    'securityContext.container.capabilities.add',
    context('container', { capabilities: { add: ['NET_BIND_SERVICE', 'SYS_ADMIN'] } }),
  ],
  [
    'capabilities',
    'securityContext.container.capabilities.drop',
    context('container', { capabilities: { drop: ['NET_RAW'] } }),
  ],
]);

it('takes fields over those of the chart, and null removes one', () => {
  const pod = { runAsUser: 1234, runAsGroup: 0, fsGroup: null, seccompProfile: { type: 'Localhost' } };
  const container = { privileged: false, capabilities: { add: ['NET_BIND_SERVICE'] } };
  const spec = podSpec(render({ securityContext: { pod, container } }), 'main');
  expect(spec.securityContext).toEqual({
    runAsNonRoot: true,
    runAsUser: 1234,
    runAsGroup: 0,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'Localhost' },
  });
  expect(spec.containers[0].securityContext).toEqual({
    privileged: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
  });
});
