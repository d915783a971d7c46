/**
 * n8n-version.mjs DEPLOYED [RUN] [FOLDER]: sets the n8n that the chart deploys, and the n8n 2 that the tests run (default: DEPLOYED).
 * Both are patches of one minor version. Changes Chart.yaml, values.yaml and runtimes/n8n-2/package.json of the clone in FOLDER, and
 * prints the version that the chart deployed before.
 *
 * Afterwards, `npm install --legacy-peer-deps --ignore-scripts` in a copy of runtimes/n8n-2 makes the lock file, and
 * `npm run chart:readme` makes the chart's README.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = /^2\.\d+\.\d+$/;
const [deployed = '', ...rest] = process.argv.slice(2);
const run = rest[0] !== undefined && !rest[0].includes('/') ? rest.shift() : deployed;
const root = rest[0] ?? join(dirname(fileURLToPath(import.meta.url)), '..');

const problems = [...new Set([deployed, run])]
  .filter((version) => !VERSION.test(version))
  .map((version) => `"${version}" is not a version of n8n 2; write one such as 2.41.4`);
if (problems.length === 0 && !isPatchOf(deployed, run))
  problems.push(`${run} cannot stand for ${deployed}; give a patch of the same minor version, not newer than it`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}

/** Whether both have the same minor version and the second is not newer. */
function isPatchOf(version, other) {
  const [of, by] = [version, other].map((text) => text.split('.').map(Number));
  return of[1] === by[1] && by[2] <= of[2];
}

/** Replaces the text of each pattern after its first group. Throws if a pattern is not in the file. */
function rewrite(path, changes) {
  const file = join(root, path);
  const text = readFileSync(file, 'utf8');
  const missing = changes.filter(([pattern]) => !pattern.test(text));
  if (missing.length > 0) throw new Error(`${file} has nothing like ${missing.map(([pattern]) => pattern).join(', ')}`);
  writeFileSync(
    file,
    changes.reduce((all, [pattern, value]) => all.replace(pattern, `$1${value}`), text),
  );
}

const chart = 'charts/n8n-tuned/Chart.yaml';
const before = /^appVersion: '([^']+)/m.exec(readFileSync(join(root, chart), 'utf8'))?.[1];
rewrite(chart, [
  [/^(appVersion: ')[^']+/m, deployed],
  [/^( +image: \S+\/n8n:)\S+/m, deployed],
  [/^( +image: \S+\/runners:)\S+/m, deployed],
  [/^( +n8n-tuned\/n8n-run: ')[^,']+/m, run],
]);
const evidence = run === deployed ? 'run' : `read: the tests run ${run}`;
rewrite('charts/n8n-tuned/values.yaml', [
  [/^(  # -- Tag\. Empty: the chart's appVersion, )\d+\.\d+\.\d+ \([^)]*/m, `${deployed} (${evidence}`],
]);
const runtime = join(root, 'runtimes/n8n-2/package.json');
const pinned = JSON.parse(readFileSync(runtime, 'utf8'));
pinned.dependencies.n8n = run;
writeFileSync(runtime, `${JSON.stringify(pinned, null, 2)}\n`);
console.log(before);
