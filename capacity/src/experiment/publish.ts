import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { experimentsFolder, repository } from '../core/paths.js';
import { writeWhole } from '../record/files.js';
import type { Cell } from './cells.js';
import { joinCsv, readMemoryCsv } from './memory-csv.js';
import { overviewPage, type Published } from './overview.js';
import { experimentPage } from './page.js';
import { picturesOf } from './plots.js';
import { memoryFile } from './run.js';
import { readExperiment, type Experiment } from './spec.js';
import type { ExperimentRecord } from './types.js';

/** Where the pages of all experiments are. */
export const pagesFolder = join(repository, 'docs', 'experiments');

/** Writes the record and the curves of a run into a folder, and the page made of them. */
export async function writePage(
  experiment: Experiment,
  record: ExperimentRecord,
  cells: Cell[],
  { results, to }: { results: string; to: string },
): Promise<string> {
  await mkdir(to, { recursive: true });
  const curves = await Promise.all(
    cells
      .filter((cell) => existsSync(memoryFile(results, cell)))
      .map(async (cell) => ({ cell: cell.id, csv: await readFile(memoryFile(results, cell), 'utf8') })),
  );
  const csv = joinCsv(curves);
  await writeWhole(join(to, `${experiment.name}.json`), `${JSON.stringify(record, null, 1)}\n`);
  await writeWhole(join(to, `${experiment.name}.csv`), csv);
  for (const [name, text] of pageFiles(experiment, record, csv)) await writeWhole(join(to, name), text);
  return join(to, `${experiment.name}.md`);
}

/** The page and its pictures, by the names of their files. */
function pageFiles(experiment: Experiment, record: ExperimentRecord, csv: string): Map<string, string> {
  const pictures = picturesOf(experiment.name, experiment.plots, record.cells, readMemoryCsv(csv));
  const files = new Map(pictures.map(({ file, svg }) => [file, svg]));
  return files.set(`${experiment.name}.md`, experimentPage(experiment, record, pictures));
}

/** Renders every page and picture anew from the records that are there. */
export async function renderAll(): Promise<void> {
  const pages = await renderedPages();
  for (const name of await readdir(pagesFolder))
    if (/\.(svg|md)$/.test(name) && !pages.has(name)) await rm(join(pagesFolder, name));
  for (const [name, text] of pages) await writeWhole(join(pagesFolder, name), text);
}

/** Every experiment, with the record of the run that is published. */
export async function publishedExperiments(): Promise<Published[]> {
  const files = (await readdir(experimentsFolder)).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(
    files.map(async (file) => {
      const experiment = readExperiment(join(experimentsFolder, file));
      return { experiment, record: await readRecord(experiment.name) };
    }),
  );
}

/** Text of each file in docs/experiments that is made from the records, by its name. */
export async function renderedPages(): Promise<Map<string, string>> {
  const all = await publishedExperiments();
  const pages = new Map<string, string>();
  for (const { experiment, record } of all) {
    if (!record) continue;
    const csv = await readFile(join(pagesFolder, `${experiment.name}.csv`), 'utf8');
    for (const [name, text] of pageFiles(experiment, record, csv)) pages.set(name, text);
  }
  return pages.set('README.md', overviewPage(all));
}

async function readRecord(name: string): Promise<ExperimentRecord | undefined> {
  const file = join(pagesFolder, `${name}.json`);
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as ExperimentRecord) : undefined;
}
