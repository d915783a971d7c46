import { Account } from './account';
import { ceilings } from './ceiling';

/** Memory that this process holds for executions now, in MB. */
export const memory = new Account(ceilings.megabytes, 'MB');

/** Files that this process has on disk now, in MB. */
export const disk = new Account(ceilings.diskMegabytes, 'MB');

/**
 * Runs `work` with `megabytes` of `account` reserved for it, and returns them when it ends or fails.
 * @throws CeilingError before any work, if less is free
 */
export async function withMegabytes<Result>(
  account: Account,
  megabytes: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const grant = account.reserve(megabytes);
  try {
    return await work();
  } finally {
    grant.close();
  }
}
