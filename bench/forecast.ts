/**
 * `npm run bench:forecast [-- WORKLOAD… --mode regular --mode queue]`: measures the accuracy of a forecast. For each workload and
 * mode it searches for the capacity, and records steps from a tenth to a half of it in a fresh deployment. It compares the forecast
 * from these steps with the measured capacity. Runs recorded below results/bench-forecast are not measured again; remove a folder
 * there to repeat it. Writes bench/results/forecast.json and renders it into docs/forecast.md. Exits with 1 if the median error is
 * above 15 %.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { formatPercent, formatRate } from '../capacity/src/core/formats.js';
import { medianError, MAX_MEDIAN_ERROR, withForecasts } from './forecast/document.js';
import { checkForecast, MODES, type ForecastCheck, type Mode } from './forecast/check.js';
import { renderPage, root } from './page.js';

const record = join(root, 'bench/results/forecast.json');
const known = Object.keys(JSON.parse(readFileSync(join(root, 'loadtests/workloads.json'), 'utf8')) as object);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { mode: { type: 'string', multiple: true } },
});
const modes = (values.mode ?? [...MODES]) as Mode[];
const workloads = positionals.length > 0 ? positionals : known;
const unknownNames = [
  ...workloads.filter((w) => !known.includes(w)).map((w) => `workload ${w}`),
  ...modes.filter((m) => !MODES.includes(m)).map((m) => `--mode ${m}`),
];
if (unknownNames.length > 0)
  throw new Error(
    `${unknownNames.join(', ')}: does not exist; workloads are ${known.join(', ')}; modes ${MODES.join(', ')}.`,
  );

const all = new Map(readChecks().map((c) => [checkKey(c), c]));
for (const mode of modes)
  for (const workload of workloads) {
    console.log(`… ${workload} in ${mode} mode`);
    const checked = await checkForecast(root, workload, mode);
    all.set(checkKey(checked), checked);
    await writeChecks([...all.values()]);
  }
const checks = [...all.values()];
await writeChecks(checks);
printTable(checks);
const median = medianError(checks);
console.log(
  `median error ${median === undefined ? 'unknown' : formatPercent(median)} of ${checks.length}; record: bench/results/forecast.json`,
);
process.exitCode = median !== undefined && median <= MAX_MEDIAN_ERROR ? 0 : 1;

function checkKey({ workload, mode }: ForecastCheck): string {
  return `${mode} ${workload}`;
}

function readChecks(): ForecastCheck[] {
  try {
    return (JSON.parse(readFileSync(record, 'utf8')) as { checks: ForecastCheck[] }).checks;
  } catch {
    return [];
  }
}

/** Writes the record and the page. Called after each workload, because the next one may be interrupted. */
async function writeChecks(checks: ForecastCheck[]): Promise<void> {
  mkdirSync(dirname(record), { recursive: true });
  const sorted = [...checks].sort((a, b) => checkKey(b).localeCompare(checkKey(a)));
  writeFileSync(record, `${JSON.stringify({ medianError: medianError(sorted), checks: sorted }, null, 2)}\n`);
  await renderPage('docs/forecast.md', (page) => withForecasts(page, sorted));
}

function printTable(checks: ForecastCheck[]): void {
  const table = new Table({
    head: ['workload', 'mode', 'measured', 'forecast', 'error', 'limit'],
    style: { head: [], border: [] },
  });
  for (const { workload, mode, result } of checks)
    table.push(
      'unknown' in result
        ? [workload, mode, { colSpan: 4, content: result.unknown }]
        : [
            ...[
              workload,
              mode,
              `${formatRate(result.held)} to ${result.broken === undefined ? '?' : formatRate(result.broken)}`,
            ],
            ...[formatRate(result.forecast), formatPercent(result.error), result.limit],
          ],
    );
  console.log(table.toString());
}
