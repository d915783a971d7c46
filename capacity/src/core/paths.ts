import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The root of this repository, or of the installed npm package, which has the same tree: the chart, the scripts and the
 * workflows that n8n-capacity uses.
 */
export const repositoryFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export const chartFolder = join(repositoryFolder, 'charts', 'n8n-tuned');
export const scriptsFolder = join(repositoryFolder, 'loadtests');
export const workflowsFolder = join(repositoryFolder, 'workflows');
/** Files of other projects that the tool carries; made by the build. */
export const assetsFolder = join(repositoryFolder, 'capacity', 'dist', 'assets');
export const runtimesFolder = join(repositoryFolder, 'runtimes');

/** The tool's version and the versions of Node that it runs on, from capacity/package.json. */
export const readToolPackage = (): { version: string; engines: { node: string } } =>
  JSON.parse(readFileSync(join(repositoryFolder, 'capacity', 'package.json'), 'utf8')) as ReturnType<
    typeof readToolPackage
  >;

/** The built node package: the root of a clone, or the package that is bundled with the installed tool. */
export const nodePackageFolder = (): string =>
  dirname(createRequire(import.meta.url).resolve('n8n-nodes-tuned/package.json'));

/** Folder of the tools that are installed once and kept between runs; `N8N_TUNED_CACHE` sets another one. */
export const cacheFolder = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');
