import { existsSync } from 'node:fs';
import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { UsageError } from '../core/errors.js';
import { toHelmYaml } from '../core/yaml.js';
import { cannotWrite, comparable, makeFolder, OWNER_ONLY, parsed, writeWhole } from './files.js';
import { declareMarker } from './markers.js';

/** A kind of record that consists of several runs. */
export interface RecordKind<R extends object> {
  /** The command that writes it, such as `tune`. */
  command: string;
  /** `<command>.json`: what was asked, written before anything is measured. */
  marker: string;
  schema: z.ZodType<R>;
  /** What keeps two records from being one, such as `other options`; undefined if one continues the other. */
  difference: (before: R, now: R) => string | undefined;
}

/** A kind of record; two records are one if they are equal but for the time when they began. */
export function defineRecord<R extends object>(
  command: string,
  schema: z.ZodType<R>,
  difference: RecordKind<R>['difference'] = differenceOfOptions,
): RecordKind<R> {
  return { command, marker: declareMarker(command), schema, difference };
}

const differenceOfOptions = (before: object, now: object): string | undefined =>
  isDeepStrictEqual(comparable(before), comparable(now)) ? undefined : 'other values or options';

/**
 * The folder of a record of several runs: the marker, values files, and whatever a feature adds. A folder that holds the same
 * record is continued.
 */
export class RecordFolder<R extends object> {
  /** Whether the folder did not exist when the command started. */
  private readonly isNew: boolean;
  private readonly written = new Set<string>();

  constructor(
    readonly path: string,
    protected readonly kind: RecordKind<R>,
  ) {
    this.isNew = !existsSync(path);
  }

  private get marker(): string {
    return join(this.path, this.kind.marker);
  }

  /** Whether the folder holds a record of this kind. */
  get hasBegun(): boolean {
    return existsSync(this.marker);
  }

  /** What was asked. Throws UsageError if the folder holds no such record, or it is damaged. */
  async record(): Promise<R> {
    const { command, marker, schema } = this.kind;
    const text = await readFile(this.marker, 'utf8').catch(() => {
      throw new UsageError(`${this.path}: holds no ${marker}; give a folder written by "n8n-capacity ${command}".`);
    });
    return parsed(text, schema, this.marker);
  }

  /** What was asked; undefined if the folder holds no such record. Throws UsageError if it is damaged. */
  async recordIfAny(): Promise<R | undefined> {
    return this.hasBegun ? this.record() : undefined;
  }

  /**
   * Writes the record, or continues if the folder holds the same one.
   * @throws UsageError if the folder holds another one, CannotRecord
   */
  protected async writeRecord(record: R): Promise<void> {
    const before = await this.recordIfAny();
    if (before !== undefined) return this.requireSame(before, record);
    await makeFolder(resolve(this.path));
    await writeWhole(this.marker, `${JSON.stringify(record, null, 2)}\n`, OWNER_ONLY);
  }

  private requireSame(before: R, record: R): void {
    const other = this.kind.difference(before, record);
    if (other === undefined) return;
    throw new UsageError(
      `${this.path}: holds a run of ${this.kind.command} with ${other}; give another folder, or remove it.`,
    );
  }

  /** Writes a file that may hold secrets, such as the user's values, and returns its path. Throws CannotRecord. */
  protected async writePrivate(name: string, text: string): Promise<string> {
    const file = join(this.path, name);
    await makeFolder(resolve(dirname(file))).catch((error: unknown) => {
      throw cannotWrite(dirname(file), error);
    });
    this.written.add(file);
    await writeWhole(file, text, OWNER_ONLY);
    return file;
  }

  /** Writes a values file, and returns its path. Throws CannotRecord. */
  protected writeValuesFile(name: string, values: Record<string, unknown>): Promise<string> {
    return this.writePrivate(name, toHelmYaml(values));
  }

  /** Removes what this process wrote for a record that cannot begin, and the folders made for it. */
  async takeBack(): Promise<void> {
    if (this.hasBegun) return;
    await Promise.all([...this.written].map((file) => rm(file, { force: true })));
    const made = [...new Set([...this.written].map((file) => dirname(file)))].filter((folder) => folder !== this.path);
    // rmdir keeps folders that hold anything else.
    for (const folder of [...made, ...(this.isNew ? [this.path] : [])]) await rmdir(folder).catch(() => {});
  }
}
