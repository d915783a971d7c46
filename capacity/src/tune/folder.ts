import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { UsageError } from '../core/errors.js';
import { trialSchema, tuneSchema, type TrialRecord, type TuneRecord } from '../model/tune.js';
import { appendLine, dropPartialLine, makeFolder, parsed, readLines, writeWhole } from '../record/files.js';

/** The file that marks a folder as one of `tune`. */
export const TUNE = 'tune.json';
const TRIALS = 'trials.ndjson';
const VALUES = 'values';
/** The user's values may be secret. */
const FOR_ITS_OWNER = 0o600;

/** The folder of a run of `tune`: `tune.json`, a line in `trials.ndjson` for each trial, and a folder for each trial's run. */
export class TuneFolder {
  private readonly isNew: boolean;

  constructor(readonly path: string) {
    this.isNew = !existsSync(path);
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
  async values(name: string, values: Record<string, unknown>): Promise<string> {
    const folder = join(this.path, VALUES);
    await makeFolder(resolve(folder));
    const file = join(folder, `${name}.yaml`);
    await writeWhole(file, stringify(values), FOR_ITS_OWNER);
    return file;
  }

  /** Removes a values file. */
  drop = (name: string): Promise<void> => rm(join(this.path, VALUES, `${name}.yaml`), { force: true });

  /**
   * Keeps the user's values, as helm merges them, and returns the file.
   * @throws UsageError if the folder holds a run with other ones, or anything else, CannotRecord
   */
  async giveValues(values: Record<string, unknown>): Promise<string> {
    if (!(await this.begun())) {
      const [there] = await readdir(this.path).catch(() => []);
      if (there === undefined) return this.values('given', values);
      throw new UsageError(`${this.path}: holds ${there} and no run of tune; give another folder.`);
    }
    const before: unknown = parse(await readFile(this.given, 'utf8'));
    if (isDeepStrictEqual(before ?? {}, values)) return this.given;
    throw new UsageError(`${this.path}: holds a run of tune with other values; give another folder, or remove it.`);
  }

  /** Removes what was written for a run that cannot begin; the folder held nothing else. */
  async takeBack(): Promise<void> {
    if (existsSync(join(this.path, TUNE))) return;
    await rm(join(this.path, VALUES), { recursive: true, force: true });
    if (this.isNew) await rm(this.path, { recursive: true, force: true });
  }

  /** Removes what an interrupted trial left: its deployment has to be fresh. */
  clear = (index: number): Promise<void> => rm(this.runOf(index), { recursive: true, force: true });

  /** The record in the folder, if it has begun. Throws UsageError if it is damaged. */
  async begun(): Promise<TuneRecord | undefined> {
    return existsSync(join(this.path, TUNE)) ? this.record() : undefined;
  }

  /**
   * Begins, or continues if the folder holds the same.
   * @returns the trials so far
   * @throws UsageError if the folder holds another one, CannotRecord
   */
  async begin(record: TuneRecord): Promise<TrialRecord[]> {
    const before = await this.begun();
    if (before && !isDeepStrictEqual(compared(before), compared(record)))
      throw new UsageError(
        `${this.path}: holds a run of tune with other values, settings or options; give another folder, or remove it.`,
      );
    if (!before) {
      await makeFolder(resolve(this.path));
      await writeWhole(join(this.path, TUNE), `${JSON.stringify(record, null, 2)}\n`, FOR_ITS_OWNER);
    }
    await dropPartialLine(join(this.path, TRIALS));
    return this.trials();
  }

  /** Appends a trial. Throws CannotRecord. */
  trial(trial: TrialRecord): Promise<void> {
    return appendLine(join(this.path, TRIALS), trial);
  }

  /** What is tried. Throws UsageError if the folder holds no run of `tune`, or it is damaged. */
  async record(): Promise<TuneRecord> {
    const file = join(this.path, TUNE);
    const text = await readFile(file, 'utf8').catch(() => {
      throw new UsageError(`${this.path}: holds no ${TUNE}; give a folder written by "n8n-capacity tune".`);
    });
    return parsed(text, tuneSchema, file);
  }

  /** The trials so far. Throws UsageError if they are damaged. */
  trials(): Promise<TrialRecord[]> {
    return readLines(join(this.path, TRIALS), trialSchema);
  }
}

/** What two runs must have in common to be the same, as JSON keeps it. */
const compared = ({ startedAt: _, ...record }: TuneRecord): unknown => JSON.parse(JSON.stringify(record));
