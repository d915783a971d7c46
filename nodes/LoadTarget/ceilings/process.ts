import { Account } from './account';
import { ceilings } from './ceiling';

/** MB of memory that this process holds for executions now. */
export const memory = new Account(ceilings.megabytes, 'MB');

/** MB of files that this process has on disk now. */
export const disk = new Account(ceilings.diskMegabytes, 'MB');

/**
 * Runs `work` with `megabytes` of `account` promised to it and gives them back however it ends. Rejects, before any
 * work, when so much is not free.
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
