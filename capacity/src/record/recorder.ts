import { upgradeRun, upgradeStep } from './legacy.js';
import { stepSchema, type StepRecord } from '../model/step.js';
import { runSchema, type RunRecord } from '../model/run.js';
import { type InstanceEvent, eventSchema } from '../model/events.js';
import { type Sample, rowsSchema, sampleSchema, type RowsRecord } from '../model/sample.js';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CannotRecord, UsageError } from '../core/errors.js';
import { appendLine, cannotWrite, dropPartialLine, makeFolder, parsed, readLines, writeWhole } from './files.js';

const RUN = 'run.json';
const STEPS = 'steps.ndjson';
const SAMPLES = 'samples.ndjson';
const EVENTS = 'events.ndjson';
const ROWS = 'rows.ndjson';

/** Throws UsageError when the folder holds a run: two runs in one would be judged as one. */
export function refuseUsed(folder: string): void {
  if (existsSync(join(folder, RUN)))
    throw new UsageError(`${folder}: holds a run already; give another folder, or remove it.`);
}

/** Writes a run into a folder as it goes: whole files by renaming, series by appending whole lines. */
export class Recorder {
  /** The first thing that could not be written: from then on nothing is, and the run had better end. */
  failure: CannotRecord | undefined;

  private constructor(readonly folder: string) {}

  /** For a new run. Throws UsageError when the folder cannot be written or holds a run: two runs in one would be judged as one. */
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
   * For a run that was interrupted, to go on with it. A last line that was cut off is removed, so that the next one is a
   * line of its own. Undefined when the folder holds no run.
   */
  static async resume(folder: string): Promise<{ recorder: Recorder; steps: StepRecord[] } | undefined> {
    if (!existsSync(join(folder, RUN))) return undefined;
    for (const name of [STEPS, SAMPLES, EVENTS, ROWS]) await dropPartialLine(join(folder, name));
    return { recorder: new Recorder(folder), steps: (await readRun(folder)).steps };
  }

  /** For a run that has ended, to add what is made from its records. */
  static of(folder: string): Recorder {
    return new Recorder(folder);
  }

  run(record: RunRecord): Promise<void> {
    return this.whole(RUN, JSON.stringify(record, null, 2));
  }

  step(record: StepRecord): Promise<void> {
    return this.line(STEPS, record);
  }

  sample(sample: Sample): Promise<void> {
    return this.line(SAMPLES, sample);
  }

  event(event: InstanceEvent): Promise<void> {
    return this.line(EVENTS, event);
  }

  rows(record: RowsRecord): Promise<void> {
    return this.line(ROWS, record);
  }

  /** Writes a file whole: a reader sees the old one or the new one. */
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

/** A run as it was recorded, whole or as far as it came. */
export interface RecordedRun {
  folder: string;
  run: RunRecord;
  steps: StepRecord[];
  samples: Sample[];
  events: InstanceEvent[];
  /** Of a soak, where they could be counted; else empty. */
  rows: RowsRecord[];
}

/**
 * Reads a run's folder. A last line that was cut off (power, kill -9) is left out.
 * @throws UsageError when there is no run, or a file of it cannot be understood
 */
export async function readRun(folder: string): Promise<RecordedRun> {
  const text = await readFile(join(folder, RUN), 'utf8').catch(() => {
    throw new UsageError(
      `${folder}: holds no ${RUN}; give a folder that validate, soak, burst or payload-limit has written, as results/<time>; of a sweep, one of its runs.`,
    );
  });
  return {
    folder,
    run: parsed(text, runSchema, join(folder, RUN), upgradeRun),
    steps: await readLines(join(folder, STEPS), stepSchema, upgradeStep),
    samples: await readLines(join(folder, SAMPLES), sampleSchema),
    events: await readLines(join(folder, EVENTS), eventSchema),
    rows: await readLines(join(folder, ROWS), rowsSchema),
  };
}
