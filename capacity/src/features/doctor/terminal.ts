import pc from 'picocolors';
import { isReady, type Finding } from './finding.js';

const WORDS: Record<Finding['state'], string> = {
  ok: pc.green('ok       '),
  installable: pc.green('installs '),
  limited: pc.yellow('limited  '),
  missing: pc.red('missing  '),
};

/** A line for each finding, what to do below it, and whether validate can run. */
export function printFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2;
  const lines = findings.flatMap(({ name, state, detail, fix }) => [
    `${WORDS[state]}${name.padEnd(width)}${detail}`,
    ...(fix === undefined ? [] : fix.split('\n').map((line) => `${' '.repeat(9 + width)}${line}`)),
  ]);
  const missing = findings.filter(({ state }) => state === 'missing').map(({ name }) => name);
  const last = isReady(findings)
    ? 'n8n-capacity validate can run here.'
    : `n8n-capacity validate cannot run here: ${missing.join(', ')} missing.`;
  return `${lines.join('\n')}\n\n${last}\n`;
}
