import lockfile from 'proper-lockfile';
import { waitUntil } from './wait-until.js';

/** Milliseconds after the last renewal at which a lock is stale: its holder was killed. */
const STALE_MS = 10_000;
/** Milliseconds between two renewals of a lock. */
const RENEW_MS = 2_000;
/** Seconds to wait by default: long enough for the lock of a killed holder to become stale. */
const PATIENCE_SECONDS = 1.5 * (STALE_MS / 1000);

/** Options of `withLock`. */
export interface LockOptions {
  /** Longest wait for the lock, in seconds; Infinity waits until it is free or `signal` is aborted. */
  seconds?: number;
  /** Creates the folder that contains the lock. Called before each attempt, because the holder may remove that folder. */
  prepare?: () => Promise<void>;
  /** Called once if another process holds the lock. */
  onWait: () => void;
  /** Creates the error to throw when the wait takes longer than `seconds`. */
  taken: () => Error;
  signal?: AbortSignal;
}

/**
 * Runs `work` while this process alone holds the lock, which is a folder at `path`. A lock of a killed process expires after 10 s.
 * @throws the error of `taken`, the reason of `signal`, or the system's error when the lock cannot be made
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const { seconds = PATIENCE_SECONDS, prepare, onWait, taken, signal } = options;
  let waits = false;
  const attempt = async () => {
    await prepare?.();
    const release = await tryLock(path);
    if (!release && !waits) onWait();
    waits = true;
    return release;
  };
  const release = await waitUntil(attempt, { seconds, ...(signal && { signal }) });
  if (!release) throw taken();
  try {
    return await work();
  } finally {
    // The work may have removed the lock together with its folder, which also releases it.
    await release().catch(() => {});
  }
}

/** Takes the lock; undefined if another process holds it. */
async function tryLock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    const times = { stale: STALE_MS, update: RENEW_MS };
    // A machine that was suspended renews its lock too late. The work goes on: another process may not have taken the lock.
    return await lockfile.lock(path, { ...times, lockfilePath: path, realpath: false, onCompromised: () => {} });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw error;
  }
}
