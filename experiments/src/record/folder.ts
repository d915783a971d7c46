import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES, makeFolder, parsed, UsageError, writeWhole } from 'n8n-capacity';
import { webhookOf, type Cell } from '../spec/cells.js';
import { cellRecordSchema, experimentRecordSchema, type CellRecord, type ExperimentRecord } from './schema.js';

const markerSchema = experimentRecordSchema.omit({ cells: true });

/** The file that marks a folder as the record of an experiment. */
const MARKER = 'experiment.json';

/** The folder of a cell's run, its record and the memory curves of its processes. */
export const cellFolder = (folder: string, { id }: Pick<Cell, 'id'>): string => join(folder, id);
export const cellFile = (folder: string, cell: Pick<Cell, 'id'>): string => join(cellFolder(folder, cell), FILES.cell);
export const memoryFile = (folder: string, cell: Pick<Cell, 'id'>): string =>
  join(cellFolder(folder, cell), 'memory.csv');

/**
 * Marks a folder with its experiment and grid.
 * @throws UsageError when the folder already holds another experiment or another grid
 */
export async function markFolder(folder: string, wanted: Omit<ExperimentRecord, 'cells'>): Promise<void> {
  const file = join(folder, MARKER);
  await makeFolder(folder);
  if (!existsSync(file)) return writeWhole(file, `${JSON.stringify(wanted)}\n`);
  const found = parsed(await readFile(file, 'utf8'), markerSchema, file);
  if (found.experiment !== wanted.experiment || found.grid !== wanted.grid)
    throw new UsageError(
      `${folder}: already holds ${found.experiment} on the ${found.grid} grid; give another folder, or remove this one.`,
    );
}

/**
 * The records of the given cells. A record of an earlier version of a cell is left out.
 * @throws UsageError when a record is damaged
 */
export async function readCells(cells: Cell[], folder: string): Promise<CellRecord[]> {
  const records = await Promise.all(
    cells
      .map((cell) => ({ cell, file: cellFile(folder, cell) }))
      .filter(({ file }) => existsSync(file))
      .map(async ({ cell, file }) => ({
        cell,
        record: parsed(await readFile(file, 'utf8'), cellRecordSchema, file),
      })),
  );
  const isAsked = ({ cell, record }: (typeof records)[number]) =>
    record.digest === cell.digest &&
    (cell.webhook === undefined || webhookOf(record) === cell.webhook) &&
    (cell.manifests === undefined || record.manifests === cell.manifests);
  return records.filter(isAsked).map(({ record }) => record);
}
