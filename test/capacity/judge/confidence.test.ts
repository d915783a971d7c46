import type { GeneratorPlace } from '../../../capacity/src/model/step.js';
import type { DeploymentRecord, RunRecord } from '../../../capacity/src/model/run.js';
import { confidence } from '../../../capacity/src/judge/confidence.js';
import { goodStep, plan, regular } from '../support/index.js';

const record = (deployment: Partial<DeploymentRecord> = {}): RunRecord => ({
  tool: 'n8n-capacity validate',
  startedAt: '2026-11-20T10:00:00.000Z',
  plan: plan(),
  versions: { n8n: '2.41.1', k6: '2.2.0' },
  machine: { cpus: 8, memoryBytes: 16 * 2 ** 30, platform: 'linux x64' },
  deployment: regular(deployment),
});
const stepAt = (place?: GeneratorPlace) =>
  goodStep({ k6: { exitCode: 0, cpuShare: 0.1, samples: '', ...(place && { place }) } });
const kubernetes = { provisioner: 'kubernetes' } as const;
const notEnforced = { enforced: false, detail: 'no rights to cgroups' };

const cases: [string, RunRecord, (GeneratorPlace | undefined)[], 'confirmed' | 'provisional', RegExp][] = [
  ['local processes', record(), [undefined], 'provisional', /^measured on local processes, where the generator shares/],
  ['without limits', record({ limits: notEnforced }), ['machine'], 'provisional', /, limits not enforced$/],
  [
    'a cluster',
    record(kubernetes),
    ['own-node', 'own-node'],
    'confirmed',
    /^measured on Kubernetes, with .* of its own$/,
  ],
  ['one step on a shared node', record(kubernetes), ['own-node', 'shared-node'], 'provisional', /shared a node/],
  ['forwarded', record(kubernetes), ['forwarded'], 'provisional', /forwarding of the API server/],
  ['no step', record(kubernetes), [], 'provisional', /Kubernetes/],
];

test.each(cases)('%s', (_, run, places, word, text) => {
  expect(confidence(run, places.map(stepAt))).toMatchObject({ word, text: expect.stringMatching(text) });
});

test('says why', () => {
  expect(confidence(record(), [stepAt()]).reasons).toEqual([
    'CPU and memory limits were enforced (cgroup v1).',
    "The load generator shared the machine's 8 cores with what it measured, of which it used at most 10 %.",
  ]);
  expect(confidence(record({ ...kubernetes, limits: notEnforced }), [stepAt('own-node')]).reasons).toEqual([
    'CPU and memory limits were not enforced: no rights to cgroups.',
    'The load generator had a node of its own, and used at most 10 % of what it may use.',
  ]);
});
