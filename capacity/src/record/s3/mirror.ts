import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { EnvironmentFault, messageOf, UsageError } from '../../core/errors.js';
import type { S3Prefix } from './prefix.js';
import { isMarker } from '../markers.js';
import { FILES } from '../names.js';

const PERIOD_MS = 5_000;
/** Files up to this size in bytes are uploaded again whenever they change. */
const SMALL = 256 * 1024;
/** Files that refer to others are uploaded after them, in this order. */
const LAST: string[] = [FILES.run, FILES.steps, FILES.outcomes, FILES.trials, FILES.verdict];
/** The file that marks the prefix as taken comes first. */
const uploadRank = (name: string) => (isMarker(name) ? -2 : LAST.indexOf(basename(name)));

/** What to do to complete a copy, such as `run: …`. */
export type UploadLater = (folder: string, url: string) => string;

/** A file as it was at one time. */
interface Seen {
  size: number;
  changedAt: number;
}

/**
 * Copies a folder to S3 while a run is recorded into it. Every 5 s it uploads the files that changed, each as a whole. A large file that grows
 * is uploaded when it has doubled or stopped growing. So the upload is at most a few times the size of the record.
 * k6's samples of a step are uploaded once, when the step is recorded. A failed upload is tried again.
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
    /** Called with each problem, and when it is over. */
    private readonly say: (line: string) => void,
    /** Whether the prefix held no record when the run began: it then must not hold that of another run. */
    private readonly isNew: boolean,
    /** What to do when the copy could not be completed. */
    private readonly uploadLater: UploadLater = (place, url) => `run: n8n-capacity report ${place} -o ${url}`,
  ) {}

  /** Starts to copy every 5 s. */
  start(): void {
    this.timer = setTimeout(() => {
      this.working = this.attempt().then(() => {
        if (this.timer) this.start();
      });
    }, PERIOD_MS);
    this.timer.unref();
  }

  /**
   * Uploads all changes, and ends.
   * @throws UsageError or EnvironmentFault, with the folder of the record and the command to upload it later
   */
  async end(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.working;
    try {
      await this.pass(true);
    } catch (error) {
      const Fault = error instanceof UsageError ? UsageError : EnvironmentFault;
      throw new Fault(
        `${messageOf(error)}\nThe complete record is in ${this.folder}; to upload it later, ${this.uploadLater(this.folder, this.s3.address.url)}`,
      );
    }
  }

  private async attempt(): Promise<void> {
    try {
      await this.pass(false);
      if (this.failing) this.say(`  ${this.s3.address.url} is writable again`);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.say(`  ${messageOf(error)} The record in ${this.folder} is complete; retrying.`);
      this.failing = true;
    }
  }

  private async pass(everything: boolean): Promise<void> {
    const before = this.seen;
    this.seen = await listFiles(this.folder);
    if (![...this.seen.keys()].some(isMarker)) return;
    for (const [name, now] of this.seen) {
      const written = this.written.get(name);
      if (written?.size === now.size && written.changedAt === now.changedAt) continue;
      if (!everything && !(await this.isDue(name, now, before.get(name)))) continue;
      // Deleted since it was listed.
      if (!existsSync(join(this.folder, name))) continue;
      await this.upload(name, now);
      this.written.set(name, now);
    }
  }

  private upload(name: string, { size }: Seen): Promise<void> {
    const file = join(this.folder, name);
    // It comes first, and of two runs that began at once it lets one go on.
    if (this.isNew && isMarker(name) && !this.written.has(name)) return this.s3.create(name, file);
    // Lines appended since may refer to files that are not uploaded yet.
    return this.s3.upload(name, file, name.endsWith('.ndjson') ? size : undefined);
  }

  private async isDue(name: string, { size }: Seen, before: Seen | undefined): Promise<boolean> {
    if (basename(dirname(name)) === 'steps') return this.isRecorded(name);
    return size <= SMALL || size >= 2 * (this.written.get(name)?.size ?? 0) || size === before?.size;
  }

  /** Whether the step of these samples is recorded: until then k6 still writes them. */
  private async isRecorded(samples: string): Promise<boolean> {
    const steps = await readFile(join(this.folder, dirname(dirname(samples)), FILES.steps), 'utf8').catch(() => '');
    return steps.includes(JSON.stringify(join('steps', basename(samples))));
  }
}

/** The files of a folder in upload order; none if the folder does not exist. */
async function listFiles(folder: string): Promise<Map<string, Seen>> {
  if (!existsSync(folder)) return new Map();
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort((a, b) => uploadRank(a) - uploadRank(b) || a.localeCompare(b));
  const files = new Map<string, Seen>();
  for (const name of names) {
    const now = await stat(join(folder, name)).catch(() => undefined);
    if (now) files.set(name, { size: now.size, changedAt: now.mtimeMs });
  }
  return files;
}
