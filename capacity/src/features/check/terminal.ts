import pc from 'picocolors';
import type { CheckedFile } from '../../workflow/check/check-file.js';
import type { Finding } from '../../workflow/check/check.js';
import type { Place } from '../../workflow/check/rule.js';
import { format, percent, perSecond } from '../../core/formats.js';
import { printable } from '../../core/printable.js';

/** Each finding with its cost, its places, the reason and the change. */
export function printChecks(checked: CheckedFile[]): string {
  return `${checked.map(printCheck).join('\n\n')}\n${checked.some((c) => c.findings.some((f) => f.measured)) ? `\n${NOTE}\n` : ''}`;
}

const NOTE =
  'Each cost was measured on an example with that choice alone, so costs do not add up; docs/check.md has them.';

function printCheck({ file, workflow, findings }: CheckedFile): string {
  const head = `${pc.bold(`${printable(file)}: ${printable(workflow)}`)}\n`;
  if (findings.length === 0) return `${head}\nnothing was found that costs capacity or memory`;
  return [head, ...findings.map(printFinding)].join('\n');
}

function printFinding(finding: Finding): string {
  const { rule, title, places, why, change, fixable } = finding;
  const lines = [
    ...(places.some(({ node }) => node !== undefined) ? [places.map(placeOf).join(', ')] : []),
    why,
    `${pc.bold('Change:')} ${change}${fixable ? ' (--fix changes some of this.)' : ''}`,
  ];
  return `${pc.bold(title)} (${rule}): ${costText(finding)}\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** The cost of a finding, in words. */
function costText({ cost, measured, memoryMib, unlike }: Finding): string {
  if (unlike) return `not measured on this n8n (${unlike.join(', ')})`;
  if (memoryMib) return `costs ${format(memoryMib)} MiB for each concurrent execution (measured on an example)`;
  if (memoryMib === 0) return 'memory not shown: runs with and without it overlap';
  if (!measured) return { capacity: 'not measured', memory: 'costs memory', safety: 'a risk' }[cost];
  const { before, after, share, example } = measured;
  const where = example === undefined ? 'example' : `example of ${example}`;
  if (share === 0)
    return `cost not shown: runs with and without it overlap (${where}: ${perSecond(before)}, ${perSecond(after)} without)`;
  const text = `costs ${percent(Math.round(share * 100) / 100)} of the executions per second (${where}: ${perSecond(before)}, ${perSecond(after)} without)`;
  return share >= 0.3 ? pc.red(text) : pc.yellow(text);
}

const placeOf = ({ node, what }: Place): string =>
  [node === undefined ? 'settings' : `"${printable(node)}"`, ...(what === undefined ? [] : [what])].join(': ');
