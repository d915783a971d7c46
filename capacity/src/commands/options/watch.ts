import type { Command } from 'commander';
import type { Progress } from '../../core/progress.js';
import { wholeNumber } from '../../plan/quantities.js';
import { LiveView } from '../../run/live-view.js';

/** Whether and where the report is served while a run goes on; `true`: on any free port. */
export interface WatchOptions {
  watch?: string | true;
}

const MOST_PORTS = 65_535;

/** Adds the option for the live view. */
export const withWatch = (command: Command): Command =>
  command.option(
    '--watch [port]',
    'serve the report on this machine while the run goes on, as a page that updates itself (default port: a free one); a browser here takes CPU of what is measured',
  );

/** The port that was asked for, 0 for any free one; undefined without a live view. Throws UsageError. */
export function readWatchPort({ watch }: WatchOptions): number | undefined {
  if (watch === undefined) return undefined;
  return watch === true ? 0 : wholeNumber(watch, '--watch', 0, MOST_PORTS);
}

/**
 * Runs `work`, and serves the report that it records into `folder` meanwhile, if a port was asked for.
 * @throws UsageError when the port is taken
 */
export async function serveWhile<T>(
  port: number | undefined,
  folder: string,
  progress: Progress,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  if (port === undefined) return work(progress);
  const view = await LiveView.open(folder, port);
  progress.line(`the report so far: ${view.url}`);
  try {
    return await work(view.follow(progress));
  } finally {
    await view.close();
  }
}
