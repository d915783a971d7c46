import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { appendLine, comparable, dropPartialLine, readLines } from '../../record/files.js';
import { defineRecord, RecordFolder } from '../../record/folder.js';
import { outcomeSchema, sweepSchema, type SweepOutcome, type SweepRecord } from './record.js';

const OUTCOMES = 'outcomes.ndjson';
const SWEEP = defineRecord('sweep', sweepSchema, compareSweeps);

/** The folder of a sweep: `sweep.json`, a line in `outcomes.ndjson` for each outcome, and a folder for each run. */
export class SweepFolder extends RecordFolder<SweepRecord> {
  constructor(path: string) {
    super(path, SWEEP);
  }

  /** The folder of a configuration's run. */
  runOf(id: string, purpose: 'measure' | 'hold'): string {
    return join(this.path, purpose === 'hold' ? 'holds' : 'runs', id);
  }

  /** The folder of the n-th run that measures the noise, counted from 1. */
  noiseRun(n: number): string {
    return join(this.path, 'noise', String(n));
  }

  /** Writes the values of a configuration, and returns the file. Throws CannotRecord. */
  values(id: string, values: Record<string, unknown>): Promise<string> {
    return this.writeValuesFile(join('configurations', `${id}.yaml`), values);
  }

  /**
   * Begins the sweep, or continues it if the folder holds the same one.
   * @returns the outcomes so far
   * @throws UsageError if the folder holds another sweep, CannotRecord
   */
  async begin(record: SweepRecord): Promise<SweepOutcome[]> {
    await this.writeRecord(record);
    await dropPartialLine(join(this.path, OUTCOMES));
    return this.outcomes();
  }

  /** Appends an outcome. Throws CannotRecord. */
  outcome(outcome: SweepOutcome): Promise<void> {
    return appendLine(join(this.path, OUTCOMES), outcome);
  }

  /** The outcomes so far. Throws UsageError if they are damaged. */
  outcomes(): Promise<SweepOutcome[]> {
    return readLines(join(this.path, OUTCOMES), outcomeSchema);
  }
}

/** How two sweeps differ; undefined if they measure the same configurations under the same conditions. */
function compareSweeps(a: SweepRecord, b: SweepRecord): string | undefined {
  const isSame =
    isDeepStrictEqual(comparable(a.plan), comparable(b.plan)) &&
    (a.provisioner ?? 'process') === (b.provisioner ?? 'process') &&
    isDeepStrictEqual(ids(a), ids(b));
  if (!isSame) return 'another plan or provisioner';
  const [there, here] = [a.conditions, b.conditions];
  if (isDeepStrictEqual(there, here)) return undefined;
  if (there.values !== here.values) return 'other values: the content of a file has changed';
  return isDeepStrictEqual(there.n8n, here.n8n)
    ? `another machine (${there.machine})`
    : `another n8n (${there.n8n.join(', ')})`;
}

const ids = ({ candidates }: SweepRecord) => candidates.map(({ id }) => id);
