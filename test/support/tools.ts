import { terminalProgress } from '../../capacity/src/core/progress.js';
import { ensureHelm, ensureK6 } from '../../capacity/src/tools/programs.js';

const quiet = terminalProgress(true);

/** The helm and k6 that `n8n-capacity` runs: from PATH, else from its cache, else built now. */
export const helm = await ensureHelm(quiet);
export const k6 = await ensureK6(quiet);
