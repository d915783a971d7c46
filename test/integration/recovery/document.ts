/** What one check of n8n found and cost. */
export interface Check {
  /** Most executions that it looks at. */
  batchSize: number;
  /** Executions that waited in database and queue. */
  backlog: number;
  /** Executions that the queue did not have. */
  lost: number;
  /** Of those, the ones that it marked as crashed. */
  found: number;
  /** Longest time that main took for an answer around the check, in milliseconds. */
  longestAnswer: number;
}

/** What `npm run bench:recovery` keeps in docs/operate/recovery.json. */
export interface RecoveryRecord {
  at: string;
  n8n: string;
  machine: { cpus: number; processor: string };
  checks: Check[];
}

/** docs/operate/README.md with what the record says between its markers. */
export const withRecovery = (document: string, record: RecoveryRecord): string =>
  document.replace(/(<!-- recovery -->)[^]*(<!-- \/recovery -->)/, `$1\n\n${recoveryText(record)}\n\n$2`);

function recoveryText({ at, n8n, machine, checks }: RecoveryRecord): string {
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
