import Table from 'cli-table3';
import pc from 'picocolors';
import type { CeilingConclusion } from '../../run/payload-limit.js';
import type { CeilingLimit } from '../../judge/profiles/payload-limit.js';
import { BORDERLESS, COLOURS } from './style.js';

const LIMIT_TEXT: Record<CeilingLimit, string> = {
  V8HeapLimit: "V8's heap",
  OOMKilled: 'container memory',
  LivenessProbe: 'liveness probe',
  Crash: 'crash',
  TaskRunner: 'task runner',
  FailedRequests: 'failed requests',
  LoadTarget: "load target's ceiling",
};

const megabytes = (mb: number | undefined) => (mb === undefined ? '-' : `${mb} MB`);

/** A line a concurrency, then a sentence for each, and where it is recorded. */
export function printCeiling({ verdict, ceilings, confidence, folder }: CeilingConclusion): string {
  const table = new Table({
    head: ['at once', 'survives', 'together', 'does not', 'limit', 'tries'],
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: ['right', 'right', 'right', 'right', 'left', 'right'],
  });
  for (const { clients, survived, broke, limit, tries } of ceilings) {
    const together = survived === undefined ? undefined : survived * clients;
    const text = limit ? LIMIT_TEXT[limit] : pc.yellow('unknown');
    table.push([clients, megabytes(survived), megabytes(together), megabytes(broke), text, tries.length]);
  }
  const lines = [
    ...ceilings.map((c) => `${COLOURS[c.verdict](c.verdict.padEnd(7))} ${c.clients} at once: ${c.text}`),
    `        ${confidence.word}: ${confidence.text}`,
    `Record:  ${folder}`,
  ];
  return `\n${pc.bold(`memory-hog: ${verdict === 'PASS' ? 'largest payload' : 'largest payload, as far as it could be judged'}`)}\n${table.toString()}\n\n${lines.join('\n')}\n`;
}
