import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chartFolder } from '../core/paths.js';

const folder = join(chartFolder, 'profiles');

/** The names of the chart's own profiles, which are values files. */
export const profileNames = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();

/** The values file of a profile. */
export const profileFile = (name: string): string => join(folder, `${name}.yaml`);
