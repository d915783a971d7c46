import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { jest } from '@jest/globals';
import type { SweepConclusion, SweepOutcome } from '../../capacity/src/features/sweep/record.js';
import { cliWith, readJsonLines } from './cli.js';

jest.setTimeout(300_000);

const scratch = mkdtempSync(join(tmpdir(), 'without-redis-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** A folder with all commands of PATH, except Redis and apt-get, which would install it. */
function makePathWithoutRedis(): string {
  const folder = join(scratch, 'bin');
  mkdirSync(folder);
  const taken = new Set<string>();
  for (const from of process.env.PATH!.split(delimiter)) {
    for (const name of listCommands(from)) {
      if (taken.has(name) || /^(redis|valkey|apt)/.test(name)) continue;
      taken.add(name);
      symlinkSync(join(from, name), join(folder, name));
    }
  }
  return folder;
}

function listCommands(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

test('without Redis, a sweep of queue mode is INCONCLUSIVE, and no configuration misses the target', async () => {
  const plan = join(scratch, 'plan.yaml');
  const load = 'workload: webhook-ack\ntarget: 2/s\nheadroom: 1\nstep: {duration: 10s}\n';
  writeFileSync(plan, `name: no-redis\ndimensions: {mode: [queue]}\n${load}`);
  const record = join(scratch, 'record');
  const { exitCode, stdout, stderr } = await cliWith(
    { PATH: makePathWithoutRedis() },
    ...['sweep', plan, '-o', record, '--json'],
  );
  expect({ exitCode, stderr: exitCode === 2 ? '' : stderr }).toEqual({ exitCode: 2, stderr: '' });
  expect((JSON.parse(stdout) as SweepConclusion).verdict).toBe('INCONCLUSIVE');
  const [outcome] = readJsonLines<SweepOutcome>(join(record, 'outcomes.ndjson'));
  expect(outcome).toMatchObject({ verdict: 'INCONCLUSIVE', conclusion: expect.stringContaining('redis-server') });
});
