import type { PayloadLimitReason } from '../../model/reports.js';
import Table from 'cli-table3';
import pc from 'picocolors';
import type { RunConclusion } from '../../model/verdict.js';
import { BORDERLESS, COLOURS } from './style.js';

const LIMIT_TEXT: Record<PayloadLimitReason, string> = {
  V8HeapLimit: "V8's heap",
  OOMKilled: 'container memory',
  LivenessProbe: 'liveness probe',
  Crash: 'crash',
  TaskRunner: 'task runner',
  FailedRequests: 'failed requests',
  LoadTarget: "load target's ceiling",
};

const mib = (size: number | undefined) => (size === undefined ? '-' : `${size} MiB`);

/** A line a concurrency, then a sentence for each, and where it is recorded. */
export function printPayloadLimits({ verdict, confidence, folder }: RunConclusion): string {
  const { payloadLimits = [] } = verdict;
  const table = new Table({
    head: ['at once', 'survives', 'together', 'does not', 'limit', 'tries'],
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: ['right', 'right', 'right', 'right', 'left', 'right'],
  });
  for (const { clients, survivedMiB, brokeMiB, limit, tries } of payloadLimits) {
    const together = survivedMiB === undefined ? undefined : survivedMiB * clients;
    const text = limit ? LIMIT_TEXT[limit] : pc.yellow('unknown');
    table.push([clients, mib(survivedMiB), mib(together), mib(brokeMiB), text, tries.length]);
  }
  const lines = [
    ...payloadLimits.map((c) => `${COLOURS[c.verdict](c.verdict.padEnd(12))} ${c.clients} at once: ${c.text}`),
    `             ${confidence.word}: ${confidence.text}`,
    `Record:      ${folder}`,
  ];
  return `\n${pc.bold(`memory-hog: ${verdict.verdict === 'PASS' ? 'largest payload' : 'largest payload, as far as it could be judged'}`)}\n${table.toString()}\n\n${lines.join('\n')}\n`;
}
