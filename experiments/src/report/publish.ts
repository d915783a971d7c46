import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parsed, writeWhole } from 'n8n-capacity';
import { experimentsFolder, pagesFolder } from '../paths.js';
import { memoryFile } from '../record/folder.js';
import { joinMemoryCsv, readMemoryCsv } from '../record/memory-csv.js';
import { experimentRecordSchema, type ExperimentRecord } from '../record/schema.js';
import { isMatch, type Cell } from '../spec/cells.js';
import { readExperiment } from '../spec/read.js';
import type { Experiment } from '../spec/schema.js';
import { overviewPage, type Published } from './overview.js';
import { drawsMemory, experimentPage } from './page.js';
import { drawPictures } from './plots.js';

const recordFile = (folder: string, name: string): string => join(folder, `${name}.json`);
const curvesFile = (folder: string, name: string): string => join(folder, `${name}.csv.gz`);

/** Writes the record of a run, its memory curves and its page into a folder. Returns the path of the page. */
export async function writePage(
  experiment: Experiment,
  record: ExperimentRecord,
  cells: Cell[],
  { results, to }: { results: string; to: string },
): Promise<string> {
  const { name } = experiment;
  await mkdir(to, { recursive: true });
  const drawn = cells.filter((cell) => isDrawn(experiment, cell) && existsSync(memoryFile(results, cell)));
  const csv = joinMemoryCsv(
    await Promise.all(
      drawn.map(async (cell) => ({ cell: cell.id, csv: await readFile(memoryFile(results, cell), 'utf8') })),
    ),
  );
  await writeWhole(recordFile(to, name), `${JSON.stringify(experimentRecordSchema.parse(record), null, 1)}\n`);
  if (drawsMemory(experiment)) await writeFile(curvesFile(to, name), gzipSync(csv, { level: 9 }));
  for (const [file, text] of renderPageFiles(experiment, record, csv)) await writeWhole(join(to, file), text);
  return join(to, `${name}.md`);
}

/** Whether a plot shows the memory curves of the cell. */
const isDrawn = (experiment: Experiment, { part, of }: Cell): boolean =>
  experiment.plots.some(
    (plot) => drawsMemory({ plots: [plot] }) && isMatch({ part: part.part, of }, { part: plot.part, ...plot.where }),
  );

/** The page and its pictures, by file name. */
function renderPageFiles(experiment: Experiment, record: ExperimentRecord, csv: string): Map<string, string> {
  const pictures = drawPictures(experiment, record.cells, readMemoryCsv(csv));
  const files = new Map(pictures.map(({ file, svg }) => [file, svg]));
  return files.set(`${experiment.name}.md`, experimentPage(experiment, record, pictures));
}

/** Renders every page and picture in docs/experiments again from the records, and removes those that no record gives. */
export async function renderAll(): Promise<void> {
  const pages = await renderedPages();
  for (const name of await readdir(pagesFolder))
    if (/\.(svg|md)$/.test(name) && !pages.has(name)) await rm(join(pagesFolder, name));
  for (const [name, text] of pages) await writeWhole(join(pagesFolder, name), text);
}

/** Reads every experiment and the record of its published run. */
export async function publishedExperiments(): Promise<Published[]> {
  const files = (await readdir(experimentsFolder)).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(
    files.map(async (file) => {
      const experiment = readExperiment(join(experimentsFolder, file));
      return { experiment, record: await readRecord(experiment.name) };
    }),
  );
}

/** The text of each file in docs/experiments that is rendered from the records, by file name. */
export async function renderedPages(): Promise<Map<string, string>> {
  const all = await publishedExperiments();
  const pages = new Map<string, string>();
  for (const { experiment, record } of all) {
    if (!record) continue;
    const curves = drawsMemory(experiment) ? await readCurves(experiment.name) : '';
    for (const [name, text] of renderPageFiles(experiment, record, curves)) pages.set(name, text);
  }
  return pages.set('README.md', overviewPage(all));
}

const readCurves = async (name: string): Promise<string> =>
  gunzipSync(await readFile(curvesFile(pagesFolder, name))).toString('utf8');

async function readRecord(name: string): Promise<ExperimentRecord | undefined> {
  const file = recordFile(pagesFolder, name);
  return existsSync(file) ? parsed(await readFile(file, 'utf8'), experimentRecordSchema, file) : undefined;
}
