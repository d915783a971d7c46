import { format, percent } from '../../core/formats.js';
import type { SweepConclusion, SweepRow } from '../../model/sweep.js';
import Table from 'cli-table3';
import pc from 'picocolors';
import { BORDERLESS, COLOURS } from './run.js';

const STATUS: Record<SweepRow['status'], (text: string) => string> = {
  meets: pc.green,
  misses: pc.red,
  measured: (text) => text,
  dominated: pc.dim,
  inconclusive: pc.yellow,
  'ruled-out': pc.dim,
  excluded: pc.dim,
  open: pc.dim,
};

/** A line a configuration, then the answer, and where the values and the report are. */
export function printSweep(conclusion: SweepConclusion): string {
  const { name, verdict, answer, rows, recommended, confidence, noise, report } = conclusion;
  const names = Object.keys(rows[0]?.values ?? {});
  const table = new Table({
    head: [...names, 'cores', 'GiB', 'cost/h', 'sustains/s', 'cost/million', ''],
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: [...names.map(() => 'right' as const), 'right', 'right', 'right', 'right', 'right', 'left'],
  });
  for (const row of rows) {
    const { cost, status } = row;
    table.push([
      ...names.map((key) => String(row.values[key])),
      cost ? format(cost.cores) : '-',
      cost ? format(cost.memoryGib) : '-',
      cost ? cost.perHour.toFixed(3) : '-',
      row.capacity === undefined ? '-' : format(row.capacity),
      row.perMillion === undefined ? '-' : row.perMillion.toFixed(2),
      STATUS[status](status === 'excluded' || status === 'ruled-out' ? `${status}: ${firstLine(row.text)}` : status),
    ]);
  }
  const lines = [
    `${COLOURS[verdict](verdict.padEnd(7))} ${name}: ${answer}`,
    ...(confidence ? [`        ${confidence.word}: ${confidence.text}`] : []),
    ...(noise
      ? [`        a tie within ${percent(noise.rate)}: the noise of ${noise.runs} runs of one configuration`]
      : []),
    ...(recommended ? [`Values:  ${recommended.values}`] : []),
    `Report:  ${report}`,
  ];
  return `\n${table.toString()}\n\n${lines.join('\n')}\n`;
}

const firstLine = (text: string) => {
  const [line = ''] = text.replace(/^the chart refuses these values:\n/, '').split('\n');
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
};
