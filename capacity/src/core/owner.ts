import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** The user that this process runs as; undefined on Windows. */
const uid = (): number | undefined => process.geteuid?.();

/** Whether a file, folder or entry of /proc is this user's. Root's are only its own, too. */
export const isOwn = (stats: Pick<Stats, 'uid'>): boolean => uid() === undefined || stats.uid === uid();

/** What is at a path, a link for a link; undefined if there is nothing, or it cannot be read. */
export const entryAt = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);
