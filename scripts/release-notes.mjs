/** release-notes.mjs VERSION: prints the part of CHANGELOG.md for a version. Fails if there is none. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const changelog = join(dirname(fileURLToPath(import.meta.url)), '..', 'CHANGELOG.md');
const [version = ''] = process.argv.slice(2);
const part = readFileSync(process.env.CHANGELOG ?? changelog, 'utf8')
  .split(/^## /m)
  .slice(1)
  .find((text) => text.split(/\s/, 1)[0] === version);
if (!part) {
  console.error(`CHANGELOG.md has no part "## ${version}"`);
  process.exit(1);
}
console.log(part.slice(part.indexOf('\n')).trim());
