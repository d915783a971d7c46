import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { CannotRecord, EnvironmentFault, InputError, messageOf } from '../errors.js';
import type { Generator } from '../load/generator.js';
import { localK6 } from '../load/k6.js';
import { describeConfiguration } from '../plan/configurations.js';
import { readCounts } from '../provision/arranged/counts.js';
import { arrangedN8n } from '../provision/arranged/n8n.js';
import { inOwnNetwork, isOwnNetwork } from '../provision/arranged/network.js';
import { controlProvisioner } from '../provision/control/provisioner.js';
import type { Provisioner } from '../provision/deployment.js';
import { kubernetes } from '../provision/kubernetes/provisioner.js';
import { processes, processProvisioner } from '../provision/process/provisioner.js';
import { writeWhole } from '../record/files.js';
import { Recorder, readRun } from '../record/recorder.js';
import type { Progress } from '../report/progress.js';
import { measure } from '../steps/measure.js';
import { ensureK6 } from '../tools/go-tools.js';
import { processesOf, cellPlan } from './cell-plan.js';
import { cellRecord, refusedCell } from './cell-record.js';
import type { Cell } from './cells.js';
import { coresFor, leaveToK6 } from './cores.js';
import { cellText, MEASURES } from './measures.js';
import { memoryCsv } from './memory-csv.js';
import { ProcessWatch } from './process-watch.js';
import type { CellRecord } from './types.js';

const CELL = 'cell.json';
const MEMORY = 'memory.csv';

/** Where the record of a cell is, once it was measured. */
export const cellFile = (folder: string, { id }: Pick<Cell, 'id'>): string => join(folder, id, CELL);
export const memoryFile = (folder: string, { id }: Pick<Cell, 'id'>): string => join(folder, id, MEMORY);

/**
 * Measures cells one after another, each into a folder of its own; one that has a record is not measured again. Nothing is
 * left running, whatever happens.
 * @throws InputError when the machine lacks something that all of them need
 */
export async function runCells(cells: Cell[], folder: string, progress: Progress): Promise<void> {
  const cores = coresFor(availableParallelism());
  const k6 = await localK6(await ensureK6(progress), cores?.k6);
  if (cores) await leaveToK6(cores);
  const open = cells.filter((cell) => !existsSync(cellFile(folder, cell)));
  for (const [i, cell] of open.entries()) {
    progress.line(`[${i + 1}/${open.length}] ${cell.part.part}: ${describeConfiguration({ values: cell.of })}`);
    if (needsOwnNetwork(cell)) await inOwnNetwork(progress, ['--only', cell.id]);
    else await runCell(cell, join(folder, cell.id), k6, progress);
    progress.signal.throwIfAborted();
  }
}

const needsOwnNetwork = (cell: Cell): boolean => processesOf(cell).arrangement === 'iptables' && !isOwnNetwork();

async function runCell(cell: Cell, folder: string, k6: Generator, progress: Progress): Promise<void> {
  // What is left of an attempt that was interrupted would be judged as a part of this one.
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'requests'), { recursive: true });
  const startedAt = new Date().toISOString();
  const watch = new ProcessWatch();
  watch.start();
  let record: CellRecord;
  try {
    await measureCell(cell, folder, k6, progress);
    const requests = await readCounts(join(folder, 'requests'));
    const watched = cell.part.on === 'kubernetes' ? undefined : watch.seen(requests);
    record = cellRecord(cell, await readRun(folder), watched);
    progress.line(`  ${figuresOf(record, cell.part.measures)}`);
  } catch (error) {
    progress.signal.throwIfAborted();
    if (!(error instanceof InputError) || error instanceof CannotRecord || error instanceof EnvironmentFault)
      throw error;
    const why = messageOf(error).split('\n').slice(0, 2).join(' ');
    progress.line(`  ${why}`);
    record = refusedCell(cell, startedAt, why);
  } finally {
    watch.stop();
  }
  await writeWhole(join(folder, MEMORY), memoryCsv(watch.points));
  await writeWhole(join(folder, CELL), `${JSON.stringify(record, null, 2)}\n`);
}

/** `answered/s 13.6, failed 0 %`: what the cell's table will say. */
const figuresOf = (record: CellRecord, measures: string[]): string =>
  measures.map((name) => `${MEASURES[name]!.title} ${cellText(name, record)}`).join(', ');

async function measureCell(cell: Cell, folder: string, generator: Generator, progress: Progress): Promise<void> {
  const plan = await cellPlan(cell, folder);
  const prepared = await provisionerOf(cell, resolve(folder, 'requests')).prepare(plan, progress);
  const recorder = await Recorder.create(folder);
  // A verdict about an SLO is not what is asked here.
  const quiet = { ...progress, line: () => {} };
  await measure({ tool: 'n8n-capacity experiment', plan, prepared, generator, recorder, progress: quiet });
}

function provisionerOf(cell: Cell, counts: string): Provisioner {
  if (cell.part.on === 'kubernetes') return kubernetes();
  const arranged = { ...processesOf(cell), counts };
  if (cell.part.on === 'control') return controlProvisioner(arranged);
  // Without an arrangement every process is what the chart makes it, and its executions are counted.
  return cell.of.arrangement === undefined ? processes : processProvisioner(arrangedN8n(arranged));
}

/** The records of the cells that were measured. */
export async function readCells(cells: Cell[], folder: string): Promise<CellRecord[]> {
  const done = cells.filter((cell) => existsSync(cellFile(folder, cell)));
  return Promise.all(
    done.map(async (cell) => JSON.parse(await readFile(cellFile(folder, cell), 'utf8')) as CellRecord),
  );
}
