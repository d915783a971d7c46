import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this workspace: the experiments' files, their workflows and the control servers. */
export const experimentsFolder = join(dirname(fileURLToPath(import.meta.url)), '..');
export const controlFolder = join(experimentsFolder, 'control');
/** Folder of the pages of all experiments and of their records. */
export const pagesFolder = join(experimentsFolder, '..', 'docs', 'experiments');
