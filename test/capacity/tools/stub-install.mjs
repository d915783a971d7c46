/**
 * stub-install.mjs LOG: installs a thing, which takes half a second, and uses it for a second. Prints whether the install is
 * still the same then.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { terminalProgress } from '../../../capacity/dist/core/progress.js';
import { ensureInstalled } from '../../../capacity/dist/tools/install.js';

const [log] = process.argv.slice(2);
const build = async (folder) => {
  appendFileSync(log, 'built\n');
  await sleep(500);
  writeFileSync(join(folder, 'builder'), String(process.pid));
};
const what = { folder: 'runtimes/thing', label: 'a thing', recipe: 'one', needsMiB: 1, build };
const builder = join(await ensureInstalled(what, terminalProgress(true)), 'builder');
const found = readFileSync(builder, 'utf8');
await sleep(1000);
console.log(readFileSync(builder, 'utf8') === found ? 'the same' : 'another');
