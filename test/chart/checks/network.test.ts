import { tests } from './cases.js';

const ingress = (host: string, tls: object[] = []) => ({ ingress: { enabled: true, hosts: [host], tls } });

await tests('_network.tpl', [
  ['ingress-without-host', 'ingress.hosts', { ingress: { enabled: true } }],
  ['route-without-gateway', 'gateway.parentRefs', { gateway: { enabled: true } }],
  [
    'certificate-of-unrouted-host',
    'ingress.tls host b.example.com',
    ingress('a.example.com', [{ hosts: ['b.example.com'] }]),
    'ingress.hosts',
  ],
  [
    'webhook-url-unrouted',
    'webhookUrl=https://b.example.com/',
    { ...ingress('a.example.com'), webhookUrl: 'https://b.example.com/' },
    'a.example.com',
  ],
  [
    'webhook-url-unrouted',
    'webhookUrl=https://example.com/',
    { ...ingress('*.example.com'), webhookUrl: 'https://example.com/' },
  ],
  [
    'webhook-url-plain-http',
    'webhookUrl=http://a.example.com:80/',
    { ...ingress('a.example.com', [{ hosts: ['a.example.com'] }]), webhookUrl: 'http://a.example.com:80/' },
    'webhookUrl=https://a.example.com/',
  ],
  [
    'node-port-of-cluster-ip',
    'main.service.nodePort=30678',
    { main: { service: { nodePort: 30678 } } },
    'main.service.type=NodePort',
  ],
]);
