import { execa, type ResultPromise } from 'execa';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentFault } from '../../core/errors.js';
import type { Launch } from '../../provision/process/supervise.js';

/** PostgreSQL with an empty n8n takes 130 MB, and some hundred executions as much again. */
const SIZE = '640m';
const READY = 'ready';

/**
 * A small disk for PostgreSQL on this machine: a file system in memory, in a mount namespace that PostgreSQL enters. The
 * namespace belongs to a child process that ends when this process does, so that nothing is left mounted.
 */
export class SmallDisk {
  private holder: ResultPromise | undefined;
  private data = '';

  /** Why this machine cannot have one; undefined if it can. */
  static unavailable(): string | undefined {
    if (process.platform !== 'linux') return `a small disk needs Linux, not ${process.platform}`;
    return process.getuid?.() === 0 ? undefined : 'a small disk needs root';
  }

  /** Puts the data of PostgreSQL on the disk; other pods stay as they are. Throws EnvironmentFault. */
  readonly adapt = async (launch: Launch): Promise<Launch> => {
    if (launch.component !== 'postgresql') return launch;
    this.data = join(launch.cwd, 'pgdata');
    const initial = `${this.data}.initial`;
    await cp(this.data, initial, { recursive: true, preserveTimestamps: true });
    const pid = await this.mount(initial);
    const { command, args } = launch;
    return { ...launch, command: 'nsenter', args: ['--mount', '--target', String(pid), '--', command, ...args] };
  };

  /** The folder on the disk, as this process reaches it. */
  get folder(): string {
    if (this.holder?.pid === undefined) throw new EnvironmentFault('the small disk is gone.');
    return join('/proc', String(this.holder.pid), 'root', this.data);
  }

  private async mount(initial: string): Promise<number> {
    const script = `mount -t tmpfs -o size=${SIZE},mode=700 n8n-tuned "$1" && cp -a "$2/." "$1" && echo ${READY} && exec cat`;
    this.holder = execa('unshare', ['--mount', 'sh', '-c', script, 'sh', this.data, initial], {
      reject: false,
      buffer: false,
    });
    const { holder } = this;
    const isReady = new Promise<boolean>((resolve) => {
      holder.stdout!.once('data', (text: Buffer) => resolve(text.toString().startsWith(READY)));
      void holder.finally(() => resolve(false));
    });
    if (await isReady) return holder.pid!;
    throw new EnvironmentFault('a small disk cannot be mounted here; leave out --fault disk-full.');
  }

  /** Takes the disk away; PostgreSQL must have ended. */
  end(): void {
    this.holder?.stdin?.end();
  }
}
