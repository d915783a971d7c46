import type { Sample } from '../../capacity/src/model/sample.js';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { leftovers, LENIENT, runValidate } from './cli.js';

jest.setTimeout(600_000);

const POSTGRES = ['--set', 'database.type=postgresql'];
const LOAD = ['--workload', 'webhook-ack', '--step-duration', '8s', '--warmup', '2s', ...LENIENT];

let before: string[];
beforeEach(() => void (before = leftovers()));
afterEach(() => expect(leftovers().filter((left) => !before.includes(left))).toEqual([]));

const inStep = ({ steps, samples }: Awaited<ReturnType<typeof runValidate>>): Sample[] =>
  samples.filter((s) => s.at >= steps[0]!.measuredFrom && s.at <= steps[0]!.measuredTo);

test("PostgreSQL's transactions and connections under load, n8n's and nobody else's", async () => {
  const run = await runValidate(...POSTGRES, '--set', 'database.poolSize=4', ...LOAD, '--rates', '6/s');
  expect(run.run.deployment).toMatchObject({ database: 'postgresdb', poolSize: 4 });
  const looks = inStep(run).flatMap((s) => s.database ?? []);
  expect(looks.length).toBeGreaterThan(1);
  // Every execution is more than one.
  expect(run.samples.at(-1)!.database!.transactions).toBeGreaterThan(run.steps[0]!.executions!.completed);
  for (const { connections } of looks) {
    const all = Object.values(connections).reduce((a, b) => a + b, 0);
    expect(all).toBeGreaterThan(0);
    expect(all).toBeLessThanOrEqual(4);
  }
  const pools = inStep(run).flatMap((s) => s.instances.flatMap((i) => i.pool ?? []));
  expect(pools.length).toBeGreaterThan(1);
  expect(new Set(pools.map((p) => p.size))).toEqual(new Set([4]));
  expect(readFileSync(join(run.folder, 'report.html'), 'utf8')).toContain('PostgreSQL over time');
});

/**
 * n8n asks after its database by a connection too, and ends what it does when it gets none: migrations would never end.
 * Each commit takes PostgreSQL 50 ms longer, so that the connection is the bottleneck on any machine.
 */
const oneConnection = join(mkdtempSync(join(tmpdir(), 'values-')), 'one-connection.yaml');
writeFileSync(
  oneConnection,
  `
database: { poolSize: 1 }
extraEnv:
  - { name: DB_PING_INTERVAL_SECONDS, value: "3600" }
  - { name: PGOPTIONS, value: "-c commit_delay=50000 -c commit_siblings=0" }
`,
);

test('with one connection, what waits for it is seen', async () => {
  const run = await runValidate(...POSTGRES, '-f', oneConnection, ...LOAD, '--rates', '10/s');
  const pools = inStep(run).flatMap((s) => s.instances.flatMap((i) => i.pool ?? []));
  expect(Math.max(...pools.map((p) => p.pending))).toBeGreaterThan(0);
  expect(Math.max(...inStep(run).map((s) => s.database?.connections.active ?? 0))).toBeLessThanOrEqual(1);
});
