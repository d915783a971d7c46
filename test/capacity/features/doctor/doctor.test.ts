import { jest } from '@jest/globals';
import { commandNamed } from '../../../support/program.js';
import { isReady, type Finding } from '../../../../capacity/src/features/doctor/finding.js';
import {
  cores,
  limits,
  memory,
  portRange,
  room,
  unwritable,
} from '../../../../capacity/src/features/doctor/machine.js';
import { advisoriesFor } from '../../../../capacity/src/chart/advisories.js';
import {
  compilers,
  n8nText,
  node,
  npm,
  program,
  vulnerabilities,
} from '../../../../capacity/src/features/doctor/programs.js';

const ways = { debian: 'd', fedora: 'f', macos: 'm', docker: 'o' };
const k6 = { name: 'k6', range: '^2.0.0', ways };

test.each<[string, Finding, Finding['state']]>([
  ['an old Node', node('18.20.8'), 'missing'],
  ['a Node', node('20.0.0'), 'ok'],
  ['one core', cores(1), 'limited'],
  ['two cores', cores(2), 'ok'],
  ['little memory', memory(4095), 'limited'],
  ['memory', memory(4096), 'ok'],
  ['a full disk', room(99, 100), 'missing'],
  ['a disk', room(100, 100), 'ok'],
  ['a read-only cache', unwritable('EACCES', false), 'missing'],
  ['a read-only cache that holds n8n', unwritable('EACCES', true), 'limited'],
  ['npm', npm('11.0.0', false), 'ok'],
  ['no npm', npm(undefined, false), 'missing'],
  ['no npm beside an n8n', npm(undefined, true), 'limited'],
  ['no cgroups', limits({ enforced: false, detail: 'no rights' }), 'limited'],
  ['cgroups', limits({ enforced: true, detail: 'cgroup v2' }), 'ok'],
  ['few ports', portRange([50_000, 51_000]), 'limited'],
  ['ports', portRange([32_768, 60_999]), 'ok'],
  ['no range of ports', portRange(undefined), 'ok'],
  ['k6', program({ ...k6, path: '/bin/k6', version: '2.2.0' }), 'ok'],
  ['a release of k6', program({ ...k6, installable: 'release' }), 'installable'],
  ['no k6', program(k6), 'missing'],
  ['an n8n with vulnerabilities', vulnerabilities(advisoriesFor('2.41.1')!), 'limited'],
  ['an n8n without', vulnerabilities(advisoriesFor('3.2.2')!), 'ok'],
  ['compilers', compilers([], false), 'ok'],
  ['compilers that a run installs', compilers(['g++'], true), 'installable'],
  ['no compilers', compilers(['g++'], false), 'missing'],
])('%s has the right state, and a fix if it needs one', (_, finding, state) => {
  expect(finding.state).toBe(state);
  // Every problem comes with a fix.
  expect(finding.fix !== undefined).toBe(state === 'limited' || state === 'missing');
});

test('describeN8n names the n8n that a run installs beside the installed one', () => {
  expect(n8nText('2.41.1', '2.41.1')).toBe('2.41.1');
  expect(n8nText('2.41.1', '2.41.4')).toBe('2.41.1; the chart deploys 2.41.4, which a run installs if npm has it');
});

test('a run can start with a limited state, but not with a missing one', () => {
  expect(isReady([cores(1), node('20.0.0')])).toBe(true);
  expect(isReady([cores(1), node('18.0.0')])).toBe(false);
});

describe('the command', () => {
  let printed = '';
  const before = { ...process.env };
  beforeEach(() => {
    printed = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env = { ...before };
    process.exitCode = undefined;
  });

  test('looks at each thing once, and its code is what it found', async () => {
    await (await commandNamed('doctor')).parseAsync(['--json'], { from: 'user' });
    const { ready, findings } = JSON.parse(printed) as { ready: boolean; findings: Finding[] };
    const names = findings.map(({ name }) => name).filter((name) => name !== 'compilers');
    expect(names).toEqual([
      'node',
      'npm',
      'k6',
      'helm',
      'n8n',
      'vulnerabilities',
      'redis',
      'cores',
      'memory',
      'disk',
      'cgroups',
      'loopback',
      'ports',
    ]);
    expect(process.exitCode).toBe(ready ? 0 : 1);
    expect(ready).toBe(isReady(findings));
  });

  test('prints how to install npm if it is missing', async () => {
    process.env.PATH = '/nowhere';
    await (await commandNamed('doctor')).parseAsync([], { from: 'user' });
    expect(printed).toContain('apt-get install npm');
  });
});
