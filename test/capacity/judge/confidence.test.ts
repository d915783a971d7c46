import type { GeneratorPlace } from '../../../capacity/src/model/step.js';
import type { DeploymentRecord, RunRecord } from '../../../capacity/src/model/run.js';
import { confidence } from '../../../capacity/src/judge/confidence.js';
import { buildGoodStep, buildPlan, regularDeployment } from '../support/index.js';

const record = (deployment: Partial<DeploymentRecord> = {}): RunRecord => ({
  tool: 'n8n-capacity validate',
  startedAt: '2026-11-20T10:00:00.000Z',
  plan: buildPlan(),
  versions: { n8n: '2.41.1', k6: '2.2.0' },
  machine: { cpus: 8, memoryBytes: 16 * 2 ** 30, platform: 'linux x64' },
  deployment: regularDeployment(deployment),
});
const stepAt = (place?: GeneratorPlace) =>
  buildGoodStep({ k6: { exitCode: 0, cpuShare: 0.1, samples: '', ...(place && { place }) } });
const kubernetes = { provisioner: 'kubernetes' } as const;
const notEnforced = { enforced: false, detail: 'no rights to cgroups' };

const cases: [string, RunRecord, (GeneratorPlace | undefined)[], 'confirmed' | 'provisional', string][] = [
  ['local processes', record(), [undefined], 'provisional', 'local processes'],
  ['without limits', record({ limits: notEnforced }), ['machine'], 'provisional', 'limits not enforced'],
  ['a cluster', record(kubernetes), ['own-node', 'own-node'], 'confirmed', 'its own node'],
  ['one step on a shared node', record(kubernetes), ['own-node', 'shared-node'], 'provisional', 'the same node'],
  ['forwarded', record(kubernetes), ['forwarded'], 'provisional', 'port forwarding'],
  ['no step', record(kubernetes), [], 'provisional', 'Kubernetes'],
];

test.each(cases)('%s', (_, run, places, word, text) => {
  expect(confidence(run, places.map(stepAt))).toMatchObject({ word, text: expect.stringContaining(text) });
});

test('the reasons hold what was recorded: limits, cores, and the use of the generator', () => {
  const holds = (...facts: string[][]) => facts.map((of) => expect.stringMatching(new RegExp(of.join('.*'))) as string);
  expect(confidence(record(), [stepAt()]).reasons).toEqual(holds(['cgroup v1'], ['8 cores', '10 %']));
  const unlimited = confidence(record({ ...kubernetes, limits: notEnforced }), [stepAt('own-node')]);
  expect(unlimited.reasons).toEqual(holds(['not enforced', 'no rights to cgroups'], ['own node', '10 %']));
});

test('other processes that used cores are named', () => {
  const use = (otherCores: number) => buildGoodStep({ machine: { cores: 8, busyCores: 4, otherCores, takenCores: 0 } });
  expect(confidence(record(), [use(0.1), use(1.25)]).reasons.join(' ')).toContain('up to 1.25 cores');
  expect(confidence(record(), [use(0.1)]).reasons).toHaveLength(2);
});
