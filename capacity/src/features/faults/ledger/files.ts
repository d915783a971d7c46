import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerEntry } from '../record.js';
import { querySqlite } from '../../../observe/sqlite.js';
import type { Launch } from '../../../provision/process/supervise.js';
import { EXECUTION_ID, REQUEST_ID, type Ledger, type Writing } from './ledger.js';

/** The folder of the image that the chart lets n8n write. */
const IN_CONTAINER = '/home/node/.n8n-files';

/** The same folder of a local process. */
const ledgerFolder = ({ HOME = '' }: Record<string, string>): string => join(HOME, '.n8n-files');

/** Lets n8n write the ledger's folder of this machine. */
export const allowLedger = (launch: Launch): Launch => ({
  ...launch,
  environment: { ...launch.environment, N8N_RESTRICT_FILE_ACCESS_TO: ledgerFolder(launch.environment) },
});

/** Separates the parts of a file's name; no part contains it. */
const SEPARATOR = '~';

/**
 * A ledger of files beside n8n's SQLite, for a single n8n process. Each entry is a file whose name holds its content, so
 * nothing is overwritten.
 * @param environment of n8n
 * @param n8n path of n8n's entry point, whose SQLite driver is used
 */
export const fileLedger = (environment: Record<string, string>, n8n: string): Ledger => ({
  make: async () => void (await mkdir(ledgerFolder(environment), { recursive: true })),
  read: async (workflowId) => {
    const rows = await querySqlite<{ id: number; status: string; stoppedAt: string | null }>(
      environment,
      n8n,
      'SELECT id, status, stoppedAt FROM execution_entity WHERE workflowId = ? AND deletedAt IS NULL',
      [workflowId],
    );
    return {
      ledger: await readEntries(ledgerFolder(environment)),
      executions: rows.map(({ id, status, stoppedAt }) => ({
        execution: String(id),
        status,
        ...(stoppedAt !== null && { endedAt: parseSqliteTime(stoppedAt) }),
      })),
    };
  },
});

/** SQLite keeps UTC as `2026-11-20 10:15:00.000`. */
const parseSqliteTime = (text: string): number => Date.parse(`${text.replace(' ', 'T').replace(/Z?$/, 'Z')}`);

async function readEntries(folder: string): Promise<LedgerEntry[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => {
      const [id, event, execution] = name.split(SEPARATOR) as [string, LedgerEntry['event'], string];
      return { id, event, execution, at: (await stat(join(folder, name))).mtimeMs };
    }),
  );
}

/** The nodes by which a workflow writes this ledger. */
export const fileWriting = (environment?: Record<string, string>): Writing => ({
  nodes: (event) => [
    {
      name: `Make ${event}`,
      type: 'n8n-nodes-base.convertToFile',
      typeVersion: 1.1,
      parameters: { operation: 'toJson', options: {} },
    },
    {
      name: `Write ${event}`,
      type: 'n8n-nodes-base.readWriteFile',
      typeVersion: 1.1,
      parameters: {
        operation: 'write',
        fileName: `={{ ['${environment ? ledgerFolder(environment) : IN_CONTAINER}/' + ${REQUEST_ID}, '${event}', ${EXECUTION_ID}, Math.random()].join('${SEPARATOR}') }}`,
        options: {},
      },
    },
  ],
  credentials: [],
});
