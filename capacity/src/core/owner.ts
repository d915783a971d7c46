import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** The user that this process runs as; undefined on Windows. */
const currentUid = (): number | undefined => process.geteuid?.();

/** Whether a file, folder or entry of /proc belongs to this user. Root, too, owns only its own. */
export const isOwnedByUser = (stats: Pick<Stats, 'uid'>): boolean =>
  currentUid() === undefined || stats.uid === currentUid();

/** The stats of what is at a path, without following a symbolic link; undefined if nothing is there or it cannot be read. */
export const statEntry = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);
