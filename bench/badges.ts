/**
 * `npm run bench:badges`: renders the README's badges, docs/badges/NAME.svg, from the repository's records.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badges } from './badges/badges.js';
import { root } from './page.js';

const folder = join(root, 'docs/badges');
mkdirSync(folder, { recursive: true });
for (const [name, svg] of Object.entries(badges(root))) writeFileSync(join(folder, `${name}.svg`), svg);
