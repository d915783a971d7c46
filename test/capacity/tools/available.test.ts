import { EnvironmentFault, UsageError } from '../../../capacity/src/core/errors.js';
import { chooseAvailableN8n } from '../../../capacity/src/tools/available.js';

const LISTED = ['2.40.6', '2.40.7', '2.41.0', '2.41.1', '2.41.3', '2.41.5-beta.1', '2.43.2'];

/** npm with these versions; it lacks packages of those in `incomplete`. */
const npm = (versions = LISTED, incomplete: string[] = []) => ({
  versions: () => Promise.resolve(versions),
  isComplete: (version: string) => Promise.resolve(!incomplete.includes(version)),
});
const unreachable = {
  versions: () => Promise.reject(new EnvironmentFault('npm view n8n failed: getaddrinfo ENOTFOUND.')),
  isComplete: () => Promise.reject(new EnvironmentFault('not asked')),
};
const local = { pinned: ['2.41.1', '1.123.81'], installed: ['2.38.2'] };

test.each([
  ['a pinned version', '1.123.81', npm([]), '1.123.81'],
  ['a version in the cache, without npm', '2.38.2', unreachable, '2.38.2'],
  ['a version that npm has', '2.40.6', npm(), '2.40.6'],
])('a run for n8n %s measures that version', async (_, asked, registry, version) => {
  expect(await chooseAvailableN8n(asked, local, registry)).toEqual({ asked, version });
});

test.each([
  ['not on npm', '2.41.4', npm(), '2.41.3', 'n8n 2.41.4 is not on npm; this run measures 2.41.3'],
  [
    'not on npm, and the nearest lacks packages',
    '2.41.4',
    npm(LISTED, ['2.41.3']),
    '2.41.1',
    'n8n 2.41.4 is not on npm; this run measures 2.41.1',
  ],
  [
    'on npm without its packages',
    '2.41.3',
    npm(LISTED, ['2.41.3']),
    '2.41.1',
    'npm lacks packages of n8n 2.41.3; this run measures 2.41.1',
  ],
  ['between two that are as near', '2.41.2', npm(), '2.41.3', 'n8n 2.41.2 is not on npm; this run measures 2.41.3'],
  ['a pre-release', '2.40.8-exp.0', npm(), '2.40.7', 'n8n 2.40.8-exp.0 is not on npm; this run measures 2.40.7'],
  [
    'without npm',
    '2.41.4',
    unreachable,
    '2.41.1',
    'n8n 2.41.4 is not installed, and npm view n8n failed: getaddrinfo ENOTFOUND; this run measures 2.41.1',
  ],
])(
  'a run for n8n %s measures the nearest patch of the same minor version, with the reason',
  async (_, asked, registry, version, why) => {
    expect(await chooseAvailableN8n(asked, local, registry)).toEqual({ asked, version, why });
  },
);

test.each([
  ['2.42.1', npm(), /2\.42\.1 is not on npm.*2\.42 is.*2\.41\.1, 2\.41\.3, 2\.43\.2/],
  ['3.0.1', npm(), /3\.0\.1 is not on npm.*2\.41\.3, 2\.43\.2/],
  ['2.43.4', npm(LISTED, ['2.43.2']), /2\.43\.4 is not on npm/],
])(
  'n8n %s without a patch of its minor version is refused, with the nearest versions',
  async (asked, registry, message) => {
    const refused = chooseAvailableN8n(asked, local, registry);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
  },
);

test('without npm and an installed patch, the error of npm is thrown', async () => {
  await expect(chooseAvailableN8n('2.43.2', local, unreachable)).rejects.toThrow(EnvironmentFault);
});
