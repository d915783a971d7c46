import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import type { InstanceSample } from '../../capacity/src/observe/sampler.js';
import { repository } from '../../capacity/src/paths.js';
import { isAlive } from '../../capacity/src/processes.js';
import type { DeploymentRecord, StepRecord } from '../../capacity/src/record/types.js';
import { leftovers } from './cli.js';

jest.setTimeout(180_000);

interface Seen {
  deployment: DeploymentRecord;
  step: StepRecord;
  /** Requests by process id. */
  served: Record<string, number>;
  instances: InstanceSample[];
}

async function drive(server: string, arrangement: string, processes: number): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'arranged-'));
  const stub = join(import.meta.dirname, 'stub-arranged.mjs');
  const args = [stub, server, arrangement, String(processes), folder];
  const { exitCode, stdout, stderr } = await execa(process.execPath, args, { reject: false, stdin: 'ignore' });
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}:\n${stderr}`);
  return JSON.parse(stdout) as Seen;
}

async function expectNothingLeft({ served }: Seen): Promise<void> {
  expect(Object.keys(served).map(Number).filter(isAlive)).toEqual([]);
  expect(leftovers()).toEqual([]);
  const { stdout } = await execa('ps', ['-axo', 'args=']);
  expect(stdout.split('\n').filter((line) => line.includes(join(repository, 'experiments', 'control')))).toEqual([]);
}

test.each([
  ['bare', 'one', 1, ['bare-0']],
  ['express', 'one', 1, ['express-0']],
  ['bare', 'turns', 2, ['bare-0', 'bare-1']],
  ['express', 'cluster', 3, ['express-0']],
  ['bare', 'pm2', 2, ['bare-0']],
  ['bare', 'nginx', 3, ['bare-0', 'bare-1', 'bare-2', 'nginx']],
  ['bare', 'iptables', 3, ['bare-0', 'bare-1', 'bare-2']],
])('%s, %s of %d: all serve, and nothing is left', async (server, arrangement, processes, names) => {
  const seen = await drive(server, arrangement, processes);
  const { step, served, instances, deployment } = seen;
  expect({ failures: step.summary.failures, events: step.events }).toEqual({ failures: {}, events: [] });
  expect(step.executions).toBeNull();
  const counts = Object.values(served);
  expect(counts).toHaveLength(processes);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(counts.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(step.summary.answered);
  expect(instances.map(({ name }) => name)).toEqual(names);
  expect(deployment.instances.map(({ name }) => name)).toEqual(names.filter((name) => name !== 'nginx'));
  await expectNothingLeft(seen);
});

test("n8n 2.41.1 behind Node's cluster: both webhook processors serve, and executions are not counted by one of them", async () => {
  const seen = await drive('n8n', 'cluster', 2);
  expect({ answered: seen.step.summary.answered > 0, failures: seen.step.summary.failures }).toEqual({
    answered: true,
    failures: {},
  });
  expect(seen.step.executions).toBeNull();
  const counts = Object.values(seen.served);
  expect(counts).toHaveLength(2);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  await expectNothingLeft(seen);
});
