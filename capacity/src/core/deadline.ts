/**
 * Runs `work` for at most `ms` milliseconds, or until `signal` is aborted. `work` gets a signal for both events, and the promise
 * settles in time even if `work` ignores it. The timer is held here: Node 20 may collect the time-out of `AbortSignal.any` and
 * `fetch` as garbage before it fires.
 * @throws Error when the time is up, the reason of `signal` when it is aborted
 */
export async function withDeadline<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${ms / 1000} s`)), ms);
  const forward = () => controller.abort(signal!.reason);
  signal?.addEventListener('abort', forward);
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error));
  });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', forward);
  }
}
