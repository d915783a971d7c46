/**
 * `npm run bench:nodes`: checks that the Load Target does the work it is asked for, and measures the cost of the node itself. Runs
 * the compiled node in the n8n-core of each pinned runtime, prints a table, writes bench/results/nodes.json and its table in
 * docs/nodes.md.
 *
 * Exits with 1 if a figure misses its target. On a busy machine a miss is inconclusive.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Table from 'cli-table3';
import { format } from 'prettier';
import { terminalProgress } from '../capacity/dist/core/progress.js';
import { ensureN8n, readPinnedVersions } from '../capacity/dist/tools/runtimes.js';

const root = join(import.meta.dirname, '..');
const record = join(root, 'bench/results/nodes.json');
const document = join(root, 'docs/nodes.md');

/** Target for each median, as text and as a check. A wait must never be shorter than asked. */
const TARGETS = {
  'Identify, above an empty node': { text: '< 0.3 ms', met: ({ median }) => median < 0.3 },
  Wait: { text: '+ 0 to 2 ms + 1 %', met: ({ asked, best, median }) => best >= asked && median <= asked * 1.01 + 2 },
};
const WITHIN_5_PERCENT = {
  text: '± 5 %',
  met: ({ asked, median }) => Math.abs(median - asked) <= asked * 0.05,
};

/** Measures all figures of one n8n in its own n8n-core, on its own Node. */
function measure({ version, node, n8n }) {
  // Outside the repository, so that the node finds only the runtime's n8n-workflow.
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-bench-'));
  try {
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
    cpSync(join(root, 'test/nodes/in-core/execute.cjs'), join(folder, 'execute.cjs'));
    cpSync(join(root, 'bench/nodes-in-core.cjs'), join(folder, 'measure.cjs'));
    const modules = join(dirname(n8n), '../..');
    const output = execFileSync(node, ['--expose-gc', join(folder, 'measure.cjs')], {
      cwd: folder,
      env: { NODE_PATH: modules, N8N_USER_FOLDER: folder },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(/^FIGURES (.*)$/m.exec(output)[1]).map((figure) => ({
      n8n: version,
      ...figure,
      ...judge(figure),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function judge(figure) {
  const target = TARGETS[figure.what] ?? WITHIN_5_PERCENT;
  return { target: target.text, met: target.met(figure) };
}

const progress = terminalProgress(false);
const figures = [];
for (const version of await readPinnedVersions()) {
  const runtime = await ensureN8n(version, progress);
  console.error(`measuring in n8n ${version} …`);
  figures.push(...measure(runtime));
}

const round = (value) => (value === undefined ? '' : Number(value.toPrecision(4)));
const HEAD = ['n8n', 'what', 'asked', 'best', 'median', 'worst', 'unit', 'required', ''];
const rows = figures.map((f) => {
  const values = [f.asked, f.best, f.median, f.worst].map(round);
  return [f.n8n, f.what, ...values, f.unit, f.target, f.met ? 'met' : 'MISSED'];
});
const table = new Table({ head: HEAD, style: { head: [], border: [] } });
table.push(...rows);
console.log(table.toString());

mkdirSync(dirname(record), { recursive: true });
const machine = { cpu: cpus()[0].model, cores: cpus().length, loadAverage: round(loadavg()[0]) };
const at = new Date().toISOString();
writeFileSync(record, `${JSON.stringify({ at, machine, figures }, null, 2)}\n`);

const lines = [HEAD, HEAD.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
const said = `${machine.cores} cores of ${machine.cpu}, ${at.slice(0, 10)}`;
const pattern = /(<!-- calibration -->)[^]*(<!-- \/calibration -->)/;
const text = readFileSync(document, 'utf8').replace(pattern, `$1\n\n${said}:\n\n${lines.join('\n')}\n\n$2`);
writeFileSync(document, await format(text, { parser: 'markdown' }));

const missed = figures.filter(({ met }) => !met).length;
console.log(
  `${figures.length - missed} of ${figures.length} figures meet their target. Record: bench/results/nodes.json`,
);
process.exitCode = missed ? 1 : 0;
