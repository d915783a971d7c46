import type { Cost } from './load.js';

/** The content of docs/pm2/reload.json, which `npm run bench:pm2` writes. */
export interface ReloadRecord {
  at: string;
  /** `load` is the load average of the minute before. */
  machine: { cpus: number; processor: string; load: number };
  versions: { n8n: string; pm2: string; node: string };
  perSecond: number;
  path: string;
  /** Cost of each reload, by the reloaded app. */
  costs: Record<string, Cost>;
}

const HEAD = [
  ...['reload of', 'requests', 'failed', 'how', 'from the first failed to the last'],
  ...['median answer', 'longest answer', '`pm2 reload` took'],
];

/** Writes the text of the record between the markers of docs/pm2.md. */
export const insertReload = (document: string, record: ReloadRecord): string =>
  document.replace(/(<!-- reload -->)[^]*(<!-- \/reload -->)/, `$1\n\n${formatReload(record)}\n\n$2`);

function formatReload({ at, machine, versions, perSecond, path, costs }: ReloadRecord): string {
  const said =
    `${at.slice(0, 10)}, ${machine.cpus} cores of ${machine.processor} (load average before: ${machine.load}), ` +
    `n8n ${versions.n8n}, PM2 ${versions.pm2}, Node ${versions.node}; ${perSecond} requests a second for \`${path}\`:`;
  return `${said}\n\n${formatTable([HEAD, ...Object.entries(costs).map(([what, cost]) => rowOf(what, cost))])}`;
}

const rowOf = (what: string, cost: Cost): string[] => [
  ...[what, String(cost.requests), String(cost.failed)],
  Object.entries(cost.failures)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', '),
  ...[`${cost.outageSeconds} s`, `${cost.p50Ms} ms`, `${cost.maxMs} ms`, `${cost.reloadSeconds} s`],
];

/** A Markdown table as prettier formats it. */
function formatTable([head, ...rows]: string[][]): string {
  const widths = head!.map((_, column) => Math.max(3, ...[head!, ...rows].map((cells) => cells[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [head!, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}
