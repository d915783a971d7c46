import { configurations, type DimensionValue } from 'n8n-capacity';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { manifestsOf } from './manifests.js';
import { dimensionsOf, type CellFilter, type Experiment, type ExperimentPart, type Grid } from './schema.js';
import { webhookVersion } from './webhook.js';

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
  /** Checksum of the manifests of another chart that it deploys; undefined for this chart, and where the file is not given. */
  manifests?: string;
  /** Version of the Webhook node that it drives; undefined on a control server. */
  webhook?: number;
}

/** The cells of an experiment on a grid, in the order of its file. */
export const cellsOf = ({ parts }: Experiment, grid: Grid): Cell[] =>
  parts.flatMap((part) => {
    const skip = [...part.skip, ...((grid === 'quick' && part.quick?.skip) || [])];
    return configurations(dimensionsOf(part, grid))
      .filter(({ values }) => !skip.some((left) => fits({ part: part.part, of: values }, left)))
      .map(({ values }) => {
        const duration = (grid === 'quick' ? part.quick?.duration : undefined) ?? part.load.duration;
        const webhook = webhookVersion(part, values);
        const digest = digestOf(part, values, duration);
        const id = cellId(part.part, values);
        const manifests = manifestsOf(part, values);
        return {
          ...{ id, part, of: values, duration, digest },
          ...(manifests !== undefined && { manifests: manifests.checksum }),
          ...(webhook !== undefined && { webhook }),
        };
      });
  });

/** A cell, as a filter sees it. */
interface Filtered {
  part: string;
  of: Record<string, DimensionValue>;
  webhook?: number | undefined;
}

/** Names that every filter may use beside the dimensions. */
export const ALWAYS = ['part', 'webhook'];

/** Whether a cell has one of the filter's values in each of its dimensions; `part` and `webhook` are two of them. */
export const fits = (cell: Filtered, filter: CellFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => {
    const value = name === 'part' ? cell.part : name === 'webhook' ? webhookOf(cell) : cell.of[name];
    return (Array.isArray(wanted) ? wanted : [wanted]).some((one) => one === value);
  });

/** Records before 0.2 do not say it: their workflows had version 1 of the Webhook node. */
export const webhookOf = ({ webhook }: Pick<Filtered, 'webhook'>): number => webhook ?? 1;

/** Without paths, which differ from machine to machine. */
function digestOf(
  { on, apart, n8n, values, load: { workflow, ...load } }: ExperimentPart,
  of: Cell['of'],
  duration: string,
): string {
  const asked = { on, apart, values, load, workflow: workflow && basename(workflow), of, duration, n8n };
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 16);
}

const cellId = (part: string, of: Record<string, DimensionValue>): string =>
  [part, ...Object.entries(of).flat()].map((text) => String(text).replace(/[^A-Za-z0-9.]+/g, '-')).join('_');
