import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { z } from 'zod';
import { UsageError } from '../../core/errors.js';
import { CLAIM } from '../../record/claim.js';
import { appendLine, dropPartialLine, readLines } from '../../record/files.js';
import { RecordFolder, type RecordKind } from '../../record/folder.js';
import { FILES } from '../../record/names.js';
import { readRun, type RecordedRun } from '../../record/recorder.js';

const VALUES = 'values';

/**
 * The folder of a command that measures fresh deployments one after the other. It holds the record, such as `tune.json`, and for
 * each deployment a line in `trials.ndjson` and the folder of its run.
 */
export class TrialsFolder<R extends { startedAt: string }, T extends { index: number }> extends RecordFolder<R> {
  constructor(
    path: string,
    kind: RecordKind<R>,
    private readonly trialSchema: z.ZodType<T>,
  ) {
    super(path, kind);
  }

  /** The folder of the run of a trial. */
  runOf(index: number): string {
    return join(this.path, 'trials', String(index + 1).padStart(2, '0'));
  }

  /** The user's values, as helm merges them. */
  get given(): string {
    return join(this.path, VALUES, 'given.yaml');
  }

  /** Writes a values file, and returns its path. Throws CannotRecord. */
  values(name: string, values: Record<string, unknown>): Promise<string> {
    return this.writeValuesFile(join(VALUES, `${name}.yaml`), values);
  }

  /** Removes a values file. */
  drop = (name: string): Promise<void> => rm(join(this.path, VALUES, `${name}.yaml`), { force: true });

  /**
   * Keeps the user's values, as helm merges them, and returns the file.
   * @throws UsageError if the folder holds a run with other ones, or anything else, CannotRecord
   */
  async giveValues(values: Record<string, unknown>): Promise<string> {
    if (!this.hasBegun) {
      const names = await readdir(this.path).catch((): string[] => []);
      const there = names.find((name) => name !== CLAIM);
      if (there === undefined) return this.values('given', values);
      throw new UsageError(`${this.path}: holds ${there} and no run of ${this.kind.command}; give another folder.`);
    }
    // A damaged record is refused before its values are compared.
    await this.record();
    const before: unknown = parse(await readFile(this.given, 'utf8'));
    if (isDeepStrictEqual(before ?? {}, values)) return this.given;
    throw new UsageError(
      `${this.path}: holds a run of ${this.kind.command} with other values; give another folder, or remove it.`,
    );
  }

  /**
   * The run of the first trial that has one: its machine is that of all.
   * @param wanted only of these trials
   */
  async firstRun(wanted: (trial: T) => boolean = () => true): Promise<RecordedRun | undefined> {
    const trials = (await this.trials()).filter(wanted);
    const ran = trials.find(({ index }) => existsSync(join(this.runOf(index), FILES.run)));
    return ran && readRun(this.runOf(ran.index));
  }

  /** Removes what an interrupted trial left: its deployment has to be fresh. */
  clear = (index: number): Promise<void> => rm(this.runOf(index), { recursive: true, force: true });

  /**
   * Begins, or continues if the folder holds the same.
   * @returns the trials so far
   * @throws UsageError if the folder holds another one, CannotRecord
   */
  async begin(record: R): Promise<T[]> {
    await this.writeRecord(record);
    await dropPartialLine(join(this.path, FILES.trials));
    return this.trials();
  }

  /** Appends a trial. Throws CannotRecord. */
  trial(trial: T): Promise<void> {
    return appendLine(join(this.path, FILES.trials), trial);
  }

  /** The trials so far. Throws UsageError if they are damaged. */
  trials(): Promise<T[]> {
    return readLines(join(this.path, FILES.trials), this.trialSchema);
  }
}
