import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresAddress } from '../../model/deployment.js';
import type { Fault } from './fault.js';
import { withPostgresClient } from '../../observe/postgres-client.js';
import { LIMITS } from './ledger/postgres.js';

const SECONDS = 45;
const BLOCK = Buffer.alloc(1024 * 1024);
const PAGE = BLOCK.subarray(0, 4096);
/** PostgreSQL's error for a full disk. */
const DISK_FULL = '53100';
const PAUSE_MS = 500;

/** Fills the disk of PostgreSQL, including space that it frees meanwhile, then makes room again. */
export const diskFull: Fault = {
  title: `PostgreSQL's disk full for ${SECONDS} s`,
  needs: { postgresql: 1 },
  only: { provisioner: 'process', because: 'whose PostgreSQL gets a small disk' },
  smallDisk: true,
  seconds: () => SECONDS,
  inject: async ({ disk, injector: { postgres }, signal }) => {
    const ballast = join(disk!.folder, 'ballast');
    const until = Date.now() + SECONDS * 1000;
    let refused = false;
    try {
      while (Date.now() < until) {
        await fillDisk(ballast);
        refused ||= await isDiskFull(postgres!);
        await sleep(PAUSE_MS, undefined, { signal });
      }
    } finally {
      await rm(ballast, { force: true });
    }
    return refused ? 'PostgreSQL refused to write (53100, disk full)' : undefined;
  },
};

/** Writes until nothing more fits. */
async function fillDisk(file: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    for (const block of [BLOCK, PAGE]) while (await fits(handle.write(block))) continue;
  } finally {
    await handle.close();
  }
}

const fits = (write: Promise<{ bytesWritten: number }>): Promise<boolean> =>
  write.then(
    ({ bytesWritten }) => bytesWritten > 0,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOSPC') return false;
      throw error;
    },
  );

/** Whether PostgreSQL reports a full disk. The table is dropped when the connection closes. */
const isDiskFull = (postgres: PostgresAddress): Promise<boolean> =>
  withPostgresClient(postgres, LIMITS, (client) =>
    client.query('CREATE TEMP TABLE n8n_tuned_probe AS SELECT generate_series(1, 100000)'),
  ).then(
    () => false,
    (error: { code?: string }) => error.code === DISK_FULL,
  );
