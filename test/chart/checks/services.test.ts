import { queue, render, type Values } from '../render.js';
import { tests } from './cases.js';

const service = (of: Values): Values => ({ main: { service: of } });
const metrics = { metrics: { enabled: true } };
const ingress = { ingress: { enabled: true, hosts: ['n8n.example.com'] } };

await tests(
  '_services.tpl',
  [
    [
      'node-port-of-cluster-ip',
      'main.service.nodePort=30678',
      service({ nodePort: 30678 }),
      'main.service.type=NodePort',
    ],
    [
      'node-port-out-of-range',
      'main.service.nodePort=80',
      service({ type: 'NodePort', nodePort: 80 }),
      '30000 to 32767',
    ],
    [
      'load-balancer-of-another-type',
      'main.service.loadBalancerClass',
      service({ loadBalancerClass: 'example.com/internal' }),
      'main.service.type=LoadBalancer',
    ],
    [
      'load-balancer-of-another-type',
      'main.service.loadBalancerSourceRanges',
      service({ type: 'NodePort', loadBalancerSourceRanges: ['192.0.2.0/24'] }),
    ],
    [
      'traffic-policy-of-cluster-ip',
      'main.service.externalTrafficPolicy=Local',
      service({ externalTrafficPolicy: 'Local' }),
    ],
    [
      'metrics-in-public',
      'main.service.type=LoadBalancer',
      { ...service({ type: 'LoadBalancer' }), ...metrics },
      'main.service.loadBalancerSourceRanges',
      'metrics.public=true',
    ],
    [
      'metrics-in-public',
      'webhook.service.type=NodePort',
      queue({ webhook: { service: { type: 'NodePort' } }, ...metrics }),
      'webhook.service.type=ClusterIP',
    ],
    [
      'metrics-in-public',
      'main.service.type=LoadBalancer',
      { ...service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['192.0.2.0/24', '0.0.0.0/0'] }), ...metrics },
    ],
    [
      'node-port-twice',
      'webhook.service.nodePort=30678',
      queue({
        ...service({ type: 'NodePort', nodePort: 30678 }),
        webhook: { service: { type: 'NodePort', nodePort: 30678 } },
      }),
    ],
  ],
  ['release-begins-with-digit'],
);

it.each<[string, Values]>([
  ['addresses that may connect', service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['192.0.2.0/24'] })],
  ['metrics for all', { ...service({ type: 'LoadBalancer' }), metrics: { public: true } }],
  ['hooks of the user', { ...ingress, extraEnv: [{ name: 'EXTERNAL_HOOK_FILES', value: '/hooks.js' }] }],
  [
    'webhook processors that serve none yet',
    queue({ image: { tag: '2.26.0' }, webhook: { service: { type: 'NodePort' } } }),
  ],
])('metrics and %s', (_name, values) => {
  const given = { ...values, metrics: { enabled: true, ...(values.metrics as Values) } };
  expect(() => render(given)).not.toThrow();
});

it('release-begins-with-digit: the name of the release, unless objects have another', () => {
  expect(() => render({}, '7up')).toThrow(/release 7up: .*\[release-begins-with-digit\]/);
  expect(() => render({ fullnameOverride: 'up' }, '7up')).not.toThrow();
});
