import { upgradeOutcome, upgradeSweep } from '../../record/legacy.js';
import { outcomeSchema, sweepSchema, type SweepOutcome, type SweepRecord } from './record.js';
import { UsageError } from '../../core/errors.js';
import { helmYaml } from '../../core/yaml.js';
import { readFile, rm, rmdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join, resolve } from 'node:path';
import {
  appendLine,
  cannotWrite,
  comparable,
  dropPartialLine,
  makeFolder,
  parsed,
  readLines,
  writeWhole,
} from '../../record/files.js';
import { FILES } from '../../record/names.js';

/** The user's values may be secret. */
const FOR_ITS_OWNER = 0o600;

/** The folder of a sweep: `sweep.json`, a line in `outcomes.ndjson` for each outcome, and a folder for each run. */
export class SweepFolder {
  private readonly configurations: string;
  private readonly written: string[] = [];
  private readonly isNew: boolean;

  constructor(readonly path: string) {
    this.configurations = join(path, 'configurations');
    this.isNew = !existsSync(path);
  }

  /** Sweeps of 0.1.0 called a hold a soak. */
  private get holds(): string {
    return existsSync(join(this.path, 'soaks')) ? 'soaks' : 'holds';
  }

  /** The folder of a configuration's run. */
  runOf(id: string, purpose: 'measure' | 'hold'): string {
    return join(this.path, purpose === 'hold' ? this.holds : 'runs', id);
  }

  /** The folder of the n-th run that measures the noise, counted from 1. */
  noiseRun(n: number): string {
    return join(this.path, 'noise', String(n));
  }

  /** Writes the values of a configuration, and returns the file. Throws CannotRecord. */
  async values(id: string, values: Record<string, unknown>): Promise<string> {
    await makeFolder(resolve(this.configurations)).catch((error: unknown) => {
      throw cannotWrite(this.configurations, error);
    });
    const file = join(this.configurations, `${id}.yaml`);
    this.written.push(file);
    await writeWhole(file, helmYaml(values), FOR_ITS_OWNER);
    return file;
  }

  /** Removes the values that were written for a sweep that cannot begin, and the folders made for them. */
  async takeBack(): Promise<void> {
    if (existsSync(join(this.path, FILES.sweep))) return;
    await Promise.all(this.written.map((file) => rm(file, { force: true })));
    // rmdir keeps folders that hold anything else.
    for (const folder of [this.configurations, ...(this.isNew ? [this.path] : [])]) await rmdir(folder).catch(() => {});
  }

  /**
   * Begins the sweep, or continues it if the folder holds the same one.
   * @returns the outcomes so far
   * @throws UsageError if the folder holds another sweep, CannotRecord
   */
  async begin(record: SweepRecord): Promise<SweepOutcome[]> {
    if (existsSync(join(this.path, FILES.sweep))) {
      const other = difference(await this.record(), record);
      if (other !== undefined)
        throw new UsageError(`${this.path}: holds a sweep with ${other}; give another folder, or remove it.`);
      await dropPartialLine(join(this.path, FILES.outcomes));
      return this.outcomes();
    }
    await writeWhole(join(this.path, FILES.sweep), `${JSON.stringify(record, null, 2)}\n`, FOR_ITS_OWNER);
    return [];
  }

  /** Appends an outcome. Throws CannotRecord. */
  outcome(outcome: SweepOutcome): Promise<void> {
    return appendLine(join(this.path, FILES.outcomes), outcome);
  }

  /** The record of the sweep. Throws UsageError if the folder holds none, or it is damaged. */
  async record(): Promise<SweepRecord> {
    const file = join(this.path, FILES.sweep);
    const text = await readFile(file, 'utf8').catch(() => {
      throw new UsageError(`${this.path}: holds no ${FILES.sweep}; give a folder written by "n8n-capacity sweep".`);
    });
    return parsed(text, sweepSchema, file, upgradeSweep);
  }

  /** The outcomes so far. Throws UsageError if they are damaged. */
  outcomes(): Promise<SweepOutcome[]> {
    return readLines(join(this.path, FILES.outcomes), outcomeSchema, upgradeOutcome);
  }
}

/** What keeps two sweeps from being one: undefined if they measure the same configurations under the same conditions. */
function difference(a: SweepRecord, b: SweepRecord): string | undefined {
  const isSame =
    isDeepStrictEqual(comparable(a.plan), comparable(b.plan)) &&
    (a.provisioner ?? 'process') === (b.provisioner ?? 'process') &&
    isDeepStrictEqual(ids(a), ids(b));
  if (!isSame) return 'another plan or provisioner';
  const [there, here] = [a.conditions, b.conditions];
  if (!there || !here || isDeepStrictEqual(there, here)) return undefined;
  if (there.values !== here.values) return 'other values: the content of a file has changed';
  return isDeepStrictEqual(there.n8n, here.n8n)
    ? `another machine (${there.machine})`
    : `another n8n (${there.n8n.join(', ')})`;
}

const ids = ({ candidates }: SweepRecord) => candidates.map(({ id }) => id);
