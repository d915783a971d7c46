import { configurations, type DimensionValue } from 'n8n-capacity';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { dimensionsOf, type CellFilter, type Experiment, type ExperimentPart, type Grid } from './schema.js';

/** One combination of a part's dimensions. */
export interface Cell {
  /** As a folder's name. */
  id: string;
  part: ExperimentPart;
  of: Record<string, DimensionValue>;
  /** Of the measured part, as `30s`. */
  duration: string;
  /** Of everything that is asked of the cell: a record with another digest belongs to another cell. */
  digest: string;
}

/** The cells of an experiment on a grid, in the order of its file. */
export const cellsOf = ({ parts }: Experiment, grid: Grid): Cell[] =>
  parts.flatMap((part) =>
    configurations(dimensionsOf(part, grid))
      .filter(({ values }) => !part.skip.some((left) => fits({ part: part.part, of: values }, left)))
      .map(({ values }) => {
        const duration = (grid === 'quick' ? part.quick?.duration : undefined) ?? part.load.duration;
        return { id: cellId(part.part, values), part, of: values, duration, digest: digestOf(part, values, duration) };
      }),
  );

/** Whether a cell has one of the filter's values in each of its dimensions; `part` is one of them. */
export const fits = ({ part, of }: { part: string; of: Record<string, DimensionValue> }, filter: CellFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => {
    const value = name === 'part' ? part : of[name];
    return (Array.isArray(wanted) ? wanted : [wanted]).some((one) => one === value);
  });

/** Without paths, which differ from machine to machine. */
function digestOf(
  { on, values, load: { workflow, ...load } }: ExperimentPart,
  of: Cell['of'],
  duration: string,
): string {
  const asked = { on, values, load, workflow: workflow && basename(workflow), of, duration };
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 16);
}

const cellId = (part: string, of: Record<string, DimensionValue>): string =>
  [part, ...Object.entries(of).flat()].map((text) => String(text).replace(/[^A-Za-z0-9.]+/g, '-')).join('_');
