import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Survival, UpgradeTrial } from '../../../../capacity/src/features/upgrade/record.js';
import { concludeUpgrade } from '../../../../capacity/src/features/upgrade/conclude.js';
import { UpgradeFolder } from '../../../../capacity/src/features/upgrade/folder.js';
import { Recorder } from '../../../../capacity/src/record/recorder.js';
import { replacedClauses } from '../../../../capacity/src/features/upgrade/report/facts.js';
import { buildRunRecord } from '../../support/index.js';
import { simulate, upgradeRecord } from './trials.js';

const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RECORD = upgradeRecord();
const KEPT: Survival = { before: { execution_entity: 2020 }, after: { execution_entity: 2021 }, seconds: 9.2 };

/** A folder with these trials. */
async function recorded(name: string, trials: UpgradeTrial[], survival?: Survival): Promise<string> {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'upgrade.json'), JSON.stringify(RECORD));
  writeFileSync(join(path, 'trials.ndjson'), trials.map((t) => `${JSON.stringify(t)}\n`).join(''));
  if (survival) await new UpgradeFolder(path).keepSurvival(survival);
  return path;
}

test('the report shows both versions, what the chart renders differently, and the upgrade', async () => {
  const path = await recorded('worse', simulate(RECORD, { throughput: 0.3 }), KEPT);
  const conclusion = await concludeUpgrade(path);
  expect(conclusion).toMatchObject({ outcome: 'worse', from: '2.34.0', to: '2.41.1', survival: KEPT });
  const page = readFileSync(conclusion.report, 'utf8');
  for (const part of ['N8N_EXPRESSION_ENGINE', '2020 → 2021', 'What the new version changes'])
    expect(page).toContain(part);
  expect(JSON.parse(readFileSync(join(path, 'verdict.json'), 'utf8'))).toMatchObject({ outcome: 'worse' });
});

test('the conclusion names the replaced dependencies of each version', async () => {
  const path = await recorded('replaced', simulate(RECORD, {}), KEPT);
  const folderOf = new UpgradeFolder(path);
  for (const [side, version] of [
    ['from', '0.18.11'],
    ['to', '0.18.12'],
  ]) {
    const index = (await folderOf.trials()).find((trial) => trial.side === side)!.index;
    const recorder = await Recorder.create(folderOf.runOf(index));
    const run = buildRunRecord();
    await recorder.run({ ...run, deployment: { ...run.deployment, replaced: { linkedom: version! } } });
  }
  const conclusion = await concludeUpgrade(path);
  expect(conclusion.replaced).toEqual({ from: { linkedom: '0.18.11' }, to: { linkedom: '0.18.12' } });
  expect(replacedClauses(conclusion)).toHaveLength(2);
  expect(readFileSync(conclusion.report, 'utf8')).toContain('linkedom 0.18.11');
});

test('a run that was interrupted before its first trial has a report, too', async () => {
  const path = await recorded('begun', []);
  const conclusion = await concludeUpgrade(path);
  expect(conclusion).toMatchObject({ outcome: 'open', trials: { measured: 0, left: 12 } });
  expect(existsSync(conclusion.report)).toBe(true);
});

test('a folder of another comparison is refused', async () => {
  const path = await recorded('another', []);
  await expect(new UpgradeFolder(path).begin({ ...RECORD, pairs: 5 })).rejects.toThrow(/run of upgrade/);
  expect(await new UpgradeFolder(path).begin({ ...RECORD, startedAt: 'later' })).toEqual([]);
});

test('a folder without a run of upgrade is refused with what is missing', async () => {
  await expect(concludeUpgrade(folder)).rejects.toThrow(/upgrade\.json.*n8n-capacity upgrade/);
});
