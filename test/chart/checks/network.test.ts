import { render, type Values } from '../render.js';
import { tests } from './cases.js';

const ingress = (host: string, tls: object[] = []) => ({ ingress: { enabled: true, hosts: [host], tls } });

const split = (editor: Values, webhooks: Values): Values => ({
  ingress: { enabled: true, ...editor, webhooks: { enabled: true, ...webhooks } },
});
const apart = split(
  { className: 'internal', hosts: ['editor.example.com'] },
  { className: 'public', hosts: ['hooks.example.com'] },
);
/** HTTPRoutes of the editor, without a host, and of webhooks. */
const gateways = (parentRefs: Values[], ofWebhooks: Values[]): Values => ({
  gateway: {
    enabled: true,
    parentRefs,
    webhooks: { enabled: true, parentRefs: ofWebhooks, hostnames: ['hooks.example.com'] },
  },
});

const gateway = { enabled: true, parentRefs: [{ name: 'g' }], hostnames: ['a.example.com'] };

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
    'url-plain-http',
    'webhookUrl=http://a.example.com/',
    {
      ...ingress('a.example.com', [{ hosts: ['a.example.com'] }]),
      webhookUrl: 'http://a.example.com/',
      acceptUnroutedUrl: true,
    },
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
    {
      ingress: { webhooks: { enabled: true, hosts: ['a.example.com'], tls: [{ hosts: ['b.example.com'] }] } },
      editorUrl: 'http://localhost:5678/',
    },
  ],
  [
    'editor-on-the-host-of-webhooks',
    'webhooks host a.example.com',
    { ingress: { enabled: true, hosts: ['a.example.com'], webhooks: { enabled: true, hosts: ['a.example.com'] } } },
    'another host',
  ],
  [
    'editor-on-the-host-of-webhooks',
    'webhooks host a.example.com',
    split({ className: 'internal', hosts: ['*.example.com'] }, { className: 'internal', hosts: ['a.example.com'] }),
    '*.example.com',
  ],
  [
    'editor-on-the-host-of-webhooks',
    'webhooks host a.example.com',
    split({ hosts: ['a.example.com'] }, { className: 'public', hosts: ['a.example.com'] }),
  ],
  ['editor-at-every-host', 'gateway.hostnames', gateways([{ name: 'g' }], [{ name: 'g', namespace: 'default' }])],
  [
    'editor-at-every-host',
    'gateway.hostnames',
    gateways([{ name: 'g', sectionName: 'http' }], [{ name: 'g' }]),
    'parentRefs',
  ],
  [
    'webhooks-without-url',
    'gateway.webhooks.hostnames',
    {
      ingress: { enabled: true, hosts: ['e.example.com'] },
      gateway: { webhooks: { enabled: true, parentRefs: [{ name: 'g' }] } },
    },
  ],
  ['webhooks-without-url', 'gateway.hostnames', { gateway: { enabled: true, parentRefs: [{ name: 'g' }] } }],
  ['webhooks-without-url', 'ingress.hosts', { ingress: { enabled: true, hosts: ['*.example.com'] } }],
  [
    'editor-without-url',
    'ingress.webhooks.enabled=true',
    { ingress: { webhooks: { enabled: true, hosts: ['hooks.example.com'] } } },
    'editorUrl',
  ],
  [
    'url-unrouted',
    'webhookUrl=https://editor.example.com/',
    { ...apart, webhookUrl: 'https://editor.example.com/' },
    'ingress.webhooks.hosts',
  ],
  [
    'url-unrouted',
    'editorUrl=https://hooks.example.com/',
    { ...apart, editorUrl: 'https://hooks.example.com/' },
    'routed for the editor',
  ],
  [
    'url-unrouted',
    'editorUrl=https://hooks.example.com/',
    {
      ingress: { webhooks: { enabled: true, hosts: ['hooks.example.com'] } },
      editorUrl: 'https://hooks.example.com/',
    },
    'no host is routed for the editor',
  ],
  [
    'url-with-path',
    'editorUrl=https://editor.example.com/n8n/',
    { ...apart, editorUrl: 'https://editor.example.com/n8n/' },
    'editorUrl=https://editor.example.com/',
  ],
  [
    'backend-timeout-above-request',
    'gateway.timeouts.backendRequest=1m30s',
    { gateway: { ...gateway, timeouts: { request: '60s', backendRequest: '1m30s' } } },
    'gateway.timeouts.request=60s',
  ],
]);

it.each<[string, Values]>([
  [
    'one host in two classes, as split DNS has it',
    split({ className: 'internal', hosts: ['a.example.com'] }, { className: 'public', hosts: ['a.example.com'] }),
  ],
  [
    'a proxy that asks for another host, and one that takes a path away',
    {
      ...apart,
      webhookUrl: 'https://cdn.example.com/',
      editorUrl: 'https://editor.example.com/n8n/',
      acceptUnroutedUrl: true,
    },
  ],
  ['an editor at every host of a Gateway of its own', gateways([{ name: 'internal' }], [{ name: 'public' }])],
  [
    'an editor at every host of a listener of its own',
    gateways([{ name: 'g', sectionName: 'internal' }], [{ name: 'g', sectionName: 'public' }]),
  ],
  [
    'URLs at their own hosts',
    { ...apart, webhookUrl: 'https://hooks.example.com/', editorUrl: 'https://editor.example.com/' },
  ],
  [
    'a route that has no end, and a time for n8n',
    { gateway: { ...gateway, timeouts: { request: '0s', backendRequest: '1m' } } },
  ],
])('takes %s', (_name, values) => expect(() => render(values)).not.toThrow());
