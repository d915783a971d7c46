import { EnvironmentFault } from '../../../capacity/src/core/errors.js';
import { describeIncomplete } from '../../../capacity/src/tools/own-packages.js';
import {
  oldestEvenMajor,
  parseMissing,
  nearestVersions,
  resolvePublishedVersion,
  chooseReplacement,
  installWithReplacements,
} from '../../../capacity/src/tools/published.js';

test.each([
  ['>=24.0.0', 24],
  ['>=22.22', 22],
  ['>=20.19 <= 24.x', 20],
  ['>=18.10', 18],
  ['>=16.9', 18],
  ['>=23', 24],
])('for engines %s, oldestEvenMajor is %i', (engines, major) => expect(oldestEvenMajor(engines)).toBe(major));

test('nearestVersions returns the versions next below and above, without pre-releases', () => {
  const all = ['2.41.1', '2.39.0', '2.40.0-beta.1', '2.40.0', '2.39.10', '1.0.0'];
  expect(nearestVersions('2.39.99', all)).toEqual(['2.39.0', '2.39.10', '2.40.0', '2.41.1']);
  expect(nearestVersions('3', all)).toEqual(['2.40.0', '2.41.1']);
  expect(nearestVersions('latest', all)).toEqual(['2.40.0', '2.41.1']);
});

test('parseMissing finds a dependency that the registry lacks in the output of npm', () => {
  const text = (what: string) =>
    `npm error code ETARGET\nnpm error notarget No matching version found for ${what}.\nnpm error`;
  expect(parseMissing(text('linkedom@^0.18.13'))).toEqual({ name: 'linkedom', range: '^0.18.13' });
  expect(parseMissing(text('@langchain/protocol@0.0.20'))).toEqual({ name: '@langchain/protocol', range: '0.0.20' });
  expect(parseMissing(text('a@1.0.0') + text('b@2.0.0'))).toEqual({ name: 'b', range: '2.0.0' });
  expect(parseMissing('npm error code ENOSPC')).toBeUndefined();
});

test('parseMissing finds an unreachable dependency from outside the registry', () => {
  const text = (url: string) => `npm error network request to ${url} failed, reason: getaddrinfo ENOTFOUND\n`;
  const elsewhere = text('https://cdn.example.com/xlsx-0.20.2/xlsx-0.20.2.tgz');
  expect(parseMissing(elsewhere)).toEqual({ name: 'xlsx', range: '0.20.2' });
  // The network is down: no other version would do.
  expect(parseMissing(text('https://registry.example.com/semver/-/semver-7.7.3.tgz'))).toBeUndefined();
});

test('chooseReplacement takes the next lower version of the same major version', () => {
  expect(chooseReplacement('^0.18.13', ['0.17.0', '0.18.11', '0.18.12', '0.19.0'])).toBe('0.18.12');
  expect(chooseReplacement('2.0.5', ['1.9.0', '2.1.0'])).toBe('2.1.0');
  expect(chooseReplacement('3.0.0', ['1.9.0', '2.1.0'])).toBe('2.1.0');
  expect(chooseReplacement('^1.0.0', [])).toBeUndefined();
});

test('installWithReplacements does not retry an install that fails for another reason', async () => {
  const written: unknown[] = [];
  const failing = installWithReplacements(
    { known: '1.0.0' },
    (overrides) => Promise.resolve(void written.push({ ...overrides })),
    () => Promise.reject(new EnvironmentFault('npm error code ENOSPC')),
  );
  await expect(failing).rejects.toThrow('ENOSPC');
  expect(written).toEqual([{ known: '1.0.0' }]);
});

test('the error for a version with too many missing packages names its newest neighbours', () => {
  const all = ['2.33.6', '2.33.7', '2.34.0', '2.34.1', '2.35.0', '2.35.7', '2.36.0', '2.36.0-beta.1'];
  const text = describeIncomplete(
    '2.34.0',
    [['@n8n/db', '1.34.0'], ...Array<[string, string]>(3).fill(['n8n-core', '2.34.0'])],
    all,
  );
  expect(text).toMatch(/2\.34\.0 .*: 4 of its own packages.*@n8n\/db 1\.34\.0.*Try 2\.33\.7 or 2\.35\.7\./);
});

test('an invalid version of n8n is refused with an example', async () => {
  await expect(resolvePublishedVersion('newest', '--to')).rejects.toThrow(/--to newest: is not a version.*2\.34\.x/);
});
