import type { DimensionValue } from '../../../model/dimensions.js';

/** One cell of a sweep's matrix. */
export interface Configuration {
  /** For folders and tables: `03-workers-2-concurrency-10`; sorts as the grid does. */
  id: string;
  /** Value of each dimension. */
  values: Record<string, DimensionValue>;
}

/** Every combination of the dimensions' values, the last dimension running fastest. */
export function listConfigurations(dimensions: Record<string, DimensionValue[]>): Configuration[] {
  const combinations = Object.entries(dimensions).reduce<Record<string, DimensionValue>[]>(
    (sofar, [name, values]) => sofar.flatMap((given) => values.map((value) => ({ ...given, [name]: value }))),
    [{}],
  );
  const digits = String(combinations.length).length;
  return combinations.map((values, i) => ({
    id: [String(i + 1).padStart(digits, '0'), ...Object.entries(values).flat()].map(fileName).join('-'),
    values,
  }));
}

/** A part of a folder name that is valid on every file system. */
const fileName = (part: DimensionValue) =>
  String(part)
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .slice(0, 40);

/** A configuration for people: `workers 2, concurrency 10`. */
export const describeConfiguration = ({ values }: Pick<Configuration, 'values'>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
