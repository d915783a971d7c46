import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  survivalSchema,
  upgradeSchema,
  upgradeTrialSchema,
  type Survival,
  type UpgradeRecord,
  type UpgradeTrial,
} from './record.js';
import { parsed, writeWhole } from '../../record/files.js';
import { defineRecord } from '../../record/folder.js';
import { TrialsFolder } from '../trial/folder.js';

/** File with the result of the upgrade on the same database. */
const SURVIVAL = 'survival.json';
const UPGRADE = defineRecord('upgrade', upgradeSchema);

/** The folder of a run of `upgrade`. */
export class UpgradeFolder extends TrialsFolder<UpgradeRecord, UpgradeTrial> {
  constructor(path: string) {
    super(path, UPGRADE, upgradeTrialSchema);
  }

  /** Folder for the logs of the upgrade on the same database. */
  get logs(): string {
    return join(this.path, 'survival');
  }

  /** The result of the upgrade on the same database; undefined if it was not tried yet. Throws UsageError if it is damaged. */
  async survival(): Promise<Survival | undefined> {
    const file = join(this.path, SURVIVAL);
    if (!existsSync(file)) return undefined;
    return parsed(await readFile(file, 'utf8'), survivalSchema, file);
  }

  /** Writes the result of the upgrade on the same database. Throws CannotRecord. */
  keepSurvival = (survival: Survival): Promise<void> =>
    writeWhole(join(this.path, SURVIVAL), `${JSON.stringify(survival, null, 2)}\n`);
}
