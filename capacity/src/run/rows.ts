import type { StepContext } from './context.js';

const PERIOD_MS = 60_000;

/** Counts and records the rows of n8n's tables each minute while `work` goes on. A count that fails is left out. */
export async function countingRows<T>({ deployment, recorder }: StepContext, work: () => Promise<T>): Promise<T> {
  const { countRows } = deployment.sources;
  if (!countRows) return work();
  let last: Promise<void> = Promise.resolve();
  let busy = false;
  const count = () => {
    if (busy) return;
    busy = true;
    last = countRows()
      .then((rows) => recorder.rows({ at: Date.now(), rows }))
      .catch(() => {})
      .finally(() => void (busy = false));
  };
  count();
  const timer = setInterval(count, PERIOD_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await last;
  }
}
