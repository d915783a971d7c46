import type { Generator } from '../model/generator.js';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { ChartRefused, NotReady, UsageError } from '../core/errors.js';
import { localK6 } from '../load/k6.js';
import { describeConfiguration } from '../plan/configurations.js';
import { readCounts } from '../provision/arranged/counts.js';
import { inOwnNetwork, isOwnNetwork } from '../provision/arranged/network.js';
import { writeWhole } from '../record/files.js';
import { Recorder, readRun } from '../record/recorder.js';
import type { Progress } from '../core/progress.js';
import { measure } from '../run/measure.js';
import { ensureK6 } from '../tools/go-tools.js';
import { cellPlan, processesOf } from './cell-plan.js';
import { cellRecord, refusedCell } from './cell-record.js';
import type { Cell } from './cells.js';
import { shareOutCores, sharingOf } from './cores.js';
import { cellText, MEASURES } from './measures.js';
import { memoryCsv } from './memory-csv.js';
import { ProcessWatch } from './process-watch.js';
import { provisionerOf } from './part-provisioner.js';
import type { CellRecord, Machine } from './types.js';

const CELL = 'cell.json';

const cellFile = (folder: string, { id }: Pick<Cell, 'id'>): string => join(folder, id, CELL);
/** Where the curves of a cell are, once it was measured. */
export const memoryFile = (folder: string, { id }: Pick<Cell, 'id'>): string => join(folder, id, 'memory.csv');

/** What the cells of a run share. */
interface Shared {
  folder: string;
  k6: Generator;
  machine: Machine;
  progress: Progress;
}

/**
 * Measures cells one after another, each into a folder of its own; one that has a record of the same question is not measured
 * again. Nothing is left running, whatever happens.
 * @throws UsageError when the machine lacks something
 */
export async function runCells(cells: Cell[], folder: string, progress: Progress): Promise<void> {
  const cores = await shareOutCores();
  const k6 = await localK6(await ensureK6(progress), cores?.k6);
  const shared = { folder, k6, machine: machineOf(sharingOf(cores)), progress };
  const done = new Set((await readCells(cells, folder)).map(({ id }) => id));
  const open = cells.filter(({ id }) => !done.has(id));
  for (const [i, cell] of open.entries()) {
    progress.line(`[${i + 1}/${open.length}] ${cell.part.part}: ${describeConfiguration({ values: cell.of })}`);
    if (processesOf(cell).arrangement === 'iptables' && !isOwnNetwork()) await inNamespace(cell, shared);
    else await runCell(cell, shared);
    progress.signal.throwIfAborted();
  }
}

/** This command again, for one cell, where rules of iptables touch nobody else. */
async function inNamespace(cell: Cell, { folder, progress }: Shared): Promise<void> {
  const code = await inOwnNetwork(progress, ['--only', cell.id]);
  progress.signal.throwIfAborted();
  if (code !== 0 || !existsSync(cellFile(folder, cell)))
    throw new UsageError(`${cell.id}: ended with exit code ${code} in a network namespace of its own.`);
}

async function runCell(cell: Cell, { folder: all, k6, machine, progress }: Shared): Promise<void> {
  const folder = join(all, cell.id);
  // What is left of an attempt that was interrupted would be judged as a part of this one.
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'requests'), { recursive: true });
  const started = Date.now();
  const measured = () => ({
    startedAt: new Date(started).toISOString(),
    tookSeconds: Math.round((Date.now() - started) / 1000),
    machine,
  });
  const watch = new ProcessWatch();
  watch.start();
  let record: CellRecord;
  try {
    const endedEarly = await measureCell(cell, folder, k6, progress);
    const watched = cell.part.on === 'kubernetes' ? undefined : watch.seen(await readCounts(join(folder, 'requests')));
    const run = await readRun(folder);
    record =
      run.steps.length === 0
        ? refusedCell(cell, measured(), endedEarly ?? 'nothing was measured')
        : cellRecord(cell, measured(), run, watched);
  } catch (error) {
    progress.signal.throwIfAborted();
    const why = findingOf(error);
    if (why === undefined) throw error;
    record = refusedCell(cell, measured(), why);
  } finally {
    watch.stop();
  }
  progress.line(`  ${record.refused ?? figuresOf(record, cell.part.measures)}`);
  await writeWhole(memoryFile(all, cell), memoryCsv(watch.points));
  await writeWhole(cellFile(all, cell), `${JSON.stringify(record, null, 2)}\n`);
}

/** What an error says of the cell: that the chart refuses it, or that n8n does not start so. All else is no finding. */
function findingOf(error: unknown): string | undefined {
  if (error instanceof ChartRefused) return error.message.split('\n').slice(0, 2).join(' ').trim();
  return error instanceof NotReady ? `${error.instance} ${error.reason}` : undefined;
}

/** `answered/s 13.6, failed 0 %`: what the cell's table will say. */
const figuresOf = (record: CellRecord, measures: string[]): string =>
  measures.map((name) => `${MEASURES[name]!.title} ${cellText(name, record)}`).join(', ');

/** @returns why it ended early, where it did */
async function measureCell(
  cell: Cell,
  folder: string,
  generator: Generator,
  progress: Progress,
): Promise<string | undefined> {
  const plan = await cellPlan(cell, folder);
  const prepared = await provisionerOf(cell, resolve(folder, 'requests')).prepare(plan, progress);
  const recorder = await Recorder.create(folder);
  // An experiment asks for no verdict about an SLO.
  const quiet = { ...progress, line: () => {} };
  const tool = 'n8n-capacity experiment';
  const { endedEarly } = await measure({ tool, plan, prepared, generator, recorder, progress: quiet });
  return endedEarly;
}

function machineOf(sharing: string): Machine {
  const [first] = cpus();
  return {
    cpus: cpus().length,
    memoryBytes: totalmem(),
    kernel: release().split('-')[0]!,
    processor: first?.model.trim() || 'unknown',
    sharing,
  };
}

/** The records of the cells that were measured, as they are asked now. */
export async function readCells(cells: Cell[], folder: string): Promise<CellRecord[]> {
  const records = await Promise.all(
    cells
      .filter((cell) => existsSync(cellFile(folder, cell)))
      .map(async (cell) => ({
        digest: cell.digest,
        record: JSON.parse(await readFile(cellFile(folder, cell), 'utf8')) as CellRecord,
      })),
  );
  return records.filter(({ digest, record }) => record.digest === digest).map(({ record }) => record);
}
