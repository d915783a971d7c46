import type { DimensionValue, SweepRow } from '../../../model/sweep.js';
import { configurations } from '../../../plan/configurations.js';

/** Two dimensions to look at: one across, one down; with a single dimension there is nothing to go down by. */
export interface Axes {
  across: string;
  down?: string;
}

/** Configurations that differ in two dimensions alone, as rows of cells. */
export interface Grid {
  /** What they have in common, of the dimensions with several values. */
  fixed: Record<string, DimensionValue>;
  across: DimensionValue[];
  lines: { down?: DimensionValue; cells: (SweepRow | undefined)[] }[];
}

/** Every choice of two dimensions; the first is that of the two dimensions with most values. `names` has those first. */
export function choices(names: string[]): Axes[] {
  if (names.length === 1) return [{ across: names[0]! }];
  return names.flatMap((down, i) => names.slice(i + 1).map((across) => ({ across, down })));
}

/** One grid for each combination of the other dimensions' values. */
export function grids(rows: SweepRow[], dimensions: Record<string, DimensionValue[]>, { across, down }: Axes): Grid[] {
  const others = Object.entries(dimensions).filter(
    ([name, values]) => name !== across && name !== down && values.length > 1,
  );
  const downs = down === undefined ? [undefined] : dimensions[down]!;
  return configurations(Object.fromEntries(others)).map(({ values: fixed }) => ({
    fixed,
    across: dimensions[across]!,
    lines: downs.map((value) => ({
      ...(value !== undefined && { down: value }),
      cells: dimensions[across]!.map((acrossValue) =>
        rows.find((row) =>
          matches(row, { ...fixed, [across]: acrossValue, ...(down !== undefined && { [down]: value! }) }),
        ),
      ),
    })),
  }));
}

/** Whether a configuration has these values. */
export const matches = ({ values }: SweepRow, wanted: Record<string, DimensionValue>): boolean =>
  Object.entries(wanted).every(([name, value]) => values[name] === value);
