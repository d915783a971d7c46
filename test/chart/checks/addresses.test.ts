import { type Values } from '../render.js';
import { tests } from './cases.js';

const toBlock = (cidr: string, except: string[] = []): Values => ({
  networkPolicy: { enabled: true, egress: [{ to: [{ ipBlock: { cidr, except } }] }] },
});
const cidr = 'networkPolicy.egress[0].to[0].ipBlock.cidr';
const except = 'networkPolicy.egress[0].to[0].ipBlock.except[0]';

await tests('_addresses.tpl', [
  ['block-malformed', `${cidr}=2001:db8::1::/64`, toBlock('2001:db8::1::/64'), '2001:db8::/32'],
  ['block-malformed', `${cidr}=2001:db8:1/64`, toBlock('2001:db8:1/64')],
  [
    'block-malformed',
    'main.service.loadBalancerSourceRanges[0]=1:2:3:4:5:6:7:8:9/64',
    { main: { service: { type: 'LoadBalancer', loadBalancerSourceRanges: ['1:2:3:4:5:6:7:8:9/64'] } } },
  ],
  ['except-outside-block', `${except}=192.168.0.0/16`, toBlock('10.0.0.0/8', ['192.168.0.0/16']), '10.0.0.0/8'],
  ['except-outside-block', `${except}=10.0.0.0/8`, toBlock('10.0.0.0/8', ['10.0.0.0/8'])],
  ['except-outside-block', `${except}=fd00::/8`, toBlock('0.0.0.0/0', ['fd00::/8'])],
  [
    'except-outside-block',
    'networkPolicy.httpFrom[0].ipBlock.except[0]=2001:db9::/64',
    {
      networkPolicy: { enabled: true, httpFrom: [{ ipBlock: { cidr: '2001:db8::/32', except: ['2001:db9::/64'] } }] },
    },
  ],
  [
    'block-with-selector',
    'networkPolicy.metricsFrom[0]',
    { networkPolicy: { enabled: true, metricsFrom: [{ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }] } },
    'two peers',
  ],
]);
