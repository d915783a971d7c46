import { UsageError } from '../../core/errors.js';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repository } from '../../core/paths.js';
import type { Launch } from '../process/supervise.js';

/**
 * The launch of PM2 in the foreground, on the Node of the launch that it takes the place of.
 * @param args what `pm2-runtime start` is given
 * @throws UsageError when PM2 is not installed
 */
export const pm2Runtime = (launch: Launch, ...args: string[]): Launch => ({
  ...launch,
  args: [installed(), 'start', ...args],
  // Without a folder of its own it would join the PM2 that the user may run; the other keeps it from asking the network.
  environment: { ...launch.environment, PM2_HOME: join(launch.cwd, 'pm2'), PM2_DISABLE_VERSION_CHECK: 'true' },
  shared: true,
});

/** PM2 is AGPL-3.0: a tool of experiments and tests, which nothing that is published depends on. */
function installed(): string {
  try {
    return createRequire(join(repository, 'package.json')).resolve('pm2/bin/pm2-runtime');
  } catch {
    throw new UsageError(`pm2 is not installed in ${repository}; run npm install there.`);
  }
}
