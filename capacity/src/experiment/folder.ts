import { UsageError } from '../core/errors.js';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder, parsed, writeWhole } from '../record/files.js';

const MARKER = 'experiment.json';
const schema = z.object({ experiment: z.string(), grid: z.enum(['quick', 'full']) });

/**
 * Says in a folder what is recorded there.
 * @throws UsageError when another experiment, or another grid, is
 */
export async function beginFolder(folder: string, wanted: z.infer<typeof schema>): Promise<void> {
  const file = join(folder, MARKER);
  await makeFolder(folder);
  if (!existsSync(file)) return writeWhole(file, `${JSON.stringify(wanted)}\n`);
  const there = parsed(await readFile(file, 'utf8'), schema, file);
  if (there.experiment !== wanted.experiment || there.grid !== wanted.grid)
    throw new UsageError(
      `${folder}: holds ${there.experiment} on its ${there.grid} grid; give another folder, or remove it.`,
    );
}
