/** Result and cost of one check of n8n. */
export interface Check {
  /** Most executions that the check reads. */
  batchSize: number;
  /** Executions that waited in database and queue. */
  backlog: number;
  /** Executions that the queue did not have. */
  lost: number;
  /** Number of these that the check marked as crashed. */
  found: number;
  /** Longest time that main took for an answer around the check, in milliseconds. */
  longestAnswer: number;
}

/** The content of docs/operate/recovery.json, which `npm run bench:recovery` writes. */
export interface RecoveryRecord {
  at: string;
  n8n: string;
  machine: { cpus: number; processor: string };
  checks: Check[];
}

/** Writes the text of the record between the markers of docs/operate/README.md. */
export const insertRecovery = (document: string, record: RecoveryRecord): string =>
  document.replace(/(<!-- recovery -->)[^]*(<!-- \/recovery -->)/, `$1\n\n${formatRecovery(record)}\n\n$2`);

function formatRecovery({ at, n8n, machine, checks }: RecoveryRecord): string {
  const rows = checks.map(({ batchSize, backlog, lost, found, longestAnswer }) => [
    ...[batchSize, backlog].map((count) => count.toLocaleString('en')),
    ...[`${found} of ${lost}`, `${longestAnswer} ms`],
  ]);
  const table = [['batch', 'executions that wait', 'lost executions found', "main's longest answer"], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .toSpliced(1, 0, '| --- | --- | --- | --- |')
    .join('\n');
  return `${at.slice(0, 10)}, ${machine.cpus} cores of ${machine.processor}, n8n ${n8n}:\n\n${table}`;
}
