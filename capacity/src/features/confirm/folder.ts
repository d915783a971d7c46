import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { comparable } from '../../record/files.js';
import { defineRecord, RecordFolder } from '../../record/folder.js';
import { FILES } from '../../record/names.js';
import type { ConfirmRun } from './plan.js';
import { confirmSchema, type ConfirmRecord } from './record.js';

const CONFIRM = defineRecord('confirm', confirmSchema, (before, now) =>
  isDeepStrictEqual(comparable(before), comparable(now)) ? undefined : 'another record or other options',
);

/** The values that every run deploys. */
const CONFIRMED_VALUES = 'values.yaml';

/** The folder of a confirmation: `confirm.json`, the values, and a folder for each run. */
export class ConfirmFolder extends RecordFolder<ConfirmRecord> {
  constructor(path: string) {
    super(path, CONFIRM);
  }

  /** The values that every run deploys. */
  get values(): string {
    return join(this.path, CONFIRMED_VALUES);
  }

  /** The folder of a run. */
  runOf({ load, deployment }: ConfirmRun): string {
    if (deployment === undefined) return join(this.path, 'soaks', load);
    return join(this.path, 'runs', `${String(deployment).padStart(2, '0')}-${load}`);
  }

  /** Whether a run has come to its end. */
  isDone = (run: ConfirmRun): boolean => existsSync(join(this.runOf(run), FILES.verdict));

  /** Removes what an interrupted run left: it begins anew, as its deployment has to be fresh. */
  clear = (run: ConfirmRun): Promise<void> => rm(this.runOf(run), { recursive: true, force: true });

  /**
   * Begins the confirmation, or continues it if the folder holds the same one.
   * @param values text of the values file
   * @throws UsageError if the folder holds another one, CannotRecord
   */
  async begin(record: ConfirmRecord, values: string): Promise<void> {
    // The values first: the record says that they are there.
    if (!this.hasBegun) await this.writePrivate(CONFIRMED_VALUES, values);
    await this.writeRecord(record);
  }
}
