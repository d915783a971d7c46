import type { RunRecord } from '../../capacity/src/model/run.js';
import type { InstanceEvent } from '../../capacity/src/model/events.js';
import type { RunConclusion } from '../../capacity/src/model/verdict.js';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { BIN, readJsonLines } from '../integration/cli.js';
import { report as say } from './support/eventually.js';

jest.setTimeout(900_000);

/**
 * A worker that the spike keeps busy, the base load does not, and an HPA that may start another. At 12/s two cores that are
 * shared with the cluster itself are too few: PostgreSQL falls behind, main keeps what waits and ends OOMKilled.
 */
const VALUES = [
  ['-f', join(chartFolder, 'profiles', 'queue.yaml')],
  ['--set', 'webhook.replicas=0,main.resources.requests.cpu=300m,redis.resources.requests.cpu=20m'],
  ['--set', 'postgresql.resources.requests.cpu=100m,loadTest.resources.requests.cpu=100m'],
  ['--set', 'worker.resources.requests.cpu=250m,worker.autoscaling.targetCPUUtilizationPercentage=60'],
  ['--set', 'worker.autoscaling.type=hpa,worker.autoscaling.minReplicas=1,worker.autoscaling.maxReplicas=2'],
].flat();

test('an HPA starts a worker in a spike: that is data, and nothing is lost', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'burst-')), 'run');
  const burst = ['--base', '1/s', '--spike', '6/s', '--for', '2m', '--drain-within', '3m', '--warmup', '1m'];
  const load = ['--workload', 'webhook-ack-wait', '--query', 'seconds=1'];
  const args = ['burst', '--provisioner', 'kubernetes', '-o', folder, '--json', ...VALUES, ...burst, ...load];
  const { exitCode, stdout, stderr } = await execa(process.execPath, [BIN, ...args], {
    reject: false,
    stdin: 'ignore',
  });
  if (stdout === '') throw new Error(`n8n-capacity printed no result (exit code ${exitCode}):\n${stderr}`);
  const { verdict } = JSON.parse(stdout) as RunConclusion;
  const { scaling, unended, peak, drainSeconds, autoscaled } = verdict.burst!;
  say(`burst with an HPA: ${verdict.loads[0]!.conclusion} (peak ${peak?.executions}, drained in ${drainSeconds} s)`);

  expect(exitCode).toBeLessThan(3);
  expect(verdict.loads[0]!.steps[0]!.judged.reasons.map(({ code }) => code)).not.toContain('scaled');
  expect(autoscaled).toBe(true);
  expect(scaling).toEqual([
    {
      component: 'worker',
      before: 1,
      most: 2,
      wanted: 2,
      firstReady: expect.any(Number),
      lastReady: expect.any(Number),
    },
  ]);
  expect(scaling[0]!.firstReady).toBeGreaterThan(0);
  expect(scaling[0]!.lastReady).toBe(scaling[0]!.firstReady);
  expect(unended).toEqual({ lost: 0, queued: 0 });

  const { deployment } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunRecord;
  expect(deployment.autoscalers).toEqual([
    { component: 'worker', kind: 'HorizontalPodAutoscaler', minReplicas: 1, maxReplicas: 2 },
  ]);
  const events = readJsonLines<InstanceEvent>(join(folder, 'events.ndjson'));
  expect(events).toContainEqual(expect.objectContaining({ kind: 'scaled', component: 'worker' }));
});
