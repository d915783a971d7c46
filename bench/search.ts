/**
 * `npm run bench:search`: does the search find what a target of known capacity takes? Drives the sources' own search and
 * judgement on the models of bench/search/targets.ts in virtual time, prints a table and writes
 * bench/results/search.json. The seeds are fixed: every run gives the same figures. Ends with 1 when one is missed.
 */
import { percent } from '../capacity/src/core/formats.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Table from 'cli-table3';
import { repository } from '../capacity/src/core/paths.js';
import { assess, MOST_FALSE_PASS, MOST_STEPS, PRECISION, RUNS } from './search/assess.js';

// Compiled below capacity/dist, where `repository` is not what it is in capacity/src.
const record = join(repository, '..', '..', '..', 'bench/results/search.json');

const { searches, falsePasses, met } = assess(RUNS);

const found = new Table({
  head: ['target', 'capacity/s', 'found ÷ capacity', '|error|', `within ${percent(PRECISION)}`, 'steps', 'most', ''],
  style: { head: [], border: [] },
});
for (const s of searches) {
  const truth = `${s.capacity.least.toFixed(1)} to ${s.capacity.most.toFixed(1)}`;
  const { ratio, error, within, steps } = s;
  const figures = [ratio.toFixed(3), percent(error), percent(within), steps.median, steps.most];
  found.push([s.target, truth, ...figures, s.met ? 'met' : 'MISSED']);
}
const falsely = new Table({ head: ['twice the errors allowed', 'PASS', ''], style: { head: [], border: [] } });
for (const { asked, share, met } of falsePasses) falsely.push([asked, percent(share), met ? 'met' : 'MISSED']);

console.log(`Medians of ${RUNS} seeded searches\n${found.toString()}\n${falsely.toString()}`);
mkdirSync(dirname(record), { recursive: true });
const criteria = { runs: RUNS, error: PRECISION, steps: MOST_STEPS, falsePass: MOST_FALSE_PASS };
writeFileSync(record, `${JSON.stringify({ criteria, searches, falsePasses }, null, 2)}\n`);
console.log(`${met ? 'Every criterion is met' : 'A criterion is MISSED'}. Record: bench/results/search.json`);
process.exitCode = met ? 0 : 1;
