import type { Sample } from '../../capacity/src/model/sample.js';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { expectNothingLeft, LENIENT, runValidate } from './cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

/**
 * One database connection. n8n's own check of the database is made rare: without a free connection n8n would give up, and
 * migrations would never end. Each commit takes 50 ms longer, which makes the connection the bottleneck on any machine.
 */
const ONE_CONNECTION = `
database: { type: postgresql, poolSize: 1 }
extraEnv:
  - { name: DB_PING_INTERVAL_SECONDS, value: "3600" }
  - { name: PGOPTIONS, value: "-c commit_delay=50000 -c commit_siblings=0" }
`;

const inStep = ({ steps, samples }: Awaited<ReturnType<typeof runValidate>>): Sample[] =>
  samples.filter((s) => s.at >= steps[0]!.measuredFrom && s.at <= steps[0]!.measuredTo);

test('validate records PostgreSQL under load: its transactions, the connections of n8n only, and requests that wait for one', async () => {
  const values = join(mkdtempSync(join(tmpdir(), 'values-')), 'one-connection.yaml');
  writeFileSync(values, ONE_CONNECTION);
  const load = ['--workload', 'webhook-ack', '--rates', '10/s', '--step-duration', '8s', '--warmup', '2s'];
  const seeded = ['--seed-executions', '300'];
  const run = await runValidate('-f', values, ...load, ...seeded, ...LENIENT);
  expect(run.run.deployment).toMatchObject({ database: 'postgresdb', poolSize: 1 });

  const looks = inStep(run).flatMap((s) => s.database ?? []);
  expect(looks.length).toBeGreaterThan(1);
  // Every execution takes more than one transaction.
  expect(run.samples.at(-1)!.database!.transactions).toBeGreaterThan(run.steps[0]!.executions!.completed);
  for (const { connections } of looks) expect(Object.values(connections).reduce((a, b) => a + b, 0)).toBe(1);

  const pools = inStep(run).flatMap((s) => s.instances.flatMap((i) => i.pool ?? []));
  expect(new Set(pools.map((p) => p.size))).toEqual(new Set([1]));
  expect(Math.max(...pools.map((p) => p.pending))).toBeGreaterThan(0);
});
