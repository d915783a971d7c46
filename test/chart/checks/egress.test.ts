import { type Values } from '../render.js';
import { tests } from './cases.js';

const policy = (more: Values): Values => ({ networkPolicy: { enabled: true, ...more } });
const s3 = { mode: 's3', s3: { host: 's3.example.com', bucket: 'b', region: 'r', existingSecret: 's' } };

await tests('_egress.tpl', [
  [
    'no-egress',
    'networkPolicy.egress=[]',
    { ...policy({ egress: [] }), codeNodes: { modules: ['lodash@4.17.21'] } },
    'codeNodes.modules',
  ],
  [
    'no-egress',
    'networkPolicy.egress=[]',
    { ...policy({ egress: [] }), communityPackages: { install: ['n8n-nodes-x@1.0.0'] } },
    'communityPackages.install',
  ],
  ['no-egress', 'networkPolicy.egress=[]', { ...policy({ egress: [] }), binaryData: s3 }, 'the bucket'],
  ['no-egress', 'networkPolicy.egress=[]', { ...policy({ egress: [] }), license: { existingSecret: 'l' } }, 'licence'],
  [
    'metadata-denied',
    'networkPolicy.egress[0].to[0].ipBlock.cidr=169.254.169.254/32',
    policy({ egress: [{ to: [{ ipBlock: { cidr: '169.254.169.254/32' } }] }] }),
    'networkPolicy.denyMetadata=false',
  ],
  [
    'metadata-denied',
    'networkPolicy.egress[0].to[0].ipBlock.cidr=FD00:0ec2:0:0::0254/128',
    policy({ egress: [{ to: [{ ipBlock: { cidr: 'FD00:0ec2:0:0::0254/128' } }] }] }),
  ],
]);
