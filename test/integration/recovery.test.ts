import { cpus } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { format, resolveConfig } from 'prettier';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import { expectNothingLeft } from './cli.js';
import { RecoveryDeployment } from './recovery/deployment.js';
import { insertRecovery, type Check, type RecoveryRecord } from './recovery/document.js';

/** Tests n8n's check for lost executions in queue mode, and its cost for main. */

jest.setTimeout(1_800_000);

expectNothingLeft();

const LOST = 50;
/** Executions that a check looks at by default in n8n. */
const BATCH = 100;
/** Checks that `npm run bench:recovery` records for docs/operate/README.md. */
const RECORDED = [
  { batchSize: BATCH, backlogs: [0, 100, 1000] },
  { batchSize: 10_000, backlogs: [0, 1000, 9000, 10_000] },
];
const file = process.env.N8N_TUNED_RECORD;

/** Waits for the end of the next check; returns the longest time that main took for an answer meanwhile. */
async function waitForNextCheck(on: RecoveryDeployment): Promise<number> {
  const [before, answers] = [on.checks(), [] as Array<{ at: number; took: number }>];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      answers.push({ at: Date.now(), took: await on.answer() });
      await sleep(10);
    }
  })();
  while (on.checks() === before) await sleep(200);
  const from = Date.now() - 5000;
  isOver = true;
  await asking;
  return Math.max(...answers.filter(({ at, took }) => at + took > from).map(({ took }) => took));
}

/** Runs a check with `backlog` waiting executions and fifty lost ones. */
async function runCheck(on: RecoveryDeployment, batchSize: number, backlog: number): Promise<Check> {
  await on.addBacklog(backlog);
  const lost = await on.addLost(LOST);
  const longestAnswer = await waitForNextCheck(on);
  const found = await on.countWithStatus(lost, 'crashed');
  await on.clear();
  return { batchSize, backlog, lost: LOST, found, longestAnswer: Math.round(longestAnswer) };
}

test('a check finds lost executions, but not behind a backlog of its batch size, and reports a running sub-workflow as lost', async () => {
  const on = await RecoveryDeployment.start(BATCH);
  try {
    await on.startParent();
    expect(await runCheck(on, BATCH, BATCH)).toMatchObject({ found: 0 });
    expect(await runCheck(on, BATCH, 20)).toMatchObject({ found: LOST });
    expect(await on.statusOfChild()).toBe('crashed');
    while ((await on.statusOfChild()) === 'crashed') await sleep(500);
    expect(await on.statusOfChild()).toBe('success');
  } finally {
    await on.end();
  }
});

// Takes ten minutes and is only needed for a record. The test above asserts the same.
(file ? test : test.skip)('what a check finds and costs, by batch and backlog', async () => {
  const checks: Check[] = [];
  let n8n = '';
  for (const { batchSize, backlogs } of RECORDED) {
    const on = await RecoveryDeployment.start(batchSize);
    n8n = on.n8n;
    try {
      await on.endWorker();
      await waitForNextCheck(on);
      for (const backlog of backlogs) checks.push(await runCheck(on, batchSize, backlog));
    } finally {
      await on.end();
    }
  }
  const machine = { cpus: cpus().length, processor: cpus()[0]?.model.trim() ?? 'unknown' };
  const record: RecoveryRecord = { at: new Date().toISOString(), n8n, machine, checks };
  writeFileSync(file!, `${JSON.stringify(record, null, 2)}\n`);
  const document = join(repositoryFolder, 'docs', 'operate', 'README.md');
  const options = { ...(await resolveConfig(document)), parser: 'markdown' };
  writeFileSync(document, await format(insertRecovery(readFileSync(document, 'utf8'), record), options));
});
