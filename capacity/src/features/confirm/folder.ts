import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../../core/errors.js';
import { confirmSchema, type ConfirmRecord } from './record.js';
import { comparable, makeFolder, parsed, writeWhole } from '../../record/files.js';
import type { ConfirmRun } from './plan.js';
import { FILES } from '../../record/names.js';

/** The values that every run deploys. */
const CONFIRMED_VALUES = 'values.yaml';

/** The folder of a confirmation: `confirm.json`, the values, and a folder for each run. */
export class ConfirmFolder {
  constructor(readonly path: string) {}

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
    if (existsSync(join(this.path, FILES.confirm))) {
      if (isDeepStrictEqual(comparable(await this.record()), comparable(record))) return;
      throw new UsageError(
        `${this.path}: holds a confirmation of another record or with other options; give another folder, or remove it.`,
      );
    }
    await makeFolder(resolve(this.path));
    // The user's values may be secret.
    await writeWhole(this.values, values, 0o600);
    await writeWhole(join(this.path, FILES.confirm), `${JSON.stringify(record, null, 2)}\n`);
  }

  /** The record of the confirmation. Throws UsageError if the folder holds none, or it is damaged. */
  async record(): Promise<ConfirmRecord> {
    const file = join(this.path, FILES.confirm);
    const text = await readFile(file, 'utf8').catch(() => {
      throw new UsageError(`${this.path}: holds no ${FILES.confirm}; give a folder written by "n8n-capacity confirm".`);
    });
    return parsed(text, confirmSchema, file);
  }
}
