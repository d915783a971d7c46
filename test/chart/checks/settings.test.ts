import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart, env, render } from '../render.js';
import { tests } from './cases.js';

await tests('_settings.tpl', [
  [
    'json-log-unsupported',
    'logging.format=json',
    { image: { tag: '1.50.0' }, logging: { format: 'json' } },
    'image.tag to 1.99.0',
  ],
  ['timezone-is-an-offset', 'timezone=CET+1', { timezone: 'CET+1' }, 'Europe/Berlin'],
  ['timezone-is-an-offset', 'timezone=UTC-05', { timezone: 'UTC-05' }],
  ['timezone-unknown', 'timezone=Europe/Berln', { timezone: 'Europe/Berln' }, 'Europe/Berlin'],
  ['timezone-unknown', 'timezone=europe/berlin', { timezone: 'europe/berlin' }, 'Write Europe/Berlin'],
  ['timezone-unknown', 'timezone=Local', { timezone: 'Local' }],
  [
    'allowed-hosts-unsupported',
    'hardening.allowedHosts',
    { image: { tag: '2.33.0' }, hardening: { enabled: true, allowedHosts: ['erp.example.com'] } },
    'image.tag to 2.33.7',
  ],
  ['proxy-hops-unsupported', 'proxyHops=2', { image: { tag: '1.20.0' }, proxyHops: 2 }, 'image.tag to 1.27.0'],
]);

it.each([
  'UTC',
  'Etc/UTC',
  'Africa/Abidjan',
  'Europe/Berlin',
  'Etc/GMT-1',
  'GMT+0',
  'America/Port-au-Prince',
  'EST5EDT',
])('takes the time zone %s', (timezone) => {
  expect(env(render({ timezone }), 'main').GENERIC_TIMEZONE).toBe(timezone);
});

it('knows every time zone of Node, and no other', () => {
  const [comment, ...names] = readFileSync(join(chart, 'files/timezones.txt'), 'utf8').trimEnd().split('\n');
  expect(comment).toMatch(/^#/);
  expect(names).toEqual(expect.arrayContaining(Intl.supportedValuesOf('timeZone')));
  const unknown = names.filter((timeZone) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone });
      return false;
    } catch {
      return true;
    }
  });
  expect(unknown).toEqual([]);
});
