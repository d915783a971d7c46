import { addMeasuredLimit } from '../load/generator-limit.js';
import { createLocalK6 } from '../load/k6.js';
import type { Generator } from '../model/generator.js';
import type { Progress } from '../core/progress.js';
import type { Where } from '../provision/choose.js';
import { ensureK6 } from '../tools/programs.js';

/** The k6 of this machine, whose limit is not measured yet; undefined where the deployment brings its own. */
export const installedGenerator = async (
  { k6Here }: Pick<Where, 'k6Here'>,
  progress: Progress,
): Promise<Generator | undefined> => (k6Here ? createLocalK6(await ensureK6(progress)) : undefined);

/** A generator with its limit, which is measured and printed; nothing without a generator. */
export const measuredGenerator = async (
  generator: Generator | undefined,
  progress: Progress,
): Promise<{ generator?: Generator }> => (generator ? { generator: await addMeasuredLimit(generator, progress) } : {});

/** The k6 of this machine with its limit, where k6 runs here. */
export const generatorHere = async (
  where: Pick<Where, 'k6Here'>,
  progress: Progress,
): Promise<{ generator?: Generator }> => measuredGenerator(await installedGenerator(where, progress), progress);
