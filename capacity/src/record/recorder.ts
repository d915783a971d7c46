import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Sample } from '../observe/sampler.js';
import type { InstanceEvent } from '../provision/deployment.js';
import { InputError } from '../errors.js';
import type { RunRecord, StepRecord } from './types.js';

const RUN = 'run.json';
const STEPS = 'steps.ndjson';
const SAMPLES = 'samples.ndjson';
const EVENTS = 'events.ndjson';

/** Writes a run into a folder as it goes: whole files by renaming, series by appending whole lines. */
export class Recorder {
  private constructor(readonly folder: string) {}

  /** For a new run. Throws InputError when the folder cannot be written or holds a run: two runs in one would be judged as one. */
  static async create(folder: string): Promise<Recorder> {
    if (existsSync(join(folder, RUN))) {
      throw new InputError(`${folder}: holds a run already; give another folder, or remove it.`);
    }
    try {
      await makeFolder(resolve(folder));
      for (const name of ['steps', 'logs']) await makeFolder(join(resolve(folder), name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new InputError(`${folder}: cannot be written (${code}); give a folder that can.`);
    }
    return new Recorder(folder);
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

  /** Writes a file whole: a reader sees the old one or the new one. */
  async whole(name: string, text: string, mode = 0o644): Promise<void> {
    const file = join(this.folder, name);
    await writeFile(`${file}.partial`, text, { mode });
    await rename(`${file}.partial`, file);
  }

  private line(name: string, value: unknown): Promise<void> {
    return appendFile(join(this.folder, name), `${JSON.stringify(value)}\n`);
  }
}

/** `mkdir -p`; Node's own recursive mkdir never returns where a file system refuses new folders, as /proc does. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}

/** A run as it was recorded, whole or as far as it came. */
export interface RecordedRun {
  folder: string;
  run: RunRecord;
  steps: StepRecord[];
  samples: Sample[];
  events: InstanceEvent[];
}

/**
 * Reads a run's folder. A last line that was cut off (power, kill -9) is left out.
 * @throws InputError when there is no run, or a file of it cannot be understood
 */
export async function readRun(folder: string): Promise<RecordedRun> {
  const text = await readFile(join(folder, RUN), 'utf8').catch(() => {
    throw new InputError(
      `${folder}: holds no ${RUN}; give a folder that "n8n-capacity validate" has written, as results/<time>.`,
    );
  });
  const run = parsed<Partial<RunRecord>>(text, join(folder, RUN));
  if (!run.plan?.loads || !run.plan.slo || !run.deployment) {
    throw new InputError(`${join(folder, RUN)}: is no record of a run (no plan or no deployment in it).`);
  }
  return {
    folder,
    run: run as RunRecord,
    steps: await lines<StepRecord>(join(folder, STEPS)),
    samples: await lines<Sample>(join(folder, SAMPLES)),
    events: await lines<InstanceEvent>(join(folder, EVENTS)),
  };
}

async function lines<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete.split('\n').flatMap((line, i) => (line ? [parsed<T>(line, `${file}, line ${i + 1}`)] : []));
}

function parsed<T>(text: string, where: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new InputError(`${where}: is not valid JSON; the record was damaged after it was written.`);
  }
}
