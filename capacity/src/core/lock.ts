import lockfile from 'proper-lockfile';
import { waitUntil } from './wait-until.js';

/** A lock that its holder has not renewed for so long is that of a process that was killed. */
const STALE_MS = 10_000;
const RENEW_MS = 2_000;
/** Long enough to tell a killed holder from one that lives. */
const PATIENCE_SECONDS = 1.5 * (STALE_MS / 1000);

/** Options of `locked`. */
export interface LockOptions {
  /** Longest wait for the holder, in seconds; Infinity: until it ends or `signal` is aborted. */
  seconds?: number;
  /** Makes the folder that holds the lock, before each attempt: its holder may remove it. */
  prepare?: () => Promise<void>;
  /** Called once when there is a wait. */
  onWait: () => void;
  /** The error when the wait is over. */
  taken: () => Error;
  signal?: AbortSignal;
}

/**
 * Runs `work` while this process alone holds the lock, a folder of this path. A lock of a killed process expires after 10 s.
 * @throws the error of `taken`, the reason of `signal`, or the system's error when the lock cannot be made
 */
export async function locked<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const { seconds = PATIENCE_SECONDS, prepare, onWait, taken, signal } = options;
  let waits = false;
  const attempt = async () => {
    await prepare?.();
    const release = await lock(path);
    if (!release && !waits) onWait();
    waits = true;
    return release;
  };
  const release = await waitUntil(attempt, { seconds, ...(signal && { signal }) });
  if (!release) throw taken();
  try {
    return await work();
  } finally {
    // It may be gone with its folder, and is released then.
    await release().catch(() => {});
  }
}

/** Takes the lock; undefined if another process holds it. */
async function lock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    const times = { stale: STALE_MS, update: RENEW_MS };
    // A machine that was suspended renews too late. The work goes on: another process took the lock only if it wanted to.
    return await lockfile.lock(path, { ...times, lockfilePath: path, realpath: false, onCompromised: () => {} });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw error;
  }
}
