import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { expectNothingLeft, expectPass, LENIENT, profile, runValidate, SLOW } from '../cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

test('queue mode: PostgreSQL, Redis, workers and webhook processors, driven by a mix of workloads', async () => {
  const mix = join(mkdtempSync(join(tmpdir(), 'mix-')), 'mix.yaml');
  writeFileSync(mix, 'webhook-ack: 3\nwebhook-wait: 1\n');
  const load = ['--mix', mix, '--query', 'seconds=0.3'];
  const run = await runValidate(...profile('queue'), '--set', 'worker.concurrency=5', ...load, ...SLOW, ...LENIENT);
  expectPass(run);
  expect(run.run.deployment).toMatchObject({ mode: 'queue', database: 'postgresdb', slots: 10 });
  expect(run.run.deployment.instances.map((i) => i.component)).toEqual([
    'postgresql',
    'redis',
    'main',
    'worker',
    'worker',
    'webhook',
    'webhook',
  ]);
  expect(run.steps[0]!.executions!.completed).toBe(run.steps[0]!.executions!.accepted);
  expect(run.samples.some((s) => s.queue !== undefined)).toBe(true);
  // The workers did the work, so they used CPU.
  const cpu = (name: string) => run.samples.at(-1)!.instances.find((i) => i.name.includes(name))!.cpuSeconds;
  expect(cpu('worker-0') + cpu('worker-1')).toBeGreaterThan(0);
});
