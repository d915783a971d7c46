import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { z } from 'zod';
import { UsageError } from '../../core/errors.js';
import { helmYaml } from '../../core/yaml.js';
import { CLAIM } from '../../record/claim.js';
import {
  appendLine,
  comparable,
  dropPartialLine,
  makeFolder,
  parsed,
  readLines,
  writeWhole,
} from '../../record/files.js';
import { readRun, type RecordedRun } from '../../record/recorder.js';
import { FILES } from '../../record/names.js';

const VALUES = 'values';
/** The user's values may be secret. */
const FOR_ITS_OWNER = 0o600;

/** What is in a folder of trials. */
interface Kind<R, T> {
  /** The command that measures them, as `tune`; its name is that of the record. */
  command: 'tune' | 'upgrade' | 'faults';
  record: z.ZodType<R>;
  trial: z.ZodType<T>;
}

/**
 * The folder of a command that measures fresh deployments one after the other: its record, such as `tune.json`, a line in
 * `trials.ndjson` for each deployment, and a folder for the run of each.
 */
export class TrialsFolder<R extends { startedAt: string }, T extends { index: number }> {
  private readonly isNew: boolean;
  private readonly marker: string;

  constructor(
    readonly path: string,
    private readonly kind: Kind<R, T>,
  ) {
    this.isNew = !existsSync(path);
    this.marker = join(path, FILES[kind.command]);
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
    await writeWhole(file, helmYaml(values), FOR_ITS_OWNER);
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
      const names = await readdir(this.path).catch((): string[] => []);
      const there = names.find((name) => name !== CLAIM);
      if (there === undefined) return this.values('given', values);
      throw new UsageError(`${this.path}: holds ${there} and no run of ${this.kind.command}; give another folder.`);
    }
    const before: unknown = parse(await readFile(this.given, 'utf8'));
    if (isDeepStrictEqual(before ?? {}, values)) return this.given;
    throw new UsageError(
      `${this.path}: holds a run of ${this.kind.command} with other values; give another folder, or remove it.`,
    );
  }

  /** Removes what was written for a run that cannot begin; the folder held nothing else. */
  async takeBack(): Promise<void> {
    if (existsSync(this.marker)) return;
    await rm(join(this.path, VALUES), { recursive: true, force: true });
    if (this.isNew) await rm(this.path, { recursive: true, force: true });
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

  /** The record in the folder, if it has begun. Throws UsageError if it is damaged. */
  async begun(): Promise<R | undefined> {
    return existsSync(this.marker) ? this.record() : undefined;
  }

  /**
   * Begins, or continues if the folder holds the same.
   * @returns the trials so far
   * @throws UsageError if the folder holds another one, CannotRecord
   */
  async begin(record: R): Promise<T[]> {
    const before = await this.begun();
    if (before && !isDeepStrictEqual(comparable(before), comparable(record)))
      throw new UsageError(
        `${this.path}: holds a run of ${this.kind.command} with other values or options; give another folder, or remove it.`,
      );
    if (!before) {
      await makeFolder(resolve(this.path));
      await writeWhole(this.marker, `${JSON.stringify(record, null, 2)}\n`, FOR_ITS_OWNER);
    }
    await dropPartialLine(join(this.path, FILES.trials));
    return this.trials();
  }

  /** Appends a trial. Throws CannotRecord. */
  trial(trial: T): Promise<void> {
    return appendLine(join(this.path, FILES.trials), trial);
  }

  /** What is measured. Throws UsageError if the folder holds no run of this command, or it is damaged. */
  async record(): Promise<R> {
    const { command, record } = this.kind;
    const text = await readFile(this.marker, 'utf8').catch(() => {
      throw new UsageError(
        `${this.path}: holds no ${FILES[command]}; give a folder written by "n8n-capacity ${command}".`,
      );
    });
    return parsed(text, record, this.marker);
  }

  /** The trials so far. Throws UsageError if they are damaged. */
  trials(): Promise<T[]> {
    return readLines(join(this.path, FILES.trials), this.kind.trial);
  }
}
