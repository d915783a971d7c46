import { jest } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { choosePlace } from '../../capacity/src/provision/choose.js';
import { upgradeInPlace } from '../../capacity/src/features/upgrade/survive.js';
import { buildPlan } from '../capacity/support/index.js';
import { expectNothingLeft } from './cli.js';
import { runtimes } from './workflows/runtimes.js';

jest.setTimeout(400_000);
expectNothingLeft();

const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [old, newest] = runtimes.map(({ version }) => version).slice(-2) as [string, string];
const tagged = (tag: string, ...set: string[]) => ({ files: [], set: [`image.tag=${tag}`, ...set] });

/** Upgrades a database with 50 executions, and returns the executions that n8n has after it. */
const upgradeWithExecutions = (from: string, to: string, ...set: string[]) =>
  upgradeInPlace({
    plan: buildPlan({ values: tagged(from, ...set) }),
    to: tagged(to, ...set),
    executions: 50,
    logs: join(folder, `${from}-${to}-${set.length}`),
    where: choosePlace({}),
    progress: terminalProgress(true),
  });

test.each([[[]], [['database.type=postgresql']]])('executions survive an upgrade from 1.x to 2.x %j', async (set) => {
  const { before, after, seconds } = await upgradeWithExecutions(old, newest, ...set);
  expect(before!.execution_entity).toBeGreaterThan(50);
  expect(after!.execution_entity).toBeGreaterThanOrEqual(before!.execution_entity!);
  expect(after!.execution_data).toBeGreaterThanOrEqual(before!.execution_data!);
  expect(seconds).toBeGreaterThan(0);
});
