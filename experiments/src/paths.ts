import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This workspace: the files of the experiments, their workflows and the control servers. */
export const experimentsFolder = join(dirname(fileURLToPath(import.meta.url)), '..');
export const controlFolder = join(experimentsFolder, 'control');
/** The pages of all experiments, each with the record that it is rendered from. */
export const pagesFolder = join(experimentsFolder, '..', 'docs', 'experiments');
