import { EnvironmentFault } from '../../../capacity/src/core/errors.js';
import { incomplete } from '../../../capacity/src/tools/own-packages.js';
import {
  majorFor,
  missingIn,
  nearest,
  publishedVersion,
  replacement,
  resolving,
} from '../../../capacity/src/tools/published.js';

test.each([
  ['>=24.0.0', 24],
  ['>=22.22', 22],
  ['>=20.19 <= 24.x', 20],
  ['>=18.10', 18],
  ['>=16.9', 18],
  ['>=23', 24],
])('engines %s: Node %i', (engines, major) => expect(majorFor(engines)).toBe(major));

test('the nearest versions are those next below and above, without pre-releases', () => {
  const all = ['2.41.1', '2.39.0', '2.40.0-beta.1', '2.40.0', '2.39.10', '1.0.0'];
  expect(nearest('2.39.99', all)).toEqual(['2.39.0', '2.39.10', '2.40.0', '2.41.1']);
  expect(nearest('3', all)).toEqual(['2.40.0', '2.41.1']);
  expect(nearest('latest', all)).toEqual(['2.40.0', '2.41.1']);
});

test('a dependency that the registry lacks is read from the output of npm', () => {
  const text = (what: string) =>
    `npm error code ETARGET\nnpm error notarget No matching version found for ${what}.\nnpm error`;
  expect(missingIn(text('linkedom@^0.18.13'))).toEqual({ name: 'linkedom', range: '^0.18.13' });
  expect(missingIn(text('@langchain/protocol@0.0.20'))).toEqual({ name: '@langchain/protocol', range: '0.0.20' });
  expect(missingIn(text('a@1.0.0') + text('b@2.0.0'))).toEqual({ name: 'b', range: '2.0.0' });
  expect(missingIn('npm error code ENOSPC')).toBeUndefined();
});

test('a dependency that is not in the registry and cannot be reached is found in what npm prints', () => {
  const text = (url: string) => `npm error network request to ${url} failed, reason: getaddrinfo ENOTFOUND\n`;
  const elsewhere = text('https://cdn.example.com/xlsx-0.20.2/xlsx-0.20.2.tgz');
  expect(missingIn(elsewhere)).toEqual({ name: 'xlsx', range: '0.20.2' });
  // The network is down: no other version would do.
  expect(missingIn(text('https://registry.example.com/semver/-/semver-7.7.3.tgz'))).toBeUndefined();
});

test('what is lacking is replaced by the next version below it, of the same major version', () => {
  expect(replacement('^0.18.13', ['0.17.0', '0.18.11', '0.18.12', '0.19.0'])).toBe('0.18.12');
  expect(replacement('2.0.5', ['1.9.0', '2.1.0'])).toBe('2.1.0');
  expect(replacement('3.0.0', ['1.9.0', '2.1.0'])).toBe('2.1.0');
  expect(replacement('^1.0.0', [])).toBeUndefined();
});

test('an install that fails for another reason is not tried again', async () => {
  const written: unknown[] = [];
  const failing = resolving(
    { known: '1.0.0' },
    (overrides) => Promise.resolve(void written.push({ ...overrides })),
    () => Promise.reject(new EnvironmentFault('npm error code ENOSPC')),
  );
  await expect(failing).rejects.toThrow('ENOSPC');
  expect(written).toEqual([{ known: '1.0.0' }]);
});

test('a version of which too much is missing names the newest of its neighbours', () => {
  const all = ['2.33.6', '2.33.7', '2.34.0', '2.34.1', '2.35.0', '2.35.7', '2.36.0', '2.36.0-beta.1'];
  const text = incomplete(
    '2.34.0',
    [['@n8n/db', '1.34.0'], ...Array<[string, string]>(3).fill(['n8n-core', '2.34.0'])],
    all,
  );
  expect(text).toMatch(/2\.34\.0 .*: 4 of its own packages.*@n8n\/db 1\.34\.0.*Try 2\.33\.7 or 2\.35\.7\./);
});

test('what is no version of n8n is refused with what to write', async () => {
  await expect(publishedVersion('newest', '--to')).rejects.toThrow(/--to newest: is not a version.*2\.34\.x/);
});
