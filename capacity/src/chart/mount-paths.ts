import { posix } from 'node:path';

/** The path of a mount without a slash at its end, a doubled one, or `.`, so that paths below it can be compared. */
export const pathOfMount = (mountPath: string): string => posix.normalize(mountPath).replace(/(?<=.)\/$/, '');
