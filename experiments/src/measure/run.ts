import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import {
  ChartRefused,
  describeConfiguration,
  ensureK6,
  kubernetes,
  createLocalK6,
  measure,
  NotReady,
  processes,
  processProvisioner,
  readRun,
  Recorder,
  UsageError,
  writeWhole,
  type Generator,
  type Progress,
  type Provisioner,
} from 'n8n-capacity';
import { readCounts } from '../arrangement/counts.js';
import { n8nArrangementHooks } from '../arrangement/n8n.js';
import { runInOwnNetwork, isInOwnNetwork } from '../arrangement/network.js';
import { controlProvisioner } from '../control/provisioner.js';
import { cellText, MEASURES } from '../judge/measures.js';
import { cellFile, cellFolder, memoryFile, readCells } from '../record/folder.js';
import { memoryCsv } from '../record/memory-csv.js';
import type { CellRecord, Machine } from '../record/schema.js';
import type { Cell } from '../spec/cells.js';
import { cellPlan, requestedProcesses } from './cell-plan.js';
import { cellRecord, refusedCellRecord } from './cell-record.js';
import { reserveK6Cores, describeSharing } from './cores.js';
import { ProcessWatch } from './process-watch.js';

/** The name of this command in the records of its runs. */
const TOOL = 'n8n-experiment';

/** The inputs that all cells of a run share. */
interface SharedInputs {
  folder: string;
  k6: Generator;
  machine: Machine;
  progress: Progress;
}

/**
 * Measures cells one after another, each into its own folder. A cell that already has a record with the same digest is skipped.
 * No process is left running.
 * @throws UsageError when the machine lacks something
 */
export async function runCells(cells: Cell[], folder: string, progress: Progress): Promise<void> {
  const k6 = await ensureK6(progress);
  const done = new Set((await readCells(cells, folder)).map(({ id }) => id));
  const open = cells.filter(({ id }) => !done.has(id));
  for (const [i, cell] of open.entries()) {
    progress.line(`[${i + 1}/${open.length}] ${cell.part.part}: ${describeConfiguration({ values: cell.of })}`);
    const cores = await reserveK6Cores(cell.part.apart);
    const generator = await createLocalK6(k6, cores?.k6);
    const shared = { folder, k6: generator, machine: describeMachine(describeSharing(cores)), progress };
    if (requestedProcesses(cell).arrangement === 'iptables' && !isInOwnNetwork())
      await runCellInNamespace(cell, shared);
    else await runCell(cell, shared);
    progress.signal.throwIfAborted();
  }
}

/**
 * Runs this command again for one cell, in a network namespace where iptables rules affect nothing else.
 * @throws UsageError when the cell was not measured
 */
async function runCellInNamespace(cell: Cell, { folder, progress }: SharedInputs): Promise<void> {
  const code = await runInOwnNetwork(progress, ['--only', cell.id]);
  progress.signal.throwIfAborted();
  if (code !== 0 || !existsSync(cellFile(folder, cell)))
    throw new UsageError(`${cell.id}: failed in its own network namespace (exit code ${code}).`);
}

async function runCell(cell: Cell, { folder: all, k6, machine, progress }: SharedInputs): Promise<void> {
  const folder = cellFolder(all, cell);
  // Otherwise the steps of an interrupted attempt would be judged as steps of this one.
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
    const watched =
      cell.part.on === 'kubernetes' ? undefined : watch.summarize(await readCounts(join(folder, 'requests')));
    const run = await readRun(folder);
    record =
      run.steps.length === 0
        ? refusedCellRecord(cell, measured(), endedEarly ?? 'nothing was measured')
        : cellRecord(cell, measured(), run, watched);
  } catch (error) {
    progress.signal.throwIfAborted();
    const why = findingFromError(error);
    if (why === undefined) throw error;
    record = refusedCellRecord(cell, measured(), why);
  } finally {
    watch.stop();
  }
  progress.line(`  ${record.refused ?? describeFigures(record, cell.part.measures)}`);
  await writeWhole(memoryFile(all, cell), memoryCsv(watch.points));
  await writeWhole(cellFile(all, cell), `${JSON.stringify(record, null, 2)}\n`);
}

/** The reason to record if the chart refuses the cell or n8n does not start; undefined for other errors. */
function findingFromError(error: unknown): string | undefined {
  if (error instanceof ChartRefused) return error.message.split('\n').slice(0, 2).join(' ').trim();
  return error instanceof NotReady ? `${error.instance} ${error.reason}` : undefined;
}

/** The figures of a cell in one line, for example `answered/s 13.6, failed 0 %`. */
const describeFigures = (record: CellRecord, measures: string[]): string =>
  measures.map((name) => `${MEASURES[name]!.title} ${cellText(name, record)}`).join(', ');

/** @returns the reason if the measurement ended early */
async function measureCell(
  cell: Cell,
  folder: string,
  generator: Generator,
  progress: Progress,
): Promise<string | undefined> {
  const plan = await cellPlan(cell, folder);
  const prepared = await selectProvisioner(cell, resolve(folder, 'requests')).prepare(plan, progress);
  const recorder = await Recorder.create(folder);
  // An experiment has no SLO, so the verdicts on its steps are not printed.
  const quiet = { ...progress, line: () => {} };
  const { endedEarly } = await measure({ tool: TOOL, plan, prepared, generator, recorder, progress: quiet });
  return endedEarly;
}

/**
 * The provisioner that deploys a cell.
 * @param counts folder in which processes count the requests that they serve
 * @throws UsageError when its arrangement is not possible here
 */
function selectProvisioner(cell: Cell, counts: string): Provisioner {
  if (cell.part.on === 'kubernetes') return kubernetes();
  const arranged = { ...requestedProcesses(cell), counts };
  if (cell.part.on === 'control') return controlProvisioner(arranged);
  // Without an arrangement every process runs as the chart defines it, and its executions are counted.
  return cell.of.arrangement === undefined ? processes : processProvisioner(n8nArrangementHooks(arranged));
}

function describeMachine(sharing: string): Machine {
  const [first] = cpus();
  return {
    cpus: cpus().length,
    memoryBytes: totalmem(),
    kernel: release().split('-')[0]!,
    processor: first?.model.trim() || 'unknown',
    sharing,
  };
}
