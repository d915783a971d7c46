import { listConfigurations, type DimensionValue } from 'n8n-capacity';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { findManifests } from './manifests.js';
import { gridDimensions, type CellFilter, type Experiment, type ExperimentPart, type Grid } from './schema.js';
import { webhookVersion } from './webhook.js';

/** One combination of a part's dimensions. */
export interface Cell {
  /** Part and dimensions, usable as a folder name. */
  id: string;
  part: ExperimentPart;
  of: Record<string, DimensionValue>;
  /** Duration of the measured part, as `30s`. */
  duration: string;
  /** Hash of everything that defines the cell: a record with another digest belongs to another cell. */
  digest: string;
  /** Checksum of the manifests of another chart; undefined for this chart, or if the file is not given. */
  manifests?: string;
  /** Version of the driven Webhook node; undefined on a control server. */
  webhook?: number;
}

/** The cells of an experiment on a grid, in the order of its file. */
export const expandCells = ({ parts }: Experiment, grid: Grid): Cell[] =>
  parts.flatMap((part) => {
    const skip = [...part.skip, ...((grid === 'quick' && part.quick?.skip) || [])];
    return listConfigurations(gridDimensions(part, grid))
      .filter(({ values }) => !skip.some((left) => isMatch({ part: part.part, of: values }, left)))
      .map(({ values }) => {
        const duration = (grid === 'quick' ? part.quick?.duration : undefined) ?? part.load.duration;
        const webhook = webhookVersion(part, values);
        const digest = cellDigest(part, values, duration);
        const id = cellId(part.part, values);
        const manifests = findManifests(part, values);
        return {
          ...{ id, part, of: values, duration, digest },
          ...(manifests !== undefined && { manifests: manifests.checksum }),
          ...(webhook !== undefined && { webhook }),
        };
      });
  });

/** The properties of a cell that a filter can select. */
interface FilterSubject {
  part: string;
  of: Record<string, DimensionValue>;
  webhook?: number | undefined;
}

/** Names that every filter may use in addition to the dimensions. */
export const COMMON_FILTER_NAMES = ['part', 'webhook'];

/** Whether a cell has one of the filter's values in every dimension that the filter names. `part` and `webhook` count as dimensions. */
export const isMatch = (cell: FilterSubject, filter: CellFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => {
    const value = name === 'part' ? cell.part : name === 'webhook' ? webhookOf(cell) : cell.of[name];
    return (Array.isArray(wanted) ? wanted : [wanted]).some((one) => one === value);
  });

/** Version of the Webhook node. Records before 0.2 do not contain it; their workflows had version 1. */
export const webhookOf = ({ webhook }: Pick<FilterSubject, 'webhook'>): number => webhook ?? 1;

/** Hash of everything that defines a cell, without paths, which differ between machines. */
function cellDigest(
  { on, apart, n8n, values, load: { workflow, ...load } }: ExperimentPart,
  of: Cell['of'],
  duration: string,
): string {
  const asked = { on, apart, values, load, workflow: workflow && basename(workflow), of, duration, n8n };
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 16);
}

const cellId = (part: string, of: Record<string, DimensionValue>): string =>
  [part, ...Object.entries(of).flat()].map((text) => String(text).replace(/[^A-Za-z0-9.]+/g, '-')).join('_');
