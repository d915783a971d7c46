import { tests } from './cases.js';

await tests('_settings.tpl', [
  [
    'json-log-unsupported',
    'logging.format=json',
    { image: { tag: '1.50.0' }, logging: { format: 'json' } },
    'image.tag to 1.99.0',
  ],
  ['proxy-hops-unsupported', 'proxyHops=2', { image: { tag: '1.20.0' }, proxyHops: 2 }, 'image.tag to 1.27.0'],
]);
