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
    'url-unrouted',
    'webhookUrl=https://b.example.com/',
    { ...ingress('a.example.com'), webhookUrl: 'https://b.example.com/' },
    'a.example.com',
  ],
  [
    'url-unrouted',
    'webhookUrl=https://example.com/',
    { ...ingress('*.example.com'), webhookUrl: 'https://example.com/' },
  ],
  [
    'url-plain-http',
    'webhookUrl=http://a.example.com:80/',
    { ...ingress('a.example.com', [{ hosts: ['a.example.com'] }]), webhookUrl: 'http://a.example.com:80/' },
    'webhookUrl=https://a.example.com/',
  ],
  [
    'url-unrouted',
    'editorUrl=https://b.example.com/',
    { ...ingress('a.example.com'), editorUrl: 'https://b.example.com/' },
  ],
  ['ingress-without-host', 'ingress.webhooks.hosts', { ingress: { webhooks: { enabled: true } } }],
  ['route-without-gateway', 'gateway.webhooks.parentRefs', { gateway: { webhooks: { enabled: true } } }],
  [
    'certificate-of-unrouted-host',
    'ingress.webhooks.tls host b.example.com',
    { ingress: { webhooks: { enabled: true, hosts: ['a.example.com'], tls: [{ hosts: ['b.example.com'] }] } } },
  ],
  [
    'editor-on-the-host-of-webhooks',
    'webhooks host a.example.com',
    { ingress: { enabled: true, hosts: ['a.example.com'], webhooks: { enabled: true, hosts: ['a.example.com'] } } },
    'another host',
  ],
  [
    'node-port-of-cluster-ip',
    'main.service.nodePort=30678',
    { main: { service: { nodePort: 30678 } } },
    'main.service.type=NodePort',
  ],
]);
