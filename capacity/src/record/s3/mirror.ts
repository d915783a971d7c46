import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { messageOf, UsageError } from '../../core/errors.js';
import type { S3Prefix } from './prefix.js';

/** What a folder, or a prefix, holds one of when something is recorded in it. */
export const RECORDS = ['run.json', 'sweep.json', 'experiment.json'];

const PERIOD_MS = 5_000;
/** Files up to this size are written again whenever they have changed, in bytes. */
const SMALL = 256 * 1024;
/** What refers to other files comes after them, the last of these last. */
const LAST = ['run.json', 'steps.ndjson', 'outcomes.ndjson', 'verdict.json'];
/** What says that a prefix is taken, and by what, comes first. */
const rank = (name: string) => (RECORDS.includes(name) ? -2 : LAST.indexOf(basename(name)));

/** A file as it was at one time. */
interface Seen {
  size: number;
  changedAt: number;
}

/**
 * Keeps a copy of a folder in S3 while a run is recorded into it. Every 5 s the files that have changed are written, each
 * whole; a large one that grows when it has doubled, or has stopped growing, so that all that is sent is at most a few times
 * what is recorded; k6's samples of a step once, when the step is recorded. A write that fails is tried again.
 */
export class Mirror {
  private readonly written = new Map<string, Seen>();
  private seen = new Map<string, Seen>();
  private failing = false;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly s3: S3Prefix,
    /** Told what goes wrong on the way. */
    private readonly say: (line: string) => void,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.working = this.attempt().then(() => {
        if (this.timer) this.start();
      });
    }, PERIOD_MS);
    this.timer.unref();
  }

  /**
   * Writes everything that has changed, and ends.
   * @throws UsageError that says where the record is, and how it can be written later
   */
  async end(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.working;
    try {
      await this.pass(true);
    } catch (error) {
      throw new UsageError(
        `${messageOf(error)}\nThe whole record is in ${this.folder}; when that is mended: n8n-capacity upload ${this.folder} ${this.s3.address.url}`,
      );
    }
  }

  private async attempt(): Promise<void> {
    try {
      await this.pass(false);
      if (this.failing) this.say(`  ${this.s3.address.url} can be written again`);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.say(`  ${messageOf(error)} It is recorded in ${this.folder}, and tried again.`);
      this.failing = true;
    }
  }

  private async pass(everything: boolean): Promise<void> {
    const before = this.seen;
    this.seen = await filesOf(this.folder);
    if (!RECORDS.some((name) => this.seen.has(name))) return;
    for (const [name, now] of this.seen) {
      const written = this.written.get(name);
      if (written?.size === now.size && written.changedAt === now.changedAt) continue;
      if (!everything && !(await this.isDue(name, now, before.get(name)))) continue;
      // Gone since it was seen.
      if (!existsSync(join(this.folder, name))) continue;
      // What is appended in the meantime may refer to what is not written yet.
      await this.s3.upload(name, join(this.folder, name), name.endsWith('.ndjson') ? now.size : undefined);
      this.written.set(name, now);
    }
  }

  private async isDue(name: string, { size }: Seen, before: Seen | undefined): Promise<boolean> {
    if (basename(dirname(name)) === 'steps') return this.isRecorded(name);
    return size <= SMALL || size >= 2 * (this.written.get(name)?.size ?? 0) || size === before?.size;
  }

  /** Whether the step is recorded whose samples these are: until then k6 writes them. */
  private async isRecorded(samples: string): Promise<boolean> {
    const steps = await readFile(join(this.folder, dirname(dirname(samples)), 'steps.ndjson'), 'utf8').catch(() => '');
    return steps.includes(JSON.stringify(join('steps', basename(samples))));
  }
}

/** Every file of a folder as it is, in the order in which they are to be written; none where there is no folder. */
async function filesOf(folder: string): Promise<Map<string, Seen>> {
  if (!existsSync(folder)) return new Map();
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const files = new Map<string, Seen>();
  for (const name of names) {
    const now = await stat(join(folder, name)).catch(() => undefined);
    if (now) files.set(name, { size: now.size, changedAt: now.mtimeMs });
  }
  return files;
}
