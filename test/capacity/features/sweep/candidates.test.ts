import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../../capacity/src/core/progress.js';
import { nextForTarget } from '../../../../capacity/src/features/sweep/judge/explore.js';
import type { Provisioner } from '../../../../capacity/src/model/deployment.js';
import type { DeploymentRecord } from '../../../../capacity/src/model/run.js';
import { readSweepPlan } from '../../../../capacity/src/features/sweep/plan/sweep.js';
import { prepareCandidates } from '../../../../capacity/src/features/sweep/candidates.js';
import { SweepFolder } from '../../../../capacity/src/features/sweep/folder.js';
import { measuredCandidates } from '../../../../capacity/src/features/sweep/outcomes.js';
import type { SweepOutcome } from '../../../../capacity/src/features/sweep/record.js';
import { regularDeployment } from '../../support/index.js';

const folder = mkdtempSync(join(tmpdir(), 'candidates-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The candidates of a sweep with a target of 10/s over some dimensions, all deployed as a record says. */
async function candidates(dimensions: string, record: Partial<DeploymentRecord> = {}) {
  const file = join(folder, 'plan.yaml');
  writeFileSync(file, `name: one\ndimensions: {${dimensions}}\nworkload: webhook-ack\ntarget: 10/s\n`);
  const provisioner: Provisioner = {
    prepare: () =>
      Promise.resolve({
        versions: { n8n: '2.41.1' },
        record: regularDeployment(record),
        deploy: () => Promise.reject(new Error('nothing is deployed here')),
      }),
  };
  const place = new SweepFolder(mkdtempSync(join(folder, 'record-')));
  const { ready } = await prepareCandidates(readSweepPlan(file), 'queue', provisioner, place, terminalProgress(true));
  return ready.map(({ candidate }) => ({ ...candidate, cost: candidate.cost.perHour }));
}

const outcome = (id: string, verdict: SweepOutcome['verdict'], loadSeconds = 60): SweepOutcome => ({
  ...{ id, purpose: 'measure', verdict, capacity: 0, conclusion: '', loadSeconds, seconds: loadSeconds + 60 },
});

test('without webhook processors main takes the webhooks: that is not less than one of them', async () => {
  const all = await candidates('webhooks: [0, 1, 2]');
  const missed = all.filter(({ id }) => !id.includes('webhooks-0')).map(({ id }) => outcome(id, 'FAIL'));
  expect(missed).toHaveLength(2);
  expect(nextForTarget(all, measuredCandidates(missed))?.id).toContain('webhooks-0');
});

test('fewer workers miss a target that more of them miss, but not one for which more did not start', async () => {
  const all = await candidates('workers: [1, 2]');
  const [one, two] = all.map(({ id }) => id);
  expect(nextForTarget(all, measuredCandidates([outcome(two!, 'FAIL')]))).toBeUndefined();
  expect(nextForTarget(all, measuredCandidates([outcome(two!, 'FAIL', 0)]))?.id).toBe(one);
});

test('what did not sustain a rate sustains no more; what did not start, or is not clear, says nothing', () => {
  const stopped = { ...outcome('a', 'FAIL'), challenge: 20 };
  const most = (o: SweepOutcome) => measuredCandidates([o])[0]!.most;
  expect(most(stopped)).toBe(20);
  expect(most({ ...stopped, loadSeconds: 0 })).toBeUndefined();
  expect(most({ ...stopped, verdict: 'INCONCLUSIVE' })).toBeUndefined();
  expect(most(outcome('a', 'FAIL'))).toBeUndefined();
  expect(most({ ...outcome('a', 'PASS'), capacity: 30 })).toBe(30);
});

test('an autoscaler is no fixed number of pods', async () => {
  const autoscalers = [
    { component: 'worker' as const, kind: 'ScaledObject' as const, minReplicas: 2, maxReplicas: 10 },
  ];
  await expect(candidates('workers: [1, 2]', { autoscalers })).rejects.toThrow(UsageError);
  await expect(candidates('workers: [1, 2]', { autoscalers })).rejects.toThrow(/autoscaler/);
});
