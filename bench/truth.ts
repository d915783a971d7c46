/**
 * `npm run bench:truth`: measures how often the tool's verdict is wrong. Runs its search and judge on simulated deployments whose
 * capacity is known. Prints a table, writes bench/results/truth.json and renders it into docs/reading-a-result.md. The seeds are
 * fixed, so every run gives the same figures. Exits with 1 if a criterion is missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Table from 'cli-table3';
import { formatPercent } from '../capacity/src/core/formats.js';
import { QUICK_PRECISION } from '../capacity/src/plan/rates.js';
import { assess, CRITERIA, RUNS } from './truth/assess.js';
import { withTruth } from './truth/document.js';
import { FAMILIES } from './truth/families.js';
import { renderPage, root } from './page.js';

const record = join(root, 'bench/results/truth.json');

const named = process.argv.slice(2);
const runs = Number(process.env.RUNS ?? RUNS);
const answers = await assess(runs, named.length > 0 ? FAMILIES.filter((f) => named.includes(f.name)) : FAMILIES);
const table = new Table({
  head: [
    'deployment',
    'false PASS',
    'false FAIL',
    `within ${formatPercent(CRITERIA.error)}`,
    'found ÷ true',
    'steps',
    's',
    `at ${formatPercent(QUICK_PRECISION)}`,
    'found ÷ true',
    's',
    '',
  ],
  style: { head: [], border: [] },
});
for (const { family, falsePass, falseFail, within, ratio, steps, seconds, ...all } of answers)
  table.push([
    ...[
      family,
      formatPercent(falsePass),
      falseFail === undefined ? '' : formatPercent(falseFail),
      formatPercent(within),
    ],
    ...[ratio?.toFixed(2) ?? '', steps, Math.round(seconds)],
    ...[
      formatPercent(all.quick),
      all.quickRatio?.toFixed(2) ?? '',
      Math.round(all.quickSeconds),
      all.met ? 'met' : 'MISSED',
    ],
  ]);
console.log(`${runs} seeded answers of each kind in each family\n${table.toString()}`);

const met = answers.every((a) => a.met);
if (named.length === 0 && runs === RUNS) {
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, `${JSON.stringify({ criteria: { ...CRITERIA, runs }, answers }, null, 2)}\n`);
  await renderPage('docs/reading-a-result.md', (page) => withTruth(page, answers));
  console.log(`${met ? 'Every criterion is met' : 'A criterion is MISSED'}. Record: bench/results/truth.json`);
}
process.exitCode = met ? 0 : 1;
