import { stepSchema, type StepRecord } from '../model/step.js';
import { runSchema, type RunRecord } from '../model/run.js';
import { profileSchema, type ProfileRecord } from '../model/profile.js';
import { type InstanceEvent, eventSchema } from '../model/events.js';
import { type Sample, rowsSchema, sampleSchema, type RowsRecord } from '../model/sample.js';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CannotRecord, UsageError } from '../core/errors.js';
import { appendLine, cannotWrite, dropPartialLine, makeFolder, parsed, readLines, writeWhole } from './files.js';
import { FILES } from './names.js';

const PROFILES = 'profiles.ndjson';

/** Throws UsageError if the folder holds a run: two runs in one folder would be judged as one. */
export function refuseUsed(folder: string): void {
  if (existsSync(join(folder, FILES.run)))
    throw new UsageError(`${folder}: already holds a run; give another folder, or remove it.`);
}

/** Writes the record of a run into a folder: files atomically, series line by line. Every method throws CannotRecord. */
export class Recorder {
  /** The first failed write; nothing is written after it, and the run should end. */
  failure: CannotRecord | undefined;

  private constructor(readonly folder: string) {}

  /** For a new run. Throws UsageError if the folder holds a run, CannotRecord if it cannot be written. */
  static async create(folder: string): Promise<Recorder> {
    refuseUsed(folder);
    try {
      await makeFolder(resolve(folder));
      for (const name of ['steps', 'logs']) await makeFolder(join(resolve(folder), name));
    } catch (error) {
      throw cannotWrite(folder, error);
    }
    return new Recorder(folder);
  }

  /**
   * Continues an interrupted run; incomplete last lines are removed. Undefined if the folder holds no run. Throws UsageError if
   * the record is damaged.
   */
  static async resume(folder: string): Promise<{ recorder: Recorder; steps: StepRecord[] } | undefined> {
    if (!existsSync(join(folder, FILES.run))) return undefined;
    for (const name of [FILES.steps, FILES.samples, FILES.events, FILES.rows, PROFILES])
      await dropPartialLine(join(folder, name));
    return { recorder: new Recorder(folder), steps: (await readRun(folder)).steps };
  }

  /** For a run that has ended, to add files made from its record. */
  static of(folder: string): Recorder {
    return new Recorder(folder);
  }

  /** Writes `run.json`. */
  run(record: RunRecord): Promise<void> {
    return this.whole(FILES.run, JSON.stringify(record, null, 2));
  }

  /** Appends a step. */
  step(record: StepRecord): Promise<void> {
    return this.line(FILES.steps, record);
  }

  /** Appends a sample. */
  sample(sample: Sample): Promise<void> {
    return this.line(FILES.samples, sample);
  }

  /** Appends an event. */
  event(event: InstanceEvent): Promise<void> {
    return this.line(FILES.events, event);
  }

  /** Appends the row counts of n8n's tables. */
  rows(record: RowsRecord): Promise<void> {
    return this.line(FILES.rows, record);
  }

  /** Appends a CPU profile. */
  profile(record: ProfileRecord): Promise<void> {
    return this.line(PROFILES, record);
  }

  /** Writes a file atomically: a reader sees the old or the new one. */
  whole(name: string, text: string, mode?: number): Promise<void> {
    return this.written(() => writeWhole(join(this.folder, name), text, mode));
  }

  private line(name: string, value: unknown): Promise<void> {
    return this.written(() => appendLine(join(this.folder, name), value));
  }

  private async written(write: () => Promise<void>): Promise<void> {
    if (this.failure) throw this.failure;
    try {
      await write();
    } catch (error) {
      this.failure = error as CannotRecord;
      throw error;
    }
  }
}

/** The record of a run, complete or interrupted. */
export interface RecordedRun {
  folder: string;
  run: RunRecord;
  steps: StepRecord[];
  samples: Sample[];
  events: InstanceEvent[];
  /** Of a soak if they could be counted, else empty. */
  rows: RowsRecord[];
  /** CPU profiles, where the plan asked for them. */
  profiles?: ProfileRecord[];
}

/**
 * Reads a run's folder. An incomplete last line (power loss, kill -9) is ignored.
 * @throws UsageError if there is no run, or its record is damaged
 */
export async function readRun(folder: string): Promise<RecordedRun> {
  const text = await readFile(join(folder, FILES.run), 'utf8').catch(() => {
    throw new UsageError(
      existsSync(folder)
        ? `${folder}: holds no ${FILES.run}; give the folder of a record, such as results/<time>, or of one configuration of a sweep, such as results/<name>/holds/<configuration>.`
        : `${folder}: does not exist; give the folder of a record, such as results/<time>.`,
    );
  });
  return {
    folder,
    run: parsed(text, runSchema, join(folder, FILES.run)),
    steps: await readLines(join(folder, FILES.steps), stepSchema),
    samples: await readLines(join(folder, FILES.samples), sampleSchema),
    events: await readLines(join(folder, FILES.events), eventSchema),
    rows: await readLines(join(folder, FILES.rows), rowsSchema),
    profiles: await readLines(join(folder, PROFILES), profileSchema),
  };
}
