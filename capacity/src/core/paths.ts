import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository: n8n-capacity drives the chart, the scripts and the workflows that lie beside it. */
export const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export const chartFolder = join(repository, 'charts', 'n8n-tuned');
export const scriptsFolder = join(repository, 'loadtests');
export const workflowsFolder = join(repository, 'workflows');
export const runtimesFolder = join(repository, 'runtimes');

/** What is installed once and kept between runs; `N8N_TUNED_CACHE` moves it. */
export const cacheFolder = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');
