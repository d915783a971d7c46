/**
 * `npm run bench:isolates`: measures the cost of an isolate of n8n's expression engine, as n8n builds it and with the chart's
 * lazy-character-table and full-code-cache. Creates isolates in each pinned n8n on its own Node, both kinds in turn, and compares
 * the medians. Writes bench/results/isolates.json and its table in docs/throughput.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { format } from 'prettier';
import { gte } from 'semver';
import { median } from 'simple-statistics';
import { terminalProgress } from '../capacity/dist/core/progress.js';
import { ensureN8n, readPinnedVersions } from '../capacity/dist/tools/runtimes.js';

const root = join(import.meta.dirname, '..');
const record = join(root, 'bench/results/isolates.json');
const document = join(root, 'docs/throughput.md');
const PRELOAD = ['lazy-character-table.js', 'full-code-cache.js'].flatMap((file) => [
  '--require',
  join(root, 'charts/n8n-tuned/files/hooks', file),
]);
/** Variables that the chart sets for versions of n8n that read them. */
const COMPILES = { N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true' };
const ROUNDS = 5;

const modulesOf = ({ n8n }) => join(dirname(n8n), '../..');

function measure({ node, n8n, version }, options) {
  const env = { ...process.env, ...(gte(version, '2.40.0') && COMPILES) };
  const script = join(root, 'bench/isolates-in-n8n.cjs');
  const output = execFileSync(node, [...options, script, modulesOf({ n8n })], { encoding: 'utf8', env });
  return JSON.parse(/^FIGURES (.*)$/m.exec(output)[1]);
}

/** The medians of each figure with and without the chart's files, and their ratio. */
function compare(runtime) {
  const runs = Array.from({ length: ROUNDS }, () => ({ asIs: measure(runtime, []), chart: measure(runtime, PRELOAD) }));
  const of = (name) => {
    const [asIs, chart] = ['asIs', 'chart'].map((kind) => median(runs.map((run) => run[kind][name])));
    return { asIs, chart, ratio: asIs / chart };
  };
  return { n8n: runtime.version, cpuMs: of('cpuMs'), specialMs: of('specialMs'), mib: of('mib') };
}

const progress = terminalProgress(false);
const figures = [];
for (const version of await readPinnedVersions()) {
  const runtime = await ensureN8n(version, progress);
  if (!existsSync(join(modulesOf(runtime), '@n8n/expression-runtime'))) continue;
  console.error(`measuring in n8n ${version} …`);
  figures.push(compare(runtime));
}
const machine = { cpu: cpus()[0].model, cores: cpus().length };
writeFileSync(record, `${JSON.stringify({ at: new Date().toISOString(), machine, figures }, null, 2)}\n`);

const number = (value) => String(Number(value.toPrecision(2)));
const KINDS = { cpuMs: 'CPU, ms', specialMs: 'CPU, ms, if it calls `replaceSpecialChars()`', mib: 'memory, MiB' };
const rows = figures.flatMap((figure) =>
  Object.entries(KINDS).map(([kind, what]) => {
    const { asIs, chart, ratio } = figure[kind];
    return [figure.n8n, what, number(asIs), number(chart), `${number(ratio)} ×`];
  }),
);
const HEAD = ['n8n', 'of one isolate', 'as n8n builds it', 'with the chart', 'ratio'];
const table = [HEAD, HEAD.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const pattern = /(<!-- isolates -->)[^]*(<!-- \/isolates -->)/;
const text = readFileSync(document, 'utf8').replace(pattern, `$1\n\n${table}\n\n$2`);
writeFileSync(document, await format(text, { parser: 'markdown', printWidth: 120, proseWrap: 'preserve' }));
console.log(table);
