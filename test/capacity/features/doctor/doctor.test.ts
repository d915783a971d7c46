import { jest } from '@jest/globals';
import { commandNamed } from '../../../support/program.js';
import { isReady, type Finding } from '../../../../capacity/src/features/doctor/finding.js';
import {
  coresFinding,
  limitsFinding,
  memoryFinding,
  portsFinding,
  spaceFinding,
  unwritableFinding,
} from '../../../../capacity/src/features/doctor/machine.js';
import { advisoriesFor } from '../../../../capacity/src/chart/advisories.js';
import {
  compilersFinding,
  describeN8n,
  nodeFinding,
  npmFinding,
  programFinding,
  vulnerabilitiesFinding,
} from '../../../../capacity/src/features/doctor/programs.js';

const ways = { debian: 'd', fedora: 'f', macos: 'm', docker: 'o' };
const k6 = { name: 'k6', range: '^2.0.0', ways };

test.each<[string, Finding, Finding['state']]>([
  ['an old Node', nodeFinding('18.20.8'), 'missing'],
  ['a Node', nodeFinding('20.0.0'), 'ok'],
  ['one core', coresFinding(1), 'limited'],
  ['two cores', coresFinding(2), 'ok'],
  ['little memory', memoryFinding(4095), 'limited'],
  ['memory', memoryFinding(4096), 'ok'],
  ['a full disk', spaceFinding(99, 100), 'missing'],
  ['a disk', spaceFinding(100, 100), 'ok'],
  ['a read-only cache', unwritableFinding('EACCES', false), 'missing'],
  ['a read-only cache that holds n8n', unwritableFinding('EACCES', true), 'limited'],
  ['npm', npmFinding('11.0.0', false), 'ok'],
  ['no npm', npmFinding(undefined, false), 'missing'],
  ['no npm beside an n8n', npmFinding(undefined, true), 'limited'],
  ['no cgroups', limitsFinding({ enforced: false, detail: 'no rights' }), 'limited'],
  ['cgroups', limitsFinding({ enforced: true, detail: 'cgroup v2' }), 'ok'],
  ['few ports', portsFinding([50_000, 51_000]), 'limited'],
  ['ports', portsFinding([32_768, 60_999]), 'ok'],
  ['no range of ports', portsFinding(undefined), 'ok'],
  ['k6', programFinding({ ...k6, path: '/bin/k6', version: '2.2.0' }), 'ok'],
  ['a release of k6', programFinding({ ...k6, installable: 'release' }), 'installable'],
  ['no k6', programFinding(k6), 'missing'],
  ['an n8n with vulnerabilities', vulnerabilitiesFinding(advisoriesFor('2.41.1')!), 'limited'],
  ['an n8n without', vulnerabilitiesFinding(advisoriesFor('3.2.2')!), 'ok'],
  ['compilers', compilersFinding([], false), 'ok'],
  ['compilers that a run installs', compilersFinding(['g++'], true), 'installable'],
  ['no compilers', compilersFinding(['g++'], false), 'missing'],
])('%s has the right state, and a fix if it needs one', (_, finding, state) => {
  expect(finding.state).toBe(state);
  // Every problem comes with a fix.
  expect(finding.fix !== undefined).toBe(state === 'limited' || state === 'missing');
});

test('describeN8n names the n8n that a run installs beside the installed one', () => {
  expect(describeN8n('2.41.1', '2.41.1')).toBe('2.41.1');
  expect(describeN8n('2.41.1', '2.41.4')).toBe('2.41.1; the chart deploys 2.41.4, which a run installs if npm has it');
});

test('a run can start with a limited state, but not with a missing one', () => {
  expect(isReady([coresFinding(1), nodeFinding('20.0.0')])).toBe(true);
  expect(isReady([coresFinding(1), nodeFinding('18.0.0')])).toBe(false);
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
