import { posix } from 'node:path';

/** A mount path without trailing or doubled slashes and without `.`, so that paths below it can be compared. */
export const normalizeMountPath = (mountPath: string): string => posix.normalize(mountPath).replace(/(?<=.)\/$/, '');
