/**
 * n8n-version.mjs VERSION [FOLDER]: makes a version the n8n that the chart deploys and the tests run: in Chart.yaml and in
 * runtimes/n8n-2/package.json of a clone. `npm install --package-lock-only` in runtimes/n8n-2 then writes the lock file. Prints the
 * version that it replaces.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [version = '', root = join(dirname(fileURLToPath(import.meta.url)), '..')] = process.argv.slice(2);
if (!/^2\.\d+\.\d+$/.test(version)) {
  console.error(`"${version}" is no version of n8n 2; write one such as 2.41.1`);
  process.exit(1);
}
const runtime = join(root, 'runtimes/n8n-2/package.json');
const pinned = JSON.parse(readFileSync(runtime, 'utf8'));
const before = pinned.dependencies.n8n;
pinned.dependencies.n8n = version;
writeFileSync(runtime, `${JSON.stringify(pinned, null, 2)}\n`);
const chart = join(root, 'charts/n8n-tuned/Chart.yaml');
const named = [/^(appVersion: ')[^']+/m, /^( +image: \S+\/n8n:)\S+/m, /^( +image: \S+\/runners:)\S+/m];
const text = readFileSync(chart, 'utf8');
const missing = named.filter((pattern) => !pattern.test(text));
if (missing.length > 0) throw new Error(`${chart} has nothing like ${missing.join(', ')}`);
writeFileSync(
  chart,
  named.reduce((all, pattern) => all.replace(pattern, `$1${version}`), text),
);
console.log(before);
